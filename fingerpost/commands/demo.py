"""`fingerpost demo`: from a network file to hardware that was compared with the model."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

from fingerpost.cli import options
from fingerpost.cli.app import command
from fingerpost.jobs.console import aligned, progress, status, stdout_to_stderr
from fingerpost.jobs.files import check_folder
from fingerpost.netfile.scaffold import EXAMPLES

if TYPE_CHECKING:
    from fingerpost.golden.network.network import Network
    from fingerpost.testbench.benches.bench import Bench
    from fingerpost.testbench.cosim import Result

NETWORK = "borel-21"

PRINTED = ((3, -3, 4, -10), (6, -6, 7, -4), (-9, 9, 10, -7))
"""Table I of two-phase-1995: the GCR constants of each class, in the order of its columns."""

ROUTE = ("0", "16")
"""The example of two-phase-1995, Section IV: B A A."""

CYCLES, LOAD = 500, 0.2

NEXT = {
    "fingerpost examples -o networks": "the network files that are shipped",
    "fingerpost info networks/borel-21.yaml": "all there is to know about a network",
    "fingerpost cosim networks/borel-21.yaml --simulator verilator": "the other simulator",
    "fingerpost simulate networks/borel-1081.yaml --load 0.2": "1,081 nodes under load",
    "fingerpost generate networks/borel-1081.yaml -o build/borel-1081": "and their Verilog",
    "fingerpost --help": "all commands",
}

out = Console(highlight=False, markup=False)


@command("demo -o build/demo")
def main(
    output: options.Folder = Path("build/demo"),
) -> None:
    """Show one network end to end: model, Verilog, co-simulation; about a quarter of a minute."""
    check_folder(output)
    if not all(list(_steps(output))):
        raise typer.Exit(1)


def _say(text: str) -> None:
    for line in text.splitlines():
        out.print(f"   {line}", soft_wrap=True)


def _verdict(right: bool, text: str) -> bool:
    out.print(f"   {'ok' if right else 'FAILED'}: {text}", style="green" if right else "bold red")
    return right


def _constants(network: "Network") -> bool:
    """Compare the constants of the links with Table I."""
    from fingerpost.commands.info import TABLE_I

    constants: Any = network.topology.constants()["gcr"]
    ours = list(zip(*(constants[port] for port in TABLE_I), strict=True))
    rows = [["class", *(x for name in TABLE_I.values() for x in (name, "printed"))]]
    for number, (row, printed) in enumerate(zip(ours, PRINTED, strict=True)):
        rows.append(
            [str(number), *(str(x) for pair in zip(row, printed, strict=True) for x in pair)]
        )
    _say("Node j of class j mod 3 is joined to j + constant mod 21, by links A, A^-1, B, B^-1.")
    _say("\n".join(aligned(rows, left=())))
    return _verdict(ours == list(PRINTED), "the constants are those of Table I")


def _deadlock(network: "Network") -> bool:
    """Tell why the network has the virtual channels that it has."""
    from fingerpost.golden.network.network import DeadlockError

    channels = network.virtual_channels
    graph = network.channels.dependencies(channels)
    _say(
        f"{channels} virtual channels on every link; the channel dependency graph has "
        f"{graph.vertices} vertices and {graph.edges} edges"
    )
    free = network.channels.is_free_of_deadlock(channels)
    right = _verdict(free, f"no cycle with {channels} channels, so no deadlock")
    if channels > 1:
        fewer = DeadlockError(network.channels, channels - 1)
        _say(fill(f"With one fewer there is one: {fewer}", 88))
    return right and (channels == 1 or bool(fewer.cycle))


def _generate(network: "Network", output: Path) -> None:
    """Write the Verilog and list it."""
    from fingerpost.hdl.export.generate import generate

    with status("generating") as tell:
        files = generate(network, output, progress=tell)
    rows = [["bytes", "file"], *([f"{file.stat().st_size:,}", str(file)] for file in files)]
    _say("\n".join(aligned(rows, left=(1,))))


def _cosimulate(bench: "Bench", output: Path) -> "Result":
    from fingerpost.testbench.cosim import run

    with stdout_to_stderr(), progress(f"{bench.level} in icarus") as tell:
        result = run(bench, simulator="icarus", directory=output / "sim", progress=tell)
    if result.mismatches:
        _say(f"{result.message}\nwaveform {result.waveform}")
    return result


def _decisions(network: "Network", output: Path) -> bool:
    from fingerpost.testbench.benches.questions import UnitBench

    result = _cosimulate(UnitBench(network), output)
    _say(
        f"{result.count:,} decisions in Icarus: at every node for every destination, for every "
        "state in which\na packet passes, and for malformed headers"
    )
    return _verdict(not result.mismatches, f"{result.mismatches} mismatches")


def _lock_step(network: "Network", output: Path) -> bool:
    from fingerpost.testbench.benches.network import NetworkBench

    result = _cosimulate(NetworkBench(network, cycles=CYCLES, load=LOAD), output)
    packets, delivered = (result.details[name] for name in ("packets", "delivered"))
    _say(
        f"{network.topology.nodes} routers in Icarus for {result.count} cycles, beside the model: "
        f"every link and terminal compared\n"
        f"in every cycle; {packets} packets of 1 to 4 flits, {LOAD} flits per terminal and cycle, "
        "then drained"
    )
    found = f"{result.mismatches} mismatches; {delivered} of {packets} packets delivered"
    return _verdict(not result.mismatches and packets == delivered, found)


def _draw(network: "Network", output: Path) -> None:
    try:
        from fingerpost.commands.draw import draw

        _say(str(draw(network, output / f"{network.name}.svg", route=ROUTE)))
    except ModuleNotFoundError:
        _say("Pictures need `pip install 'fingerpost[draw]'`.")


def _route(network: "Network") -> bool:
    from fingerpost.commands.route import facts, render

    route = facts(network, *ROUTE)
    _say(render(route))
    return _verdict(route["port_names"] == ["B", "A", "A"], "B A A, as in the paper")


def _next() -> None:
    if sys.prefix != sys.base_prefix:
        activate = os.path.relpath(Path(sys.prefix) / "bin" / "activate")
        _say(f"First, in each new shell:  . {activate}")
    width = max(map(len, NEXT))
    for line, what in NEXT.items():
        _say(f"{line:{width}}  {what}")


def _steps(output: Path) -> Iterator[bool]:
    """Run the steps; yield whether each comparison came out right."""
    from fingerpost.netfile.source import load

    started = time.perf_counter()
    network = load(EXAMPLES / f"{NETWORK}.yaml")
    steps: dict[str, Callable[[], bool | None]] = {
        f"The network of {NETWORK}, beside Table I of Tang and Arden (1995)": (
            lambda: _constants(network)
        ),
        f"A packet from node {ROUTE[0]} to node {ROUTE[1]}": lambda: _route(network),
        "Freedom from deadlock": lambda: _deadlock(network),
        "Verilog": lambda: _generate(network, output),
        "Hardware against model: every decision": lambda: _decisions(network, output),
        "Hardware against model: every cycle": lambda: _lock_step(network, output),
        "A picture, with the route of step 2": lambda: _draw(network, output),
    }
    for number, (title, step) in enumerate(steps.items(), start=1):
        out.print(f"\n{number}. {title}", style="bold", soft_wrap=True)
        yield step() is not False
    took = f"All done, in {time.perf_counter() - started:.0f} s; what to try next"
    out.print(f"\n{len(steps) + 1}. {took}", style="bold", soft_wrap=True)
    _next()
