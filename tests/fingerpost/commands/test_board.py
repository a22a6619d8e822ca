import json
import re
from pathlib import Path

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


LINKED = SMALL + "link: {kind: os-link}\n"


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

    monkeypatch.setattr("fingerpost.commands.board.run_tool", run_tool)
    monkeypatch.setattr("fingerpost.commands.board.find_tool", lambda name: f"/tools/{name}")
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


@pytest.mark.regress
def test_writes_a_node_alone(run: Run, small: Path, tmp_path: Path) -> None:
    small.write_text(LINKED.replace("[2, 2]", "[3, 2]"))
    options = "--part", "node", "--node", "1", "--files", "-o", tmp_path / "out"
    ended = run("board", small, *options)
    assert ended.status == 0
    first, *cables, reset = ended.out.splitlines()[:5]
    assert first.startswith("node 1 of small on ulx3s-85f, ")
    # The middle of a row of three: two along the row, and one to the other row.
    assert cables == [
        "GP0 to GN0 and GN0 from GP0 of node 2",
        "GP1 to GN0 and GN1 from GP0 of node 0",
        "GP2 to GN2 and GN2 from GP2 of node 4",
    ]
    assert reset == "GP27, the reset, and ground to all boards"
    pins = (tmp_path / "out" / "small_board_1.lpf").read_text()
    # Of the board's own constraints, ulx3s_v20.lpf: gp[0], gn[2], gp[27], btn[1].
    for port, pin in (
        ("link_out[0]", "B11"), ("link_in[2]", "B10"), ("reset_n", "D13"), ("button", "R1")
    ):  # fmt: skip
        assert f'LOCATE COMP "{port}" SITE "{pin}";' in pins
    assert 'IOBUF PORT "link_in[0]" IO_TYPE=LVCMOS33 PULLMODE=DOWN;' in pins
    assert 'IOBUF PORT "reset_n" IO_TYPE=LVCMOS33 PULLMODE=UP;' in pins
    top = (tmp_path / "out" / "small_board_1.v").read_text()
    assert set(re.findall(r'COMP "(\w+)', pins)) == set(
        re.findall(r"(?:input|output|inout) (?:\[\d+:0\] )?(\w+)", top)
    )


def test_a_board_has_so_many_pins() -> None:
    with pytest.raises(ValueError, match=r"^--board ulx3s-12f has pins for 11 links of a node, n"):
        board("ulx3s-12f").node_pins(12)


@pytest.mark.parametrize("name", BOARDS)
def test_every_board_has_what_is_needed(name: str) -> None:
    known = board(name)
    assert known.clock_hz == 25_000_000
    pins = known.node_pins(11)
    assert len({*pins.values()}) == len(pins) == 10 + 2 + 2 * 11
    assert known.device.endswith(f"-{known.options[0][2:-1]}F")


@pytest.mark.regress
@pytest.mark.parametrize(
    ("text", "part", "top"),
    [(SMALL, (), "small_board"), (LINKED, ("--part", "node", "--node", "1"), "small_board_1")],
    ids=["network", "node"],
)
def test_real_tools_meet_the_clock(
    text: str, part: tuple[str, ...], top: str, run: Run, small: Path, tmp_path: Path
) -> None:
    """A network of four nodes as it goes onto a board, and a node of one that goes onto four."""
    small.write_text(text)
    ended = run("board", small, "--board", "ulx3s-25f", *part, "-o", tmp_path / "out")
    assert ended.status == 0
    found = re.search(r"Fmax ([\d.]+) MHz; the clock has 25", ended.out)
    assert found
    assert float(found[1]) > 25
    assert (tmp_path / "out" / f"{top}.bit").stat().st_size > 10_000
