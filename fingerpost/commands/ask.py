"""Commands that answer questions about a network from the model alone."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fingerpost import files
from fingerpost.commands.app import (
    LOAD_HELP,
    AsJson,
    Net,
    Seed,
    command,
    load_network,
    load_routed,
    load_topology,
    prove,
    read,
)
from fingerpost.console import answer, note, progress, status
from fingerpost.runs import render_simulation, simulation_facts

if TYPE_CHECKING:
    from golden.network import Routed
    from golden.topology import Topology


@command("info networks/borel-21.yaml")
def info(net: Net, as_json: AsJson = False) -> None:
    """Tell what a network is and what its routers need."""
    module = import_module("fingerpost.info")
    answer(module.facts(_provable(net)), module.render, as_json=as_json)


def _provable(net: Path) -> "Routed":
    """Load a network with its proof, unless it is too large for one."""
    source = read(net)
    try:
        return prove(source)
    except ValueError as error:
        too_many = import_module("golden.deadlock.channels").TooManyRoutesError
        if isinstance(error.__cause__, too_many):
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
    module = import_module("fingerpost.route")
    facts = module.facts(load_routed(net), source, destination)
    answer(facts, module.render, as_json=as_json)


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
    module = import_module("fingerpost.draw")
    network = load_routed(net)
    facts = None
    if route is not None:
        ends = _ends(route, network.topology)
        facts = import_module("fingerpost.route").facts(network, *ends)
    module.draw(network, output, route=facts)
    note(f"wrote {output}")


def _ends(text: str, topology: "Topology") -> tuple[str, str]:
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
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE.svg", help="Draw the histogram: SVG or PNG."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Tell how uniform traffic loads the links, and the throughput that this leaves."""
    module = import_module("fingerpost.loads")
    if output is not None:
        module.picture.kind(output)
        files.check(output)
    network = load_routed(net)
    with status("following all routes"):
        facts = module.facts(network)
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
    load: Annotated[float, typer.Option(help=LOAD_HELP)] = 0.1,
    cycles: Annotated[int, typer.Option(min=1, help="Cycles in which packets are made.")] = 2000,
    seed: Seed = 0,
    packet_length: Annotated[int, typer.Option(min=1, help="Flits of a packet.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Run the model under uniform random traffic: throughput and latency."""
    network = load_network(net)
    arguments: dict[str, Any] = {
        "load": load, "cycles": cycles, "seed": seed, "packet_length": packet_length,
    }  # fmt: skip
    with progress("simulating") as tell:
        result = import_module("golden.model").simulate(network, progress=tell, **arguments)
    answer(simulation_facts(network, result, **arguments), render_simulation, as_json=as_json)


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
