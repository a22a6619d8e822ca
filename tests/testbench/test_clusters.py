"""Modules that are joined do what they did before: in Icarus, and compiled in both ways."""

import re
from pathlib import Path

import numpy as np
import pytest

from fingerpost.testbench.compiled import build as building
from fingerpost.testbench.compiled.assembly import Assembly
from fingerpost.testbench.compiled.clusters import Clustered, clustered
from fingerpost.testbench.compiled.wiring import Wiring, ports
from fingerpost.testbench.packing import Fields
from tests.hdl.simulators import icarus

STATIONS, CYCLES = 5, 200

GIVEN: Fields = (("noise", 40),)

EVENT: Fields = (("valid", 2), ("number", 4), ("sum", 32))

STATION = """\
// A register: its next value is worked out elsewhere.
module station #(parameter [63:0] TABLE = 0) (
  input clk, input rst, input [3:0] number, input mode, input [31:0] next,
  output reg [31:0] value, output [1:0] told, output [3:0] called
);
  reg [7:0] memory [0:7];
  integer i;
  initial for (i = 0; i < 8; i = i + 1) memory[i] = TABLE[8*i +: 8];
  always @(posedge clk) value <= rst ? number : next + memory[value[2:0]] + mode;
  assign told = value[5:4] & value[3:2];
  assign called = number;
endmodule
"""

ADDER = """\
module adder(input [31:0] a, input [7:0] b, input [2:0] c, output [31:0] y);
  function [31:0] joined(input [31:0] x);
    joined = {x[30:0], x[31]};
  endfunction
  assign y = joined(a) + b + c;
endmodule
"""


def pair() -> str:
    """Return a module that joins adders, one behind the other, and what keeps their sum."""
    return """\
module pair(input clk, input rst, input [31:0] former, input [7:0] noise, output [31:0] value,
            output [1:0] told, output [3:0] called, input [3:0] number, output [31:0] next);
  wire [31:0] one; wire [31:0] two;
  adder last(.a(two), .b(8'd0), .c(3'd0), .y(next));
  adder first(.a(former), .b(noise), .c({1'b1, noise[1 +: 2]}), .y(one));
  adder middle(.a(one), .b(8'd3), .c(3'd2), .y(two));
  station keep(.clk(clk), .rst(rst), .number(number), .mode(1'b1), .next(next), .value(value),
    .told(told), .called(called));
endmodule
"""


def ring() -> str:
    """Return pairs in a ring, but for two stations that have tables of their own and no adder."""
    lines = [
        "module ring(input clk, input rst, input [39:0] noise,",
        f"  output [{STATIONS * 38 - 1}:0] events, output [31:0] sum);",
    ]
    for i in range(STATIONS):
        lines += [
            f"  wire [31:0] value_{i}; wire [1:0] told_{i}; wire [3:0] called_{i};",
            f"  assign events[{38 * i} +: 38] = {{value_{i}, called_{i}, told_{i}}};",
        ]
        behind, joined = (i - 1) % STATIONS, f".told(told_{i}), .called(called_{i})"
        if i < STATIONS - 2:
            lines += [
                f"  wire [31:0] next_{i};",
                f"  pair pair_{i}(.clk(clk), .rst(rst), .former(value_{behind}),",
                f"    .noise(noise[{8 * i} +: 8]), .value(value_{i}), .number(4'd{i}),",
                f"    .next(next_{i}), {joined});",
            ]
        else:
            lines += [
                f"  station #(.TABLE(64'h{0x0807060504030201 * i:x})) alone_{i}(",
                f"    .clk(clk), .rst(rst), .number(4'd{i}), .mode(1'b0),",
                f"    .next({{value_{behind}[16 +: 16], value_{behind}[0 +: 16]}}),",
                f"    .value(value_{i}), {joined});",
            ]
    return "\n".join([*lines, "  assign sum = next_0;", "endmodule\n"])


BENCH = f"""\
module bench(input clk, input rst, input [39:0] given, output [{STATIONS * 38 + 31}:0] seen);
  wire [{STATIONS * 38 - 1}:0] events; wire [31:0] sum;
  ring ring(.clk(clk), .rst(rst), .noise(given), .events(events), .sum(sum));
  assign seen = {{sum, events}};
endmodule
"""

DRIVER = f"""\
module driver;
  reg clk = 0, rst = 1;
  reg [39:0] given = 0, all [0:{CYCLES - 1}];
  wire [{STATIONS * 38 + 31}:0] seen;
  integer cycle, row;
  bench bench(.clk(clk), .rst(rst), .given(given), .seen(seen));
  initial begin
    $readmemh("given.hex", all);
    repeat (4) #1 clk = !clk;
    rst = 0;
    for (cycle = 0; cycle < {CYCLES}; cycle = cycle + 1) begin
      given = all[cycle];
      #1 for (row = 0; row < {STATIONS}; row = row + 1)
        if (seen[38 * row +: 2] != 0) $display("%0d %0d %0d", cycle, row, seen[38 * row +: 38]);
      clk = 1;
      #1 clk = 0;
    end
    $finish;
  end
endmodule
"""


@pytest.fixture(scope="module")
def noise() -> np.ndarray:
    return np.random.default_rng(1).integers(0, 1 << 40, CYCLES, dtype=np.uint64)


def joined(folder: Path, change: tuple[str, str] = ("", "")) -> Clustered:
    """Return the ring as clusters."""
    known = ports(STATION) | ports(ADDER)
    wiring = Wiring(BENCH, [pair(), ring()], known)
    adder = ADDER.replace(*change)
    return clustered(wiring, {"station": STATION, "adder": adder}, folder)


def in_icarus(folder: Path, verilog: list[str], noise: np.ndarray) -> list[list[int]]:
    folder.mkdir(exist_ok=True)
    (folder / "all.v").write_text("\n".join([*verilog, DRIVER]))
    (folder / "given.hex").write_text("".join(f"{int(word):x}\n" for word in noise))
    lines = icarus(folder, "driver", [folder / "all.v"])
    return [[int(number) for number in line.split()] for line in lines]


def test_joined_modules_do_what_they_did(tmp_path: Path, noise: np.ndarray) -> None:
    parts = joined(tmp_path)
    before = in_icarus(tmp_path / "before", [BENCH, pair(), ring(), STATION, ADDER], noise)
    after = [*parts.kinds.values(), parts.network, parts.bench]
    # Texts of modules that stand in several kinds are there several times.
    once = list(dict.fromkeys(re.findall(r"^module.*?^endmodule", "\n".join(after), re.M | re.S)))
    assert len(before) > CYCLES
    assert in_icarus(tmp_path / "after", once, noise) == before


@pytest.mark.verilator
@pytest.mark.parametrize("several", [1, 32])
def test_events_are_recorded(
    several: int, tmp_path: Path, noise: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "SEVERAL", several)
    parts = joined(tmp_path)
    sources = []
    for name, text in {**parts.kinds, "network": parts.network, "bench": parts.bench}.items():
        sources.append(tmp_path / f"{name}.v")
        sources[-1].write_text(text)
    groups: list[tuple[int, Fields]] = [(STATIONS, EVENT), (1, (("sum", 32),))]
    assembly = Assembly.of(sources, tmp_path / "compiled", sent=GIVEN, groups=groups)
    hardware = assembly.hardware()
    hardware.reset()
    found = []
    for first in range(0, CYCLES, 64):
        rows, _ = hardware.record(noise[first : first + 64, None].copy())
        found += (rows + np.array([first, 0, 0], np.uint64)).tolist()
    hardware.close()
    before = in_icarus(tmp_path / "before", [BENCH, pair(), ring(), STATION, ADDER], noise)
    assert found == before
