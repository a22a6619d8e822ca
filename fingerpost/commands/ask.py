"""Commands that answer questions about a network from the model alone."""

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from fingerpost import files, simulation
from fingerpost import info as network_info
from fingerpost import route as packet_route
from fingerpost.commands.app import (
    LOAD_HELP,
    AsJson,
    Cycles,
    Drain,
    Net,
    Seed,
    WarmUp,
    command,
    load_network,
    load_routed,
    load_topology,
    prove,
)
from fingerpost.commands.traffic import ArrivalsOption, PacketLength, TrafficOption, sent_as
from fingerpost.console import answer, note, progress
from fingerpost.netfile import NetfileError, read
from golden.deadlock.channels import TooManyRoutesError
from golden.measure import Outcome
from golden.measure import simulate as run_model
from golden.network import Routed
from golden.topology import Topology
from golden.traffic.patterns import Uniform


@command("info networks/borel-21.yaml")
def info(net: Net, as_json: AsJson = False) -> None:
    """Tell what a network is and what its routers need."""
    answer(network_info.facts(_provable(net)), network_info.render, as_json=as_json)


def _provable(net: Path) -> Routed:
    """Load a network with its proof, unless it is too large for one."""
    source = read(net)
    try:
        return prove(source)
    except NetfileError as error:
        if isinstance(error.__cause__, TooManyRoutesError):
            return source.routed()
        raise


@command(
    "route networks/borel-21.yaml 0 16   (nodes by number, or by label: 0,0 1,5)",
    ignore_unknown_options=True,  # -1 is no option, but no node either: that is to be told
)
def route(
    net: Net,
    source: Annotated[str, typer.Argument(metavar="SRC", help="The node to start from.")],
    destination: Annotated[str, typer.Argument(metavar="DST", help="The node to go to.")],
    as_json: AsJson = False,
) -> None:
    """Tell the nodes and links of a packet's way."""
    facts = packet_route.facts(load_routed(net), source, destination)
    answer(facts, packet_route.render, as_json=as_json)


@command("draw networks/borel-21.yaml -o borel-21.svg --route 0:16")
def draw(
    net: Net,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE.svg", help="An SVG or PNG file.")
    ],
    route: Annotated[
        str | None, typer.Option(metavar="SRC:DST", help="A route to draw on top.")
    ] = None,
) -> None:
    """Draw a small network, and a route through it."""
    files.check(output)
    network = load_routed(net)
    facts = None
    if route is not None:
        facts = packet_route.facts(network, *_ends(route, network.topology))
    import_module("fingerpost.draw").draw(network, output, route=facts)
    note(f"wrote {output}")


def _ends(text: str, topology: Topology) -> tuple[str, str]:
    """Return source and destination of `SRC:DST`; a label may itself have a colon in it."""
    parts = text.split(":")
    ways = [(":".join(parts[:i]), ":".join(parts[i:])) for i in range(1, len(parts))]
    if not ways:
        raise ValueError(f"--route needs SRC:DST, as in 0:16, not {text!r}")
    for source, destination in ways:
        try:
            topology.node(source), topology.node(destination)
        except ValueError:
            continue
        return source, destination
    return ways[0]


@command("loads networks/borel-21.yaml")
def loads(
    net: Net,
    traffic: TrafficOption = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE.svg", help="Draw the histogram: SVG or PNG."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Tell how traffic loads the links, and the throughput that this leaves: an upper bound."""
    module = import_module("fingerpost.loads")
    if output is not None:
        module.picture.kind(output)
        files.check(output)
    network = load_routed(net)
    with progress("following all routes") as tell:
        facts = module.facts(network, traffic or Uniform(), progress=tell)
    answer(facts, module.render, as_json=as_json)
    if output is not None:
        module.draw(facts, output)
        note(f"wrote {output}")


@command("survive networks/borel-21.yaml --node-failure 0.05 --link-failure 0.01")
def survive(
    net: Net,
    node_failure: Annotated[
        float, typer.Option(min=0, max=1, help="The probability that a node fails.")
    ] = 0.0,
    link_failure: Annotated[
        float, typer.Option(min=0, max=1, help="The probability that a link fails.")
    ] = 0.0,
    samples: Annotated[
        int | None,
        typer.Option(min=1, help="Samples to draw.", show_default="20000, if not exact"),
    ] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Tell how likely it is that the survivors of failures still reach one another."""
    module = import_module("fingerpost.survive")
    name, topology = load_topology(net)
    with progress("letting nodes and links fail") as tell:
        facts = module.facts(
            name,
            topology,
            node_failure=node_failure,
            link_failure=link_failure,
            samples=samples,
            seed=seed,
            progress=tell,
        )
    answer(facts, module.render, as_json=as_json)


@command("simulate networks/borel-21.yaml --load 0.2 --cycles 5000")
def simulate(
    net: Net,
    load: Annotated[
        float | None, typer.Option(help=LOAD_HELP, show_default="0.1, or what a trace has")
    ] = None,
    cycles: Cycles = 2000,
    warm_up: WarmUp = None,
    drain: Drain = None,
    seed: Seed = 0,
    traffic: TrafficOption = None,
    arrivals: ArrivalsOption = None,
    packet_length: PacketLength = None,
    by: Annotated[
        list[simulation.By] | None,
        typer.Option(help="Tell latency by hops, or by flow (source and destination), too."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run the model under load: throughput and latency.

    Exits with status 3 if less is accepted than offered, 4 if nothing moves any more, 5 if not
    all came out in time.
    """
    network = load_network(net)
    sent = sent_as(traffic, arrivals, packet_length)
    if load is None and not sent[0].recorded:
        load = 0.1
    given: dict[str, Any] = {"load": load, "cycles": cycles, "seed": seed}
    with progress("simulating") as tell:
        result = run_model(
            network,
            pattern=sent[0],
            arrivals=sent[1],
            packet_length=sent[2],
            warm_up=warm_up,
            drain=drain,
            progress=tell,
            **given,
        )
    facts = simulation.facts(network, result, sent, by=by or (), **given)
    answer(facts, simulation.render, as_json=as_json)
    if result.outcome is not Outcome.OK:
        raise typer.Exit(simulation.STATUS[result.outcome])


@command("export networks/borel-21.yaml -o borel-21.graphml")
def export(
    net: Net,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="FILE", help="The file: .graphml or .anynet."),
    ],
) -> None:
    """Write the network for other tools: as GraphML, or as BookSim 2's list of links."""
    files.check(output)
    module = import_module("fingerpost.graphs")
    name, topology = load_topology(net)
    module.write(topology, output, name=name)
    note(f"wrote {output}")
