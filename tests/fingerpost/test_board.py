import json
import re
from pathlib import Path
from typing import Any

import pytest

from fingerpost.boards import BOARDS, board
from tests.fingerpost.common import NETWORKS, Run

NET = NETWORKS / "petersen.yaml"

SMALL = """\
name: small
topology: {family: grid, sizes: [2, 2]}
routing: {algorithm: dimension-order}
router: {flit_width: 16}
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    (tmp_path / "small.yaml").write_text(SMALL)
    return tmp_path / "small.yaml"


def tools(command: list[str], folder: Path) -> None:
    """Stand-ins for the tools."""
    name = Path(command[0]).name
    if "nextpnr" in name:
        counted = {"used": 5, "available": 100}
        names = "TRELLIS_COMB", "TRELLIS_FF", "TRELLIS_RAMW", "DP16KD"
        report = {"utilization": dict.fromkeys(names, counted), "fmax": {"c": {"achieved": 77.0}}}
        (folder / command[command.index("--report") + 1]).write_text(json.dumps(report))
    if "ecppack" in name:
        (folder / command[-1]).write_bytes(b"\0" * 1234)


def test_makes_a_bitstream(
    run: Run, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[list[str]] = []

    def run_tool(command: list[str], folder: Path) -> None:
        calls.append(command)
        tools(command, folder)

    monkeypatch.setattr("fingerpost.board.run_tool", run_tool)
    monkeypatch.setattr("fingerpost.board.find_tool", lambda name: f"/tools/{name}")
    ended = run("board", small, "--board", "ulx3s-45f", "-o", tmp_path)
    assert ended.status == 0
    assert "a line each 0.67 s at 115207 baud" in ended.out
    assert "     5 of 100, 5%: flip-flops" in ended.out
    assert "Fmax 77.0 MHz; the clock has 25" in ended.out
    assert f"{tmp_path / 'small_board.bit'}, 1234 bytes" in ended.out
    yosys, nextpnr, _ = calls
    assert "small_exerciser.v small_board.v; synth_ecp5 -top small_board" in yosys[-1]
    chip = ["--45k", "--package", "CABGA381", "--speed", "6"]
    assert nextpnr[1:6] == chip


def test_writes_the_design_alone(run: Run, small: Path, tmp_path: Path) -> None:
    tmp_path /= "out"
    ended = run("board", small, "--files", "-o", tmp_path)
    assert ended.status == 0
    files = {Path(line).name for line in ended.out.splitlines()[1:]}
    assert files == {path.name for path in tmp_path.iterdir()}
    assert {"small_board.v", "small_exerciser.v", "small_board.lpf"} < files
    pins = (tmp_path / "small_board.lpf").read_text()
    # Of the board's own constraints, ulx3s_v20.lpf: clk_25mhz, ftdi_rxd, led.
    assert 'LOCATE COMP "clk" SITE "G2";' in pins
    assert 'LOCATE COMP "tx" SITE "L4";' in pins
    leds = re.findall(r'COMP "led\[\d\]" SITE "(\w+)"', pins)
    assert leds == ["B2", "C2", "C1", "D2", "D1", "E2", "E1", "H3"]
    assert 'FREQUENCY PORT "clk" 25.000 MHZ;' in pins


@pytest.mark.parametrize("name", BOARDS)
def test_every_board_has_what_is_needed(name: str) -> None:
    known = board(name)
    assert known.clock_hz == 25_000_000
    assert len({*known.pins.values()}) == len(known.pins) == 10
    assert known.device.endswith(f"-{known.options[0][2:-1]}F")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            (NET, "--board", "ulx4"),
            "--board needs ulx3s-12f, ulx3s-25f, ulx3s-45f or ulx3s-85f, not 'ulx4'",
        ),
        ((NET, "--baud", "20000000"), "--baud needs a number in 1..12500000, not 20000000"),
        (
            (NETWORKS / "borel-21-os-link.yaml",),
            "Board needs one clock for all nodes, as with link: {kind: flit}, not os-link",
        ),
    ],
)
def test_what_cannot_be_is_told_in_a_line(
    run: Run, tmp_path: Path, options: tuple[Any, ...], told: str
) -> None:
    ended = run("board", *options, "-o", tmp_path / "new")
    assert ended.status != 0
    assert re.fullmatch(rf"fingerpost: {re.escape(told)}\n", ended.err)


@pytest.mark.regress
def test_real_tools_meet_the_clock(run: Run, small: Path, tmp_path: Path) -> None:
    """A network of four nodes, as it goes onto a board."""
    ended = run("board", small, "--board", "ulx3s-25f", "-o", tmp_path / "out")
    assert ended.status == 0
    found = re.search(r"Fmax ([\d.]+) MHz; the clock has 25", ended.out)
    assert found
    assert float(found[1]) > 25
    assert (tmp_path / "out" / "small_board.bit").stat().st_size > 10_000
