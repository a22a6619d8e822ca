"""Modules that are compiled, side by side or joined, do what they do in a simulator."""

import ctypes
import re
from pathlib import Path

import numpy as np
import pytest

from fingerpost.testbench.compiled import build as building
from fingerpost.testbench.compiled.assembly import Assembly
from fingerpost.testbench.compiled.build import Builder
from fingerpost.testbench.compiled.clusters import Clustered, clustered
from fingerpost.testbench.compiled.gates import gates
from fingerpost.testbench.compiled.hardware import create
from fingerpost.testbench.compiled.node import words
from fingerpost.testbench.compiled.plan import Kind, Words
from fingerpost.testbench.compiled.wiring import Instance, Port, Wiring, ports
from fingerpost.testbench.packing import Fields
from fingerpost.testbench.runner import BenchError
from tests.hdl.simulators import icarus

NODES = 600
"""More than stand in one vector; the last word of the second is not full."""

CYCLES = 300

EVERYTHING = """\
module everything #(parameter [119:0] CONTENTS = 0) (
  input clk, input rst, input [6:0] straps, input [2:0] op, input [69:0] wide,
  input [4:0] address, input [1:0] strobe,
  output reg [69:0] result, output [12:0] read, output [69:0] found, output [9:0] own,
  output reg [7:0] fixed, output reg [7:0] listed, output [7:0] some, output late,
  output [69:0] twice,
  output [3:0] constant
);
  // Arithmetic, comparison and shifts; a reset, an enable, initial values.
  initial result = 70'h25;
  always @(posedge clk)
    if (rst) result <= 70'h3;
    else case (op)
      0: result <= result + wide;
      1: result <= result ^ (wide >> address);
      2: result <= {69'd0, result[34:0] < wide[34:0]};
      3: result <= {wide[34:0] - result[34:0], ~result[34:0]};
      4: result <= wide + straps;
      default: ;
    endcase
  assign constant = 4'ha;
  assign late = ^wide ^ ^result;

  // A memory of words with two write enables, one longer than a word, a small one.
  reg [12:0] memory_of_parts [0:23];
  reg [69:0] deep [0:31];
  reg [7:0] little [0:3];
  reg [4:0] at;
  initial at = 0;
  integer i;
  initial begin
    for (i = 0; i < 24; i = i + 1) memory_of_parts[i] = 13'd77 * i;
    for (i = 0; i < 32; i = i + 1) deep[i] = 0;
    for (i = 0; i < 4; i = i + 1) little[i] = i;
  end
  always @(posedge clk) begin
    at <= address;
    if (strobe[0] && address < 24) memory_of_parts[address][4:0] <= wide[4:0];
    if (strobe[1] && address < 24) memory_of_parts[address][12:5] <= wide[20:13];
    if (op == 5) deep[address] <= wide;
    if (op == 6) little[address[1:0]] <= wide[7:0];
  end
  assign read = at < 24 ? memory_of_parts[at] : 13'd0;
  assign found = deep[at];
  assign some = little[at[1:0]];

  // A memory that two ports write, the first in parts; where both write, the second does.
  reg [69:0] shared [0:31];
  initial for (i = 0; i < 32; i = i + 1) shared[i] = i;
  always @(posedge clk) begin
    if (strobe[0]) shared[address][68:30] <= wide[38:0];
    if (strobe[1]) shared[address][6:0] <= wide[69:63];
    if (op == 7) shared[wide[4:0]] <= {wide[34:0], wide[69:35]};
  end
  assign twice = shared[at];

  // A memory whose entries are listed, as Yosys writes them.
  reg [7:0] \\list$1 [0:127];
  initial begin
@LISTED@  end
  always @(posedge clk) listed <= \\list$1 [{op[1:0], address}];

  // A table of each node, with two ports, and one that is the same everywhere.
  table_of #(.CONTENTS(CONTENTS)) t(clk, address, result[4:0], own);
  always @(posedge clk)
    case (address)
      0: fixed <= 17; 3: fixed <= 200; 7: fixed <= 1; 9: fixed <= 93; 12: fixed <= 255;
      17: fixed <= 34; 18: fixed <= 35; 21: fixed <= 150; 30: fixed <= 61; 31: fixed <= 64;
      default: fixed <= {3'd0, address} ^ 8'h5a;
    endcase
endmodule

module table_of #(parameter [119:0] CONTENTS = 0) (
  input clk, input [4:0] one, input [4:0] other, output reg [9:0] entry
);
  reg [9:0] memory [0:11];
  integer i;
  initial for (i = 0; i < 12; i = i + 1) memory[i] = CONTENTS[i*10 +: 10];
  always @(posedge clk)
    entry <= (one < 12 ? memory[one] : 10'd0) ^ (other < 12 ? memory[other] : 10'd0);
endmodule
""".replace("@LISTED@", "".join(f"    \\list$1 [{i}] = 8'h{i * 37 % 251:x};\n" for i in range(128)))


def declared(text: str, *, output: bool = False) -> tuple[Port, ...]:
    pairs = (each.split(":") for each in text.split())
    return tuple(Port(name, output, int(width)) for name, width in pairs)


def kind(module: str = "everything") -> Kind:
    return Kind(
        module=module,
        clock="clk",
        constants=declared("straps:7"),
        inputs=declared("rst:1 op:3 wide:70 address:5 strobe:2"),
        outputs=declared(
            "result:70 read:13 found:70 own:10 fixed:8 listed:8 some:8 late:1 twice:70 constant:4",
            output=True,
        ),
        nodes=[Instance(module, f"n{i}", {}, {}) for i in range(NODES)],
        contents=declared("CONTENTS:120"),
        read=set(),
        late=("late",),
    )


def outputs(
    verilog: str, of: Kind, folder: Path, constants: list[Words], inputs: Words
) -> list[Words]:
    """Return the outputs of all nodes after each cycle; `inputs` are by cycle, node and word."""
    library = ctypes.CDLL(str(Builder(folder).build({of.module: verilog}, [of]).nodes[of.module]))
    nodes = create(library, constants)
    each = sum(words(port.width) for port in of.outputs)
    starts = np.cumsum([0, *(words(port.width) for port in of.inputs)])
    places = np.arange(NODES)[:, None] * starts[-1] + starts[None, :-1] << 6
    begins = np.ascontiguousarray(places, np.uint32)
    found = []
    for now in inputs:
        after = np.zeros((NODES, each), np.uint64)
        pointers = (array.ctypes.data for array in (now, after, begins))
        library.step(ctypes.c_void_p(nodes), *map(ctypes.c_void_p, pointers))
        found.append(after)
    library.destroy(ctypes.c_void_p(nodes))
    return found


def test_everything_is_as_in_verilator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "OPTIMISE", "-O0")
    draw, of = np.random.default_rng(1), kind()
    constants = [draw.integers(0, 1 << 64, 1 + 2, np.uint64) for _ in range(NODES)]
    wide = sum(words(port.width) for port in of.inputs)
    inputs = draw.integers(0, 1 << 64, (CYCLES, NODES, wide), np.uint64)
    inputs[:, :, 0] = draw.integers(0, 20, (CYCLES, NODES)) == 0
    inputs[0, :, 0] = 1  # In Verilator, constants are there from the second cycle on.
    monkeypatch.setattr(building, "SEVERAL", NODES)
    side_by_side = outputs(EVERYTHING, of, tmp_path, constants, inputs)
    monkeypatch.setattr(building, "SEVERAL", NODES + 1)
    for cycle, (seen, expected) in enumerate(
        zip(side_by_side, outputs(EVERYTHING, of, tmp_path, constants, inputs), strict=True)
    ):
        wrong = np.argwhere(seen != expected)
        assert not len(wrong), (cycle, wrong[0], seen[*wrong[0]], expected[*wrong[0]])
    assert len({after.tobytes() for after in side_by_side}) == CYCLES


def test_refuses_a_register_of_another_clock() -> None:
    other = EVERYTHING.replace("always @(posedge clk) begin", "always @(posedge rst) begin")
    message = r"^Gates of everything have a register of another clock$"
    with pytest.raises(BenchError, match=message):
        gates(kind(), other)


STATIONS, TURNS = 5, 200

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
  reg [39:0] given = 0, all [0:{TURNS - 1}];
  wire [{STATIONS * 38 + 31}:0] seen;
  integer cycle, row;
  bench bench(.clk(clk), .rst(rst), .given(given), .seen(seen));
  initial begin
    $readmemh("given.hex", all);
    repeat (4) #1 clk = !clk;
    rst = 0;
    for (cycle = 0; cycle < {TURNS}; cycle = cycle + 1) begin
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
    return np.random.default_rng(1).integers(0, 1 << 40, TURNS, dtype=np.uint64)


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
    assert len(before) > TURNS
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
    for first in range(0, TURNS, 64):
        rows, _ = hardware.record(noise[first : first + 64, None].copy())
        found += (rows + np.array([first, 0, 0], np.uint64)).tolist()
    hardware.close()
    before = in_icarus(tmp_path / "before", [BENCH, pair(), ring(), STATION, ADDER], noise)
    assert found == before
