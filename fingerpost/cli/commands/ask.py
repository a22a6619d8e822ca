"""Commands that answer questions about a network from the model alone."""

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fingerpost.cli.commands.app import (
    LOAD_HELP,
    Algorithm,
    ArrivalsOption,
    AsJson,
    Classes,
    Cycles,
    Drain,
    Faults,
    Net,
    PacketLength,
    Precision,
    Seed,
    TrafficOption,
    WarmUp,
    command,
    load_any,
    load_routed,
    load_source,
    prove_if_small,
    sent_as,
    shares,
    tell_faults,
)
from fingerpost.jobs import files
from fingerpost.jobs.console import answer, note, progress
from fingerpost.jobs.provenance import uses

if TYPE_CHECKING:
    from fingerpost.golden.topology import Topology


class By(StrEnum):
    """What latency can be broken down by; typer takes no list of literals."""

    HOPS = "hops"
    CLASS = "class"
    FLOW = "flow"


@command("info networks/borel-21.yaml")
def info(
    net: Net, faults: Faults = None, routing: Algorithm = None, as_json: AsJson = False
) -> None:
    """Show what a network is and what its routers need."""
    from fingerpost.answers.info import facts, render

    network = prove_if_small(load_source(net, faults=faults, routing=routing))
    tell_faults(network.topology)
    answer(facts(network), render, as_json=as_json)


@command(
    "route networks/borel-21.yaml 0 16   (nodes by number, or by label: 0,0 1,5)",
    ignore_unknown_options=True,  # -1 is a wrong node and not an option
)
def route(
    net: Net,
    source: Annotated[str, typer.Argument(metavar="SRC", help="The node to start from.")],
    destination: Annotated[str, typer.Argument(metavar="DST", help="The node to go to.")],
    faults: Faults = None,
    routing: Algorithm = None,
    as_json: AsJson = False,
) -> None:
    """Show the nodes and links of a packet's route."""
    from fingerpost.answers.packet_route import facts, render

    network = load_routed(net, faults=faults, routing=routing)
    answer(facts(network, source, destination), render, as_json=as_json)


@command("draw networks/borel-21.yaml -o borel-21.svg --route 0:16")
def draw(
    net: Net,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE.svg", help="An SVG or PNG file.")
    ],
    route: Annotated[
        str | None, typer.Option(metavar="SRC:DST", help="A route to draw on top.")
    ] = None,
    loads: Annotated[
        bool, typer.Option("--loads", help="Colour the links by what they carry.")
    ] = False,
    traffic: TrafficOption = None,
    faults: Faults = None,
    routing: Algorithm = None,
) -> None:
    """Draw a network in the form of its family, with a route, loads or faults on it.

    A large network is drawn as its classes, if it has any, or as a matrix.
    """
    from fingerpost.answers import packet_route as ways
    from fingerpost.drawing import picture
    from fingerpost.drawing.draw import draw
    from fingerpost.golden.analysis.loads import loads as link_loads

    if traffic is not None and not loads:
        raise ValueError("draw needs --loads for --traffic")
    files.check(output)
    picture.kind(output)  # before the loads, which may take long
    routes = route is not None or loads
    network = load_routed(net, faults=faults, routing=routing, routes=routes)
    facts, load = None, None
    if route is not None:
        ends = _ends(route, network.topology)
        facts = ways.facts(network, *ends)
    pattern = sent_as(traffic, None, None)[0]
    if loads:
        with progress("following all routes") as tell:
            load = link_loads(network.routing, pattern, progress=tell).load
    draw(network, output, route=facts, load=load, traffic=str(pattern))
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
    traffic: TrafficOption = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE.svg", help="Draw the histogram: SVG or PNG."),
    ] = None,
    faults: Faults = None,
    routing: Algorithm = None,
    as_json: AsJson = False,
) -> None:
    """Show how traffic loads the links, and the upper bound on throughput that follows."""
    from fingerpost.answers.loads import draw, facts, render
    from fingerpost.drawing import picture

    if output is not None:
        picture.kind(output)
        files.check(output)
    network = load_routed(net, faults=faults, routing=routing)
    with progress("following all routes") as tell:
        found = facts(network, sent_as(traffic, None, None)[0], progress=tell)
    answer(found, render, as_json=as_json)
    if output is not None:
        draw(found, output)
        note(f"wrote {output}")


@command("survive networks/borel-21.yaml --node-failure 0.05 --link-failure 0.01")
def survive(
    net: Net,
    node_failure: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="The probability that a node fails.", show_default="0"),
    ] = None,
    link_failure: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="The probability that a link fails.", show_default="0"),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(min=1, help="Samples to draw.", show_default="20000, if not exact"),
    ] = None,
    copies: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Copies with faults to draw, and to report the throughput of.",
            show_default="none",
        ),
    ] = None,
    cycles: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Cycles for which each copy is simulated under full load.",
            show_default="not simulated",
        ),
    ] = None,
    seed: Seed = 0,
    routing: Algorithm = None,
    as_json: AsJson = False,
) -> None:
    """Estimate how likely all survivors of failures still reach each other.

    With --copies, also the throughput of copies with the expected number of faults.
    """
    from fingerpost.answers import fault_throughput as damage
    from fingerpost.answers import survive as survival

    if copies is None and (cycles is not None or routing is not None):
        raise ValueError("survive needs --copies for --cycles and --routing")
    if node_failure is None and link_failure is None:
        raise ValueError(
            "survive needs --node-failure, --link-failure or both: probabilities, as in "
            "--node-failure 0.05"
        )
    node_failure, link_failure = node_failure or 0.0, link_failure or 0.0
    source = load_source(net, routing=routing)
    name, topology = source.file.name, source.topology()
    uses(source.description)
    with progress("letting nodes and links fail") as tell:
        facts = survival.facts(
            name,
            topology,
            node_failure=node_failure,
            link_failure=link_failure,
            samples=samples,
            seed=seed,
            progress=tell,
        )
    if copies is None:
        answer(facts, survival.render, as_json=as_json)
        return
    with progress("looking at damaged copies") as tell:
        facts |= damage.facts(
            source.description,
            node_failure=node_failure,
            link_failure=link_failure,
            copies=copies,
            cycles=cycles,
            seed=seed,
            progress=tell,
        )
    answer(
        facts,
        lambda found: f"{survival.render(found)}\n\n{damage.render(found)}",
        as_json=as_json,
    )


@command("simulate networks/borel-21.yaml --load 0.2 --precision 0.01")
def simulate(
    net: Net,
    load: Annotated[
        float | None, typer.Option(help=LOAD_HELP, show_default="0.1, or what a trace has")
    ] = None,
    cycles: Cycles = 20_000,
    precision: Precision = 0.02,
    warm_up: WarmUp = None,
    drain: Drain = None,
    seed: Seed = 0,
    traffic: TrafficOption = None,
    arrivals: ArrivalsOption = None,
    packet_length: PacketLength = None,
    by: Annotated[
        list[By] | None,
        typer.Option(
            help="Also report latency by hops, message class, or flow (source and destination)."
        ),
    ] = None,
    classes: Classes = None,
    threads: Annotated[
        int, typer.Option(min=1, max=64, help="Cores that share a network of over 2,000 nodes.")
    ] = 1,
    faults: Faults = None,
    routing: Algorithm = None,
    as_json: AsJson = False,
) -> None:
    """Run the model under load: throughput and latency.

    Exits with status 3 if the network is not stable, 4 if it deadlocked, 5 if the run was too short
    to tell.
    """
    from fingerpost.answers import simulation
    from fingerpost.golden.compiled import engine, unfit
    from fingerpost.golden.compiled.jit import to_compile
    from fingerpost.golden.measure import simulate

    network = load_any(net, faults=faults, routing=routing)
    sent = sent_as(traffic, arrivals, packet_length)
    if load is None and not sent[0].recorded:
        load = 0.1
    given: dict[str, Any] = {
        "load": load,
        "cycles": cycles,
        "precision": precision,
        "seed": seed,
    }
    if classes is not None:
        given["classes"] = shares(classes)
    with progress("simulating", compiles=lambda: not unfit(network) and to_compile()) as tell:
        result = simulate(
            network,
            pattern=sent[0],
            arrivals=sent[1],
            packet_length=sent[2],
            warm_up=warm_up,
            progress=tell,
            flows=bool({"hops", "flow"} & set(by or ())),
            make=partial(engine, threads=threads),
            **given,
        )
    facts = simulation.facts(network, result, sent, by=by or (), **given)
    answer(facts, simulation.render, as_json=as_json)
    if found := simulation.STATUS[result.outcome]:
        raise typer.Exit(found)


@command("export networks/borel-21.yaml -o borel-21.graphml")
def export(
    net: Net,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="FILE", help="The file: .graphml or .anynet."),
    ],
    faults: Faults = None,
) -> None:
    """Write the network for other tools: as GraphML, or as BookSim 2's list of links."""
    from fingerpost.formats import graphs

    files.check(output)
    source = load_source(net, faults=faults)
    topology = source.topology()
    tell_faults(topology)
    graphs.write(topology, output, name=source.file.name)
    note(f"wrote {output}")
