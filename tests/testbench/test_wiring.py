"""What is joined to what, and rows of words: small cases by hand."""

import re

import pytest

from fingerpost.testbench.compiled.soundness import paths_through
from fingerpost.testbench.compiled.wiring import Port, Slice, Wiring, WiringError, ports

NODE = """module knot(a, b, clk, y);
  input [3:0] a;
  input b;
  input clk;
  output [7:0] y;
endmodule
module within(c);
  input c;
endmodule
"""

NETWORK = """// A comment, with (brackets).
module net(
  input clk,
  input [5:0] left,
  output [7:0] right
);
  wire [7:0] out_0; wire [7:0] out_1;
  wire [3:0] in_1 = {out_0[7], 1'b0, out_0[2 +: 2]};
  knot node_0( // (0)
    .clk(clk), .a(left[1 +: 4]), .b(1'b1), .y(out_0)
  );
  knot node_1(
    .clk(clk), .a(in_1), .b(left[5]), .y(out_1)
  );
  assign right = {out_1[3:0]};
endmodule
""".replace("{out_1[3:0]}", "{out_0[0 +: 4], out_1[4 +: 4]}")

BENCH = """module bench(
  input clk,
  input rst,
  input [5:0] given,
  output [9:0] seen
);
  wire [5:0] left;
  wire [7:0] right;
  assign {left[0], left[1 +: 5]} = given;
  net n(.clk(clk), .left(left), .right(right));
  assign seen = {{2{n.out_1[0]}}, right};
endmodule
"""

OUT = "n.node_{}.y".format


@pytest.fixture
def wiring() -> Wiring:
    return Wiring(BENCH, [NETWORK], ports(NODE))


def test_ports_are_those_of_the_first_module() -> None:
    expected = (Port("a", False, 4), Port("b", False, 1), Port("clk", False, 1), Port("y", True, 8))
    assert ports(NODE) == {"knot": expected}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("assign right", "initial right", "Wiring needs Verilog as it is generated, not 'initial'"),
        ("in_1),", "in_2),", "Wiring needs names that are declared, not 'in_2'"),
        ("1'b0, ", "~left[0], ", "Wiring needs names that are declared, not '~left[0]'"),
        (".y(out_0)", ".y()", "Wiring needs a driver for n.out_0"),
        (".y(out_0)", ".y(out_0[0 +: 7])", "Wiring needs a driver for bit 7 of n.out_0"),
    ],
)  # fmt: skip
def test_refuses_what_it_does_not_understand(old: str, new: str, message: str) -> None:
    changed = NETWORK.replace(old, new)
    assert changed != NETWORK
    with pytest.raises(WiringError, match=f"^{re.escape(message)}$"):
        source_of_an_input(changed)


def source_of_an_input(network: str) -> list[Slice]:
    wiring = Wiring(BENCH, [network], ports(NODE))
    return wiring.sources(wiring.slices(wiring.nodes[1].connections["a"], wiring.nodes[1].scope))


def test_ports_in_the_header() -> None:
    header = "#(\n  parameter [7:0] W = 0\n) (\n  input [3:0] a,\n  output reg b\n)"
    text = f"module knot {header};\nendmodule\n"
    assert ports(text) == {"knot": (Port("a", False, 4), Port("b", True, 1))}


def cell(kind: str, **ends: tuple[str, list[int]]) -> dict[str, object]:
    return {
        "type": kind,
        "port_directions": {name: direction for name, (direction, _) in ends.items()},
        "connections": {name: bits for name, (_, bits) in ends.items()},
    }


@pytest.mark.parametrize(
    ("kind", "ends"), [("$dff", False), ("$sdffe", False), ("$not", True), ("$memrd", True)]
)
def test_a_path_ends_at_a_register(kind: str, ends: bool) -> None:
    module = {
        "ports": {
            "a": {"direction": "input", "bits": [2]},
            "b": {"direction": "input", "bits": [3]},
            "y": {"direction": "output", "bits": [5]},
        },
        "cells": {
            "one": cell("$and", A=("input", [2]), B=("input", [3]), Y=("output", [4])),
            "two": cell(kind, A=("input", [4]), Y=("output", [5])),
        },
    }
    assert paths_through(module, ["a", "b"]) == ([("a", "y"), ("b", "y")] if ends else [])
    assert paths_through(module, []) == []
