"""Commands that make hardware, and measure it."""

from enum import StrEnum
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from fingerpost.commands.app import (
    LOAD_HELP,
    Algorithm,
    AsJson,
    Faults,
    Net,
    Seed,
    command,
    load_network,
    load_source,
)
from fingerpost.commands.traffic import ArrivalsOption, PacketLength, TrafficOption, sent_as
from fingerpost.console import answer, forewarn, print_json, progress, status, stdout_to_stderr
from fingerpost.files import check_folder
from testbench.benches import COMPILED_FROM, LEVELS, check, choose, make


def _level(name: str) -> str:
    """Refuse a level that there is not, before a network file is read."""
    if name not in LEVELS:
        known = ", ".join(map(repr, LEVELS))
        raise typer.BadParameter(f"{name!r} is not one of {known}.")
    return name


class Fpga(StrEnum):
    """The FPGAs that are known; see `fingerpost.device`."""

    ECP5 = "ecp5"
    ICE40 = "ice40"
    ECP5_25 = "ecp5-25"
    ECP5_45 = "ecp5-45"
    ECP5_85 = "ecp5-85"
    ICE40_HX8K = "ice40-hx8k"
    ICE40_UP5K = "ice40-up5k"


class Simulator(StrEnum):
    """What runs the Verilog."""

    icarus = "icarus"
    verilator = "verilator"


class Way(StrEnum):
    """What a bench is run with; see `testbench.benches.WAYS`."""

    cocotb = "cocotb"
    compiled = "compiled"


@command("generate networks/borel-21.yaml -o build/borel-21")
def generate(
    net: Net,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="The directory to write to.")
    ],
    faults: Faults = None,
    routing: Algorithm = None,
) -> None:
    """Write the Verilog of a network."""
    check_folder(output)
    network = load_network(net, faults=faults, routing=routing)
    with status("generating") as tell:
        files = import_module("hdl.verilog").generate(network, output, progress=tell)
    for file in files:
        print(file)


@command("cosim networks/torus-8x8.yaml --level network")
def cosim(
    net: Net,
    level: Annotated[
        str,
        typer.Option(
            callback=_level,
            metavar=f"[{'|'.join(LEVELS)}]",
            help="Every decision; routes made of them; one router; the network in lock-step; with "
            "every node on its own clock, across OS-Links.",
        ),
    ] = "unit",
    simulator: Annotated[
        Simulator | None,
        typer.Option(
            help="The simulator; the answer tells which it was.",
            show_default="verilator where nodes are compiled, else icarus",
        ),
    ] = None,
    way: Annotated[
        Way | None,
        typer.Option(
            help="What runs it: cocotb, or at levels network and router in verilator the nodes "
            "compiled, each kind once; the answer tells which it was.",
            show_default=f"compiled at level network from {COMPILED_FROM} nodes on, if Verilator "
            "is installed and nothing stands around the nodes; else cocotb",
        ),
    ] = None,
    waves: Annotated[bool, typer.Option("--waves", help="Keep a waveform.")] = False,
    lines: Annotated[
        bool,
        typer.Option(
            "--lines", help="Count lines of Verilog and bits that change; by way compiled."
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
    sent_as(traffic, arrivals, packet_length)
    words = {"traffic": traffic, "arrivals": arrivals, "lengths": packet_length}
    given = {"cycles": cycles, "load": load, "seed": seed} | {
        name: None if value is None else str(value) for name, value in words.items()
    }
    options: dict[str, Any] = {name: x for name, x in given.items() if x is not None}
    if load is None and traffic is not None and traffic.recorded:
        options["load"] = None
    check(level, options)
    if lines and way is None:
        way = Way.compiled
    asked = partial(choose, level=level, simulator=simulator or "", way=way or "", waves=waves)
    if way == Way.compiled:  # told before a network file is read
        asked(0)
    network = load_network(net, faults=faults, routing=routing)
    tool, chosen = asked(network.topology.nodes, around=network.around)
    bench = make(network, level, way=chosen, lines=lines, **options)
    with stdout_to_stderr(), progress(f"{level} in {tool}, {chosen}") as tell:
        result = import_module("testbench.cosim").run(
            bench,
            simulator=tool,
            directory=directory,
            waves=waves,
            progress=tell,
        )
    runs = import_module("fingerpost.runs")
    found = import_module("fingerpost.first_difference").files(result) if result.mismatches else {}
    answer(runs.cosim_facts(result) | found, runs.render_cosim, as_json=as_json)
    if result.mismatches:
        raise typer.Exit(1)


@command("cost networks/borel-1081.yaml --node 500 --seeds 5")
def cost(
    net: Net,
    node: Annotated[
        str | None,
        typer.Option(
            metavar="NODE", help="The node whose router it is.", show_default="in the middle"
        ),
    ] = None,
    generic: Annotated[
        bool, typer.Option("--generic", help="Leave the constants of the node as inputs.")
    ] = False,
    device: Annotated[
        Fpga, typer.Option(help="The FPGA; ecp5 is ecp5-25, ice40 is ice40-hx8k.")
    ] = Fpga.ECP5,
    seeds: Annotated[int, typer.Option(min=1, help="Placements to try.")] = 3,
    directory: Annotated[Path, typer.Option(metavar="DIR", help="Where the tools write.")] = Path(
        "build/cost"
    ),
    as_json: AsJson = False,
) -> None:
    """Place and route one router on an FPGA: area and speed."""
    if generic and node is not None:
        raise ValueError("cost needs --node or --generic, not both")
    check_folder(directory)
    network = load_network(net)
    topology = network.topology
    # Node 0 has constants of 0, which cost less than those of other nodes.
    number = topology.nodes // 2 if node is None else topology.node(node)
    module = import_module("fingerpost.cost")
    forewarn(module.PLACEMENT_SECONDS * seeds)
    with status("cost") as tell:
        facts = module.facts(
            network,
            node=None if generic else number,
            seeds=seeds,
            directory=directory,
            device=device,
            progress=tell,
        )
    answer(facts, module.render, as_json=as_json)


@command("order networks/borel-21.yaml --channels 2 --steps 5000")
def order(
    net: Net,
    channels: Annotated[int, typer.Option(min=1, help="Stop when so few are enough.")] = 1,
    steps: Annotated[int, typer.Option(min=0, help="Steps of the search.")] = 2000,
    seed: Seed = 0,
    faults: Faults = None,
    algorithm: Algorithm = None,
    as_json: AsJson = False,
) -> None:
    """Look for the order of the nodes that needs the fewest virtual channels.

    Begins with the order of the file, if it has one; what it gives never needs more channels than
    the network as it is. Where the routing needs as few without an order, it gives none.
    """
    source = load_source(net, faults=faults, routing=algorithm)
    module = import_module("fingerpost.order")
    with progress("looking for an order of the nodes") as tell:
        facts = module.facts(source, channels=channels, steps=steps, seed=seed, progress=tell)
    answer(facts, module.render, as_json=as_json)


@command("schema > network.schema.json")
def schema() -> None:
    """Print the JSON schema of network files, for editors."""
    print_json(import_module("fingerpost.description").json_schema(), indent=2)
