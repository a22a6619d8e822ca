"""Boards with a node each that are one network, in simulation: what their UARTs tell."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import Network, build
from fingerpost.golden.parameters import ParameterError
from fingerpost.hdl.board import cables, node_board_verilog
from fingerpost.hdl.export.generate import generate
from tests.hdl.simulators import icarus, listed

HERE = Path(__file__).parent

PAIR: dict[str, Any] = {
    "name": "pair",
    "topology": {"family": "grid", "sizes": [2]},
    "routing": {"algorithm": "dimension-order"},
    "router": {"flit_width": 16, "buffer_depth": 2},
    "link": {"kind": "os-link", "clocks_per_bit": 4},
    "terminal": {"kind": "axi-stream"},
}
TREES: dict[str, Any] = {
    "topology": {"family": "kyklos", "m": 2, "r": 1, "n": 2},
    "routing": {"algorithm": "m"},
    "router": {"flit_width": 24, "buffer_depth": 2},
}
ROW: dict[str, Any] = {"topology": {"family": "grid", "sizes": [3]}}
DIVISOR = 2
COUNTS = "sent", "received", "wrong"

BOARD = """
  reg clk_{v} = 0;
  always #{half} clk_{v} = !clk_{v};
  wire [{last}:0] out_{v};
  wire tx_{v};
  wire [7:0] led_{v};
  {name}_board_{v} board_{v}(
    .clk(clk_{v}), .button(1'b0), .reset_n(reset_n), .link_in({{{incoming}}}), .link_out(out_{v}),
    .tx(tx_{v}), .led(led_{v})
  );
  uart uart_{v}(.tx(tx_{v}), .led(led_{v}));
"""


def bench(network: Network, lines: int) -> str:
    """All boards, with cables by the numbers of nodes and ports, and clocks up to 1 % apart."""
    topology = network.topology
    text = ["`timescale 1ns/1ps", "module boards;", "  wire reset_n;", "  pullup(reset_n);"]
    for v in range(topology.nodes):
        joined = cables(network, v)
        ends = [f"out_{cable.neighbour}[{cable.there}]" for cable in reversed(joined)]
        text.append(
            BOARD.format(
                v=v,
                half=5 + 0.05 * (v % 2),
                last=len(joined) - 1,
                name=network.name,
                incoming=", ".join(ends),
            )
        )
    done = " && ".join(f"uart_{v}.lines == {lines}" for v in range(topology.nodes))
    text.append(f"  initial begin wait ({done}); $finish; end\nendmodule")
    uart = (HERE / "node_uart.v").read_text()
    return "\n".join([*text, uart])


def reported(
    network: Network, folder: Path, interval: int, lines: int, change: Callable[[str], str] = str
) -> list[tuple[int, dict[str, int], str]]:
    """What the UARTs tell: node, counts, and the LEDs."""
    generate(network, folder)
    for v in range(network.topology.nodes):
        texts = node_board_verilog(network, v, divisor=DIVISOR, interval=interval)
        for name, text in texts.items():
            (folder / f"{name}.v").write_text(text)
    (folder / "boards.v").write_text(change(bench(network, lines)))
    sources = [*listed(folder), *folder.glob(f"{network.name}_board_*.v"), folder / "boards.v"]
    sources += folder.glob(f"{network.name}_exerciser_*.v")
    lines_told = icarus(folder, "boards", sources)
    print("\n".join(lines_told))  # with `-s`: docs/howto/board.md has some lines
    return [told(line) for line in lines_told]


def told(line: str) -> tuple[int, dict[str, int], str]:
    count = r"([\da-f]{8})"
    found = re.fullmatch(
        rf"node (\d+) sent {count} received {count} wrong {count} led (\d{{8}})", line
    )
    assert found, line
    node, *counts, leds = found.groups()
    return int(node), dict(zip(COUNTS, (int(x, 16) for x in counts), strict=True)), leds


@pytest.mark.regress
@pytest.mark.parametrize(
    ("description", "interval", "lines"),
    [
        (PAIR, 14, 1),
        (PAIR, 15, 3),
        (PAIR | ROW, 16, 1),
        (PAIR | TREES, 16, 1),
    ],
    ids=["pair", "lines", "row", "trees"],
)
def test_boards_are_one_network(
    description: dict[str, Any], interval: int, lines: int, tmp_path: Path
) -> None:
    """All that they have sent together, they have got together."""
    network = build(description)
    every = reported(network, tmp_path, interval, lines)
    nodes = network.topology.nodes
    assert len(every) == lines * nodes
    before = 20
    for start in range(0, len(every), nodes):
        row = every[start : start + nodes]
        assert sorted(node for node, _, _ in row) == [*range(nodes)]
        sent, received, wrong = (sum(counts[name] for _, counts, _ in row) for name in COUNTS)
        assert before < sent == received
        before = sent
        assert wrong == 0
        assert all(leds[-3] == "0" for _, _, leds in row)


@pytest.mark.regress
@pytest.mark.parametrize(
    ("old", "new", "whole"),
    [
        # Node 0 is reset in the middle of everything: all are, or all is lost.
        (".clk(clk_0), .button(1'b0)", ".clk(clk_0), .button(pressed)", True),
        (
            ".clk(clk_0), .button(1'b0), .reset_n(reset_n)",
            ".clk(clk_0), .button(pressed), .reset_n(alone)",
            False,
        ),
        # A cable is broken.
        (".link_in({out_1[0]})", ".link_in(1'b0)", False),
    ],
    ids=["together", "alone", "broken"],
)
def test_what_is_lost_shows(old: str, new: str, whole: bool, tmp_path: Path) -> None:
    network = build(PAIR)

    def change(text: str) -> str:
        assert text.count(old) == 1
        pressed = "reg pressed = 0; initial begin #60000 pressed = 1; #9000 pressed = 0; end"
        head = f"module boards;\n  {pressed}\n  wire alone; pullup(alone);"
        return text.replace(old, new).replace("module boards;", head)

    every = reported(network, tmp_path, 14, 1, change)
    sent, received = (sum(counts[name] for _, counts, _ in every) for name in COUNTS[:2])
    assert (sent == received) is whole


@pytest.mark.parametrize(
    ("more", "node", "message"),
    [
        (
            {"link": {"kind": "flit"}},
            0,
            r"^Boards of one node each need links from chip to chip, .* os-link\}, not flit$",
        ),
        (
            ROW | {"routing": {"algorithm": "up-down"}, "faults": "node:2"},
            2,
            "^Board needs a node with links, and node 2 has none$",
        ),
    ],
)
def test_what_cannot_be_is_told(more: dict[str, Any], node: int, message: str) -> None:
    with pytest.raises((ParameterError, ValueError), match=message):
        node_board_verilog(build(PAIR | more), node, divisor=DIVISOR, interval=14)
