"""The command line. Each command loads, asks the room that knows, and prints the answer."""

import sys
import time
from collections.abc import Callable, Sequence
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from fingerpost import failure
from fingerpost import info as network_info
from fingerpost import route as packet_route
from fingerpost.console import answer, note, print_json, progress, status, stdout_to_stderr
from fingerpost.description import json_schema
from fingerpost.netfile import read
from fingerpost.runs import (
    cosim_facts,
    render_cosim,
    render_order,
    render_simulation,
    simulation_facts,
)
from golden.model import simulate as run_model
from golden.network import Network
from golden.order import search
from golden.topology import Topology

__all__ = ["app", "main"]

app = typer.Typer(
    help="Routers for dense, low-degree networks: Verilog that is compared with a model of the "
    "network, decision by decision and cycle by cycle.\n\nThe commands are in the order of use. "
    "Each has an example in its own [bold]--help[/].",
    epilog="Start with:  fingerpost info networks/borel-21.yaml",
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    add_completion=False,
)


class Level(StrEnum):
    """What is co-simulated."""

    unit = "unit"
    router = "router"
    network = "network"


class Simulator(StrEnum):
    """What runs the Verilog."""

    icarus = "icarus"
    verilator = "verilator"


Net = Annotated[Path, typer.Argument(metavar="NET", help="A network file.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same run.")]
LOAD_HELP = "Flits offered per node and cycle."

Command = Callable[..., None]


def command(example: str) -> Callable[[Command], Command]:
    """Make a function a command whose help ends with an example."""
    return app.command(epilog=f"Example:  fingerpost {example}")


def _load(path: Path) -> Network:
    source = read(path)
    with status("looking for a channel order (`fingerpost order` prints one to keep)"):
        return source.network()


@command("info networks/borel-21.yaml")
def info(net: Net, as_json: AsJson = False) -> None:
    """Tell what a network is and what its routers need."""
    answer(network_info.facts(_load(net)), network_info.render, as_json=as_json)


@command("route networks/borel-21.yaml 0 16   (nodes by number, or by label: 0,0 1,5)")
def route(
    net: Net,
    source: Annotated[str, typer.Argument(metavar="SRC", help="The node to start from.")],
    destination: Annotated[str, typer.Argument(metavar="DST", help="The node to go to.")],
    as_json: AsJson = False,
) -> None:
    """Tell the nodes and links of a packet's way."""
    facts = packet_route.facts(_load(net), source, destination)
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
    network = _load(net)
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


@command("generate networks/borel-21.yaml -o build/borel-21")
def generate(
    net: Net,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="The directory to write to.")
    ],
) -> None:
    """Write the Verilog of a network."""
    network = _load(net)
    with status("generating") as tell:
        files = import_module("hdl.verilog").generate(network, output, progress=tell)
    for file in files:
        print(file)


@command("cosim networks/borel-21.yaml --level network --simulator verilator")
def cosim(
    net: Net,
    level: Annotated[
        Level, typer.Option(help="Every decision; one router; the network in lock-step.")
    ] = Level.unit,
    simulator: Annotated[Simulator, typer.Option(help="The simulator.")] = Simulator.icarus,
    waves: Annotated[bool, typer.Option("--waves", help="Keep a waveform.")] = False,
    cycles: Annotated[
        int | None, typer.Option(min=1, help="Cycles to run.", show_default="as the level needs")
    ] = None,
    seed: Seed = 0,
    load: Annotated[
        float | None,
        typer.Option(help=LOAD_HELP, show_default="as the level needs"),
    ] = None,
    directory: Annotated[
        Path, typer.Option(metavar="DIR", help="Where the simulator writes.")
    ] = Path("sim_build"),
    as_json: AsJson = False,
) -> None:
    """Run the Verilog against the model; exit with status 1 if they differ."""
    network = _load(net)
    with stdout_to_stderr(), progress(f"{level} in {simulator}") as tell:
        result = import_module("testbench.cosim").run(
            network,
            level=level.value,
            simulator=simulator.value,
            directory=directory,
            waves=waves,
            cycles=cycles,
            seed=seed,
            load=load,
            progress=tell,
        )
    answer(cosim_facts(network, result), render_cosim, as_json=as_json)
    if result.mismatches:
        raise typer.Exit(1)


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
    network = _load(net)
    arguments: dict[str, Any] = {
        "load": load, "cycles": cycles, "seed": seed, "packet_length": packet_length,
    }  # fmt: skip
    with progress("simulating") as tell:
        result = run_model(network, progress=tell, **arguments)
    answer(simulation_facts(network, result, **arguments), render_simulation, as_json=as_json)


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
    seeds: Annotated[int, typer.Option(min=1, help="Placements to try.")] = 3,
    directory: Annotated[Path, typer.Option(metavar="DIR", help="Where the tools write.")] = Path(
        "build/cost"
    ),
    as_json: AsJson = False,
) -> None:
    """Place and route one router on an FPGA: area and speed."""
    if generic and node is not None:
        raise ValueError("cost needs --node or --generic, not both")
    network = _load(net)
    topology = network.topology
    # Node 0 has constants of 0, which cost less than those of other nodes.
    number = topology.nodes // 2 if node is None else topology.node(node)
    module = import_module("fingerpost.cost")
    with status("cost") as tell:
        facts = module.facts(
            network,
            node=None if generic else number,
            seeds=seeds,
            directory=directory,
            progress=tell,
        )
    answer(facts, module.render, as_json=as_json)


@command("order networks/borel-21.yaml --channels 2 --steps 5000")
def order(
    net: Net,
    channels: Annotated[int, typer.Option(min=1, help="Stop when so few are enough.")] = 1,
    steps: Annotated[int, typer.Option(min=0, help="Steps of the search.")] = 2000,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Look for the order of the nodes that needs the fewest virtual channels."""
    source = read(net)
    routing = source.routing()
    started = time.perf_counter()
    with status(f"looking for an order of the {routing.topology.nodes} nodes"):
        ranks, needed = search(routing, steps=steps, seed=seed, target=channels)
    facts = {
        "network": source.file.name,
        "channel_order": ranks.tolist(),
        "virtual_channels": needed,
        "steps": steps,
        "seed": seed,
        "seconds": time.perf_counter() - started,
    }
    answer(facts, render_order, as_json=as_json)


@command("schema > network.schema.json")
def schema() -> None:
    """Print the JSON schema of network files, for editors."""
    print_json(json_schema(), indent=2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        status = app(list(arguments) or ["--help"], prog_name="fingerpost", standalone_mode=False)
        sys.stdout.flush()
    except BaseException as error:
        reported = failure.report(error)
        if reported is None:
            raise
        return reported
    if status == failure.INTERRUPTED:  # newer typers say so in their own way
        return failure.report(KeyboardInterrupt()) or status
    return status or 0
