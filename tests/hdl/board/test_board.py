"""A network on a board, in simulation: what comes out of its UART."""

import re
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.kinds import build_any
from fingerpost.golden.network.network import build
from fingerpost.golden.parameters import ParameterError
from fingerpost.hdl.board import LEDS, REPORT, board_verilog
from fingerpost.hdl.board.uart import UartSender
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
    "router": {"flit_width": 24},
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


def test_all_that_is_sent_comes(design: Path) -> None:
    line, led = reported(design, design / "small_board.v")
    told = counts(line)
    assert told["sent"] == told["received"] > 500
    assert told["wrong"] == 0
    assert re.fullmatch(r"led \d{5}011", led)  # nothing wrong, all came, second half
    assert len(LEDS) == 8
    assert len(REPORT) == len(line) + 2


@pytest.mark.regress
@pytest.mark.parametrize(
    "description",
    [SMALL, SMALL | TERMINALS_APART, DEFLECTION],
    ids=["grid", "kyklos", "deflection"],
)
def test_line_by_line(description: dict[str, Any], tmp_path: Path) -> None:
    folder = written(tmp_path, description, INTERVAL)
    *lines, led = reported(folder, folder / "small_board.v", 4)
    told = [counts(line) for line in lines]
    assert led.endswith("011")
    for each in told:
        assert (each["sent"], each["wrong"]) == (each["received"], 0)
    sent = [each["sent"] for each in told]
    assert sent == sorted({*sent})


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
            "^Board needs a flit_width of at least 16, and at most 1024 nodes, not 8 and 2$",
        ),
        ({}, 11, "^Board needs an interval of at least 3840 cycles, four times what a line takes"),
    ],
)
def test_what_cannot_be_is_told(more: dict[str, Any], interval: int, message: str) -> None:
    with pytest.raises((ParameterError, ValueError), match=message):
        board_verilog(build(SMALL | more), divisor=DIVISOR, interval=interval)


def test_uart_needs_time_for_a_bit() -> None:
    with pytest.raises(ValueError, match=r"^UART needs at least 2 cycles a bit, not 1$"):
        UartSender(1)
