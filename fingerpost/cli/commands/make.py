"""Commands that make hardware, and measure it."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from fingerpost.cli.commands.app import (
    LOAD_HELP,
    Algorithm,
    ArrivalsOption,
    AsJson,
    Faults,
    Folder,
    Net,
    Nets,
    PacketLength,
    Routings,
    Seed,
    TrafficOption,
    command,
    load_any,
    load_source,
    one_of,
    prove_any,
    sent_as,
    tell_faults,
)
from fingerpost.jobs.console import (
    answer,
    forewarn,
    note,
    print_json,
    progress,
    status,
    stdout_to_stderr,
)
from fingerpost.jobs.files import check as check_file
from fingerpost.jobs.files import check_folder
from fingerpost.jobs.provenance import uses
from fingerpost.testbench.benches import COMPILED_FROM, LEVELS, check, choose, make

if TYPE_CHECKING:
    from fingerpost.golden.network.kinds import AnyNetwork


def _level(name: str) -> str:
    """Refuse a level that there is not, before a network file is read."""
    if name not in LEVELS:
        known = ", ".join(map(repr, LEVELS))
        raise typer.BadParameter(f"{name!r} is not one of {known}.")
    return name


def _numbers(text: str | None) -> str | None:
    """Refuse a list of numbers that is none, before a network file is read."""
    if text is not None and not all(each.isdecimal() for each in text.split(",")):
        raise typer.BadParameter(f"{text!r} is not a list of whole numbers, as in 16,32.")
    return text


def _each(text: str | None) -> list[int | None]:
    """Return the numbers of a list, each once; without a list, what the file says."""
    return [None] if text is None else list(dict.fromkeys(map(int, text.split(","))))


def _the_only(networks: Sequence["AnyNetwork"]) -> str | None:
    """Return the name of all of them, if it is one."""
    names = {network.name for network in networks}
    return names.pop() if len(names) == 1 else None


@command("generate networks/borel-21.yaml -o build/borel-21")
def generate(
    net: Net,
    output: Folder,
    cost: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Output of `cost --json` for this network, for the manifest.",
            show_default="none",
        ),
    ] = None,
    faults: Faults = None,
    routing: Algorithm = None,
) -> None:
    """Write the Verilog of a network."""
    from fingerpost.answers import saved_answers as stored
    from fingerpost.hdl.export.generate import generate as write
    from fingerpost.hdl.lib.banner import description_hash

    check_folder(output)
    network = load_any(net, faults=faults, routing=routing)
    costs = []
    if cost:
        costs = stored.costs(cost, network.name, description_hash(network))
    with status("generating") as tell:
        files = write(network, output, costs=costs, progress=tell)
    for file in files:
        print(file)


@command("cosim networks/torus-8x8.yaml --level network")
def cosim(
    net: Net,
    level: Annotated[
        str,
        typer.Option(
            callback=_level,
            metavar="LEVEL",
            help="unit: every decision; path: routes of such decisions; router: one router; "
            "network: the network in lock-step; clocks: OS-Links with a clock for each node.",
            autocompletion=one_of("testbench.benches", "LEVELS"),
        ),
    ] = "unit",
    simulator: Annotated[
        Literal["icarus", "verilator"] | None,
        typer.Option(
            help="The simulator.",
            show_default="verilator where nodes are compiled, else icarus",
        ),
    ] = None,
    engine: Annotated[
        Literal["cocotb", "compiled"] | None,
        typer.Option(
            help="cocotb; or compiled, at levels unit, router and network: each node type is "
            "compiled once.",
            show_default=f"compiled from {COMPILED_FROM} nodes on, at level unit, and network if "
            "terminals have credits, where Verilator is installed; else cocotb",
        ),
    ] = None,
    waves: Annotated[bool, typer.Option("--waves", help="Keep a waveform.")] = False,
    lines: Annotated[
        bool,
        typer.Option(
            "--lines", help="Count covered lines and toggled bits; with --engine compiled."
        ),
    ] = False,
    cycles: Annotated[
        int | None, typer.Option(min=1, help="Cycles to run.", show_default="as the level needs")
    ] = None,
    seed: Seed = 0,
    load: Annotated[
        float | None,
        typer.Option(help=LOAD_HELP, show_default="as the level needs"),
    ] = None,
    traffic: TrafficOption = None,
    arrivals: ArrivalsOption = None,
    packet_length: PacketLength = None,
    directory: Annotated[
        Path, typer.Option(metavar="DIR", help="Where the simulator writes.")
    ] = Path("sim_build"),
    faults: Faults = None,
    routing: Algorithm = None,
    as_json: AsJson = False,
) -> None:
    """Run the Verilog against the model; exit with status 1 if they differ."""
    from fingerpost.answers import cosim as runs
    from fingerpost.answers import first_difference
    from fingerpost.testbench.cosim import run

    sent_as(traffic, arrivals, packet_length)
    words = {"traffic": traffic, "arrivals": arrivals, "lengths": packet_length}
    given = {"cycles": cycles, "load": load, "seed": seed} | {
        name: None if value is None else str(value) for name, value in words.items()
    }
    options: dict[str, Any] = {name: x for name, x in given.items() if x is not None}
    if load is None and traffic is not None and traffic.recorded:
        options["load"] = None
    check(level, options)
    if lines and engine is None:
        engine = "compiled"
    asked = partial(
        choose, level=level, simulator=simulator or "", engine=engine or "", waves=waves
    )
    if engine == "compiled":  # refused before a network file is read
        asked(0)
    network = load_any(net, faults=faults, routing=routing)
    tool, chosen = asked(network.topology.nodes, around=network.around)
    bench = make(network, level, engine=chosen, lines=lines, **options)
    with stdout_to_stderr(), progress(f"{level} in {tool}, {chosen}") as tell:
        result = run(bench, simulator=tool, directory=directory, waves=waves, progress=tell)
    found = first_difference.files(result) if result.mismatches else {}
    answer(runs.cosim_facts(result) | found, runs.render_cosim, as_json=as_json)
    if result.mismatches:
        raise typer.Exit(1)


@command("cost networks/borel-1081.yaml --node 500 --seeds 5")
def cost(
    nets: Nets,
    node: Annotated[
        str | None,
        typer.Option(
            metavar="NODE",
            help="The node to measure.",
            show_default="an interior one of the most frequent type",
        ),
    ] = None,
    generic: Annotated[
        bool, typer.Option("--generic", help="Leave the constants of the node as inputs.")
    ] = False,
    part: Annotated[
        Literal["unit", "terminal", "endpoints", "mailbox", "router", "node", "network"],
        typer.Option(
            help="The largest routing unit; the interface of an AXI4-Stream terminal with its "
            "header table; what endpoints share it by; a mailbox; the router; the router with link "
            "and terminal interfaces; all nodes and tables."
        ),
    ] = "node",
    device: Annotated[
        Literal["ecp5", "ice40", "ecp5-25", "ecp5-45", "ecp5-85", "ice40-hx8k", "ice40-up5k"],
        typer.Option(help="The FPGA; ecp5 is ecp5-25, ice40 is ice40-hx8k."),
    ] = "ecp5",
    flit_width: Annotated[
        str | None,
        typer.Option(
            metavar="BITS,...",
            callback=_numbers,
            help="Instead of router.flit_width; a row for each.",
            show_default="as the file says",
        ),
    ] = None,
    depth: Annotated[
        str | None,
        typer.Option(
            metavar="FLITS,...",
            callback=_numbers,
            help="Instead of router.buffer_depth; a row for each.",
            show_default="as the file says",
        ),
    ] = None,
    routing: Routings = None,
    seeds: Annotated[int, typer.Option(min=1, help="Placements to try.")] = 3,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE.svg|.png",
            help="Draw area and Fmax against nodes, with a line for each family and algorithm.",
        ),
    ] = None,
    directory: Annotated[Path, typer.Option(metavar="DIR", help="Where the tools write.")] = Path(
        "build/cost"
    ),
    as_json: AsJson = False,
) -> None:
    """Place and route a part of a network on an FPGA: area and speed.

    Several networks, algorithms, flit widths or depths give a table.
    """
    from fingerpost.cost import cost as costs
    from fingerpost.cost.designs import typical_node

    if generic and node is not None:
        raise ValueError("cost needs --node or --generic, not both")
    if part == "network" and (generic or node is not None):
        raise ValueError("cost needs no --node and no --generic with --part network: it has all")
    if part == "terminal" and generic:
        raise ValueError("cost needs no --generic with --part terminal: its table is of a node")
    if node is not None and len(nets) > 1:
        raise ValueError("cost needs one network with --node: others may not have that node")
    check_folder(directory)
    if output is not None:
        from fingerpost.drawing import picture

        check_file(output)
        picture.kind(output)
    tried: list[str | None] = [*(routing or ()), *([] if routing else [None])]
    networks = [
        prove_any(source.with_router(flit_width=width, buffer_depth=entries))
        for net in nets
        for each in tried
        for source in [load_source(net, routing=each)]
        for width in _each(flit_width)
        for entries in _each(depth)
    ]
    for topology in {network.name: network.topology for network in networks}.values():
        tell_faults(topology)
    nodes = (network.topology.nodes if part == "network" else 1 for network in networks)
    forewarn(costs.PLACEMENT_SECONDS * seeds * sum(nodes))
    rows = []
    for count, network in enumerate(networks, 1):
        topology = network.topology
        if node is None:
            number = typical_node(topology, terminal=part in ("terminal", "endpoints", "mailbox"))
        else:
            number = topology.node(node)
        with status("cost" if len(networks) == 1 else f"cost, {count} of {len(networks)}") as tell:
            rows.append(
                costs.facts(
                    network,
                    node=None if generic else number,
                    seeds=seeds,
                    directory=directory,
                    device=device,
                    part=part,
                    progress=tell,
                )
            )
    facts = rows[0] if len(rows) == 1 else {"network": _the_only(networks), "rows": rows}
    answer(facts, costs.render, as_json=as_json)
    if output is not None:
        from fingerpost.cost import chart as cost_chart

        cost_chart.draw(rows, output)
        note(f"wrote {output}")


@command("order networks/borel-21.yaml --channels 2 --steps 5000")
def order(
    net: Net,
    channels: Annotated[int, typer.Option(min=1, help="Stop when this number suffices.")] = 1,
    steps: Annotated[int, typer.Option(min=0, help="Steps of the search.")] = 2000,
    seed: Seed = 0,
    faults: Faults = None,
    algorithm: Algorithm = None,
    as_json: AsJson = False,
) -> None:
    """Search for an order of the nodes that needs fewer virtual channels.

    Starts from the order of the file, if it has one. Prints none if the routing algorithm has a
    scheme of its own that needs no more channels.
    """
    from fingerpost.answers.order import facts, render

    source = load_source(net, faults=faults, routing=algorithm)
    uses(source.description)
    with progress("looking for an order of the nodes") as tell:
        found = facts(source, channels=channels, steps=steps, seed=seed, progress=tell)
    answer(found, render, as_json=as_json)


@command("schema > network.schema.json")
def schema() -> None:
    """Print the JSON schema of network files, for editors."""
    from fingerpost.netfile.description import json_schema

    print_json(json_schema(), indent=2)
