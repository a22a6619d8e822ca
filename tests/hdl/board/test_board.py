"""A network on a board, and boards with a node each that are one network: what their UARTs tell."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.kinds import build_any
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.parameters import ParameterError
from fingerpost.hdl.board import LEDS, REPORT, board_verilog, cables, node_board_verilog
from fingerpost.hdl.board.exerciser import UartSender
from fingerpost.hdl.export.generate import generate
from scripts import uart
from tests.hdl.simulators import icarus, listed, simulate

HERE = Path(__file__).parent

SMALL: dict[str, Any] = {
    "name": "small",
    "topology": {"family": "grid", "sizes": [2, 2]},
    "routing": {"algorithm": "dimension-order"},
    "router": {"flit_width": 16},
    "terminal": {"kind": "axi-stream"},
}
TERMINALS_APART: dict[str, Any] = {
    "topology": {"family": "kyklos", "m": 2, "r": 1, "n": 2},
    "routing": {"algorithm": "m"},
    "router": {"flit_width": 24, "buffer_depth": 2},
}
DEFLECTION: dict[str, Any] = {
    "name": "small",
    "topology": {"family": "grid", "sizes": [2, 2]},
    "router": {"kind": "deflection"},
    "terminal": {"kind": "axi-stream", "flow_control": "end-to-end"},
}
DIVISOR, INTERVAL = 2, 12
COUNTS = "sent", "received", "wrong"


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("board")
    return written(folder, SMALL, INTERVAL)


def written(folder: Path, description: dict[str, Any], interval: int) -> Path:
    network = build_any(description)
    generate(network, folder)
    for name, text in board_verilog(network, divisor=DIVISOR, interval=interval).items():
        (folder / f"{name}.v").write_text(text)
    return folder


def reported(folder: Path, top: Path, lines: int = 1) -> list[str]:
    sources = [*listed(folder), folder / "small_exerciser.v", top, HERE / "uart_bench.v"]
    return icarus(top.parent, "uart_bench", sources, f"-Puart_bench.LINES={lines}")


def counts(line: str) -> dict[str, int]:
    found = re.fullmatch(r"sent ([\da-f]{8}) received ([\da-f]{8}) wrong ([\da-f]{8})", line)
    assert found, line
    return {name: int(x, 16) for name, x in zip(COUNTS, found.groups(), strict=True)}


@pytest.mark.parametrize(
    ("description", "lines"),
    [
        (SMALL, 1),
        *(
            pytest.param(each, 4, marks=pytest.mark.regress)
            for each in (SMALL, SMALL | TERMINALS_APART, DEFLECTION)
        ),
    ],
    ids=["grid", "long", "kyklos", "deflection"],
)
def test_all_that_is_sent_comes(description: dict[str, Any], lines: int, tmp_path: Path) -> None:
    folder = written(tmp_path, description, INTERVAL)
    *seen, led = reported(folder, folder / "small_board.v", lines)
    told = [counts(line) for line in seen]
    assert all((each["sent"], each["wrong"]) == (each["received"], 0) for each in told)
    sent = [each["sent"] for each in told]
    assert sent == sorted({*sent})
    assert sent[-1] > 50
    assert re.fullmatch(r"led \d{5}011", led)  # nothing wrong, all came, second half
    assert len(LEDS) == 8
    assert len(REPORT) == len(seen[0]) + 2


@pytest.mark.regress
@pytest.mark.verilator
def test_both_simulators_read_the_same(design: Path, tmp_path: Path) -> None:
    """The lines of docs/howto/board.md come from `scripts.uart`, which has a bench of its own."""
    made = uart.simulate(build(SMALL), tmp_path, divisor=DIVISOR, interval=INTERVAL, lines=2)
    *lines, led = reported(design, design / "small_board.v", 2)
    assert [line.partition(" led ")[0] for line in made] == lines
    assert made[-1].endswith(f" led {led.partition(' ')[2]}")


@pytest.mark.regress
@pytest.mark.parametrize(
    ("old", "new"),
    [
        # A bit of data of terminal 0; the source that is told; one that is lost on its way.
        (".m_tdata(m_axis_tdata)", ".m_tdata(m_axis_tdata ^ (m_axis_tdata[9] << 3))"),
        (".m_tuser(m_axis_tuser)", ".m_tuser(m_axis_tuser ^ 12'd2)"),
        (".m_tlast(m_axis_tlast)", ".m_tlast(4'hf)"),
        (".m_tvalid(m_axis_tvalid)", ".m_tvalid(m_axis_tvalid & ~(m_axis_tdata[11:8] == 7))"),
    ],
    ids=["data", "source", "last", "lost"],
)  # fmt: skip
def test_what_is_wrong_is_counted(old: str, new: str, design: Path, tmp_path: Path) -> None:
    text = (design / "small_board.v").read_text()
    assert text.count(old) == 1
    (tmp_path / "faulty.v").write_text(text.replace(old, new))
    line, led = reported(design, tmp_path / "faulty.v")
    told = counts(line)
    assert told["wrong"] > 0
    assert led[-3] == "1"


def test_uart_sends_what_it_is_given() -> None:
    sender = UartSender(3)
    wire: list[int] = []

    async def bench(ctx: Any) -> None:
        ctx.set(sender.data, 0b10110010)
        ctx.set(sender.valid, 1)
        for _ in range(2 + 10 * 3):
            await ctx.tick()
            ctx.set(sender.valid, 0)
            wire.append(ctx.get(sender.tx))

    simulate(sender, bench)
    bits = [0, 0, 1, 0, 0, 1, 1, 0, 1, 1]  # start, the lowest bit first, stop
    assert wire == [bit for bit in bits for _ in range(3)] + [1, 1]


@pytest.mark.parametrize(
    ("more", "interval", "message"),
    [
        ({"router": {"classes": 2}}, 12, "^Board needs classes: 1, not 2$"),
        ({"link": {"kind": "os-link"}}, 12, "^Board needs one clock for all nodes, as with link: "),
        (
            {"topology": {"family": "grid", "sizes": [2]}, "router": {"flit_width": 8}},
            12,
            "^Board needs a flit_width of at least 16, and at most 1024 terminals, not 8 and 2$",
        ),
        ({}, 11, "^Board needs an interval of at least 3840 cycles, four times what a line takes"),
    ],
)
def test_what_cannot_be_is_told(more: dict[str, Any], interval: int, message: str) -> None:
    with pytest.raises(ValueError, match=r"^UART needs at least 2 cycles a bit, not 1$"):
        UartSender(1)
    with pytest.raises((ParameterError, ValueError), match=message):
        board_verilog(build(SMALL | more), divisor=DIVISOR, interval=interval)


PAIR: dict[str, Any] = {
    "name": "pair",
    "topology": {"family": "grid", "sizes": [2]},
    "routing": {"algorithm": "dimension-order"},
    "router": {"flit_width": 16, "buffer_depth": 2},
    "link": {"kind": "os-link", "clocks_per_bit": 4},
    "terminal": {"kind": "axi-stream"},
}
ROW: dict[str, Any] = {"topology": {"family": "grid", "sizes": [3]}}
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


def reported_by_nodes(
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
    found = re.fullmatch(r"node (\d+) (.*) led (\d{8})", line)
    assert found, line
    return int(found[1]), counts(found[2]), found[3]


@pytest.mark.regress
@pytest.mark.parametrize(
    ("description", "interval", "lines"),
    [
        (PAIR, 15, 3),
        (PAIR | ROW, 16, 1),
        (PAIR | TERMINALS_APART, 16, 1),
    ],
    ids=["pair", "row", "trees"],
)
def test_boards_are_one_network(
    description: dict[str, Any], interval: int, lines: int, tmp_path: Path
) -> None:
    """All that they have sent together, they have got together."""
    network = build(description)
    every = reported_by_nodes(network, tmp_path, interval, lines)
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

    every = reported_by_nodes(network, tmp_path, 14, 1, change)
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
def test_what_cannot_be_of_a_node_is_told(more: dict[str, Any], node: int, message: str) -> None:
    with pytest.raises((ParameterError, ValueError), match=message):
        node_board_verilog(build(PAIR | more), node, divisor=DIVISOR, interval=14)
