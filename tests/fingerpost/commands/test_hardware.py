"""Hardware on the command line: boards, ports of transputers, and co-simulation."""

import json
import re
import subprocess
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import fingerpost
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


@pytest.mark.parametrize("name", BOARDS)
def test_every_board_has_what_is_needed(name: str) -> None:
    known = board(name)
    assert known.clock_hz == 25_000_000
    pins = known.node_pins(11)
    assert len({*pins.values()}) == len(pins) == 10 + 2 + 2 * 11
    assert known.device.endswith(f"-{known.options[0][2:-1]}F")
    with pytest.raises(ValueError, match=rf"^--board {name} has pins for 11 links of a node, not"):
        known.node_pins(12)


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


def test_port_is_written_as_asked(run: Run, tmp_path: Path) -> None:
    ended = run("port", "--peer", "t800", "--name", "tp", "--clocks-per-bit", "10", "-o", tmp_path)
    assert (ended.status, ended.err) == (0, "")
    files = [Path(line).name for line in ended.out.splitlines()]
    assert files[0] == "tp.v"
    assert sorted(files) == sorted(path.name for path in tmp_path.iterdir())
    manifest = json.loads((tmp_path / "tp.json").read_text())
    wanted = {"clocks_per_bit": 10, "acknowledge": "late", "stop": "ignored", "breaks": False}
    assert wanted.items() <= manifest["parameters"].items()
    assert (manifest["peer"], manifest["clock"]["bits_per_second"]) == ("t800", 10_000_000)
    for file in files[:-1]:
        text = (tmp_path / file).read_text()
        assert re.search(r"^(//|#) clocks_per_bit 10, fifo 2, acknowledge late", text, flags=re.M)
        assert "SPDX: 0BSD" in text
    ended = run("port", "--registers", "--peer", "c011", "-o", tmp_path / "registers")
    files = [Path(line).name for line in ended.out.splitlines()]
    assert {"os_link_port.v", "os_link_port.rdl", "os_link_port.h"} < {*files}
    assert "s_axil_araddr" in (tmp_path / "registers/os_link_port.v").read_text()


def test_cosim_json(run: Run, borel21: Path, bench: SimpleNamespace) -> None:
    ended = run("cosim", borel21, "--level", "unit", "--json")
    assert ended.status == 0
    told = dict(ended.json)
    del told["provenance"]
    age = datetime.now(UTC) - datetime.fromisoformat(told.pop("date"))
    assert timedelta(0) <= age < timedelta(minutes=1)
    versions = told.pop("versions")
    assert versions["cocotb"] == version("cocotb")
    assert versions["icarus"].split(".")[0] in subprocess.getoutput("iverilog -V").split()[3]
    known = {"network": "borel-21", "level": "unit", "simulator": "icarus", "engine": "cocotb",
             "decisions": 441, "mismatches": 0, "seconds": 1.25, "build_seconds": 2.5,
             "message": "", "results_xml": "results.xml"}  # fmt: skip
    assert told == known | {"schema": 1, **dict.fromkeys(("waveform", "picture", "view"))}
    assert {*ended.err.splitlines()} == {f"a tool in {x} is talking" for x in ("C", "Python")}


def test_cosim_passes_everything_on(
    run: Run, borel21: Path, bench: SimpleNamespace, tmp_path: Path
) -> None:
    options = "--level network --simulator verilator --waves --cycles 50 --seed 7 --load 0.5"
    assert run("cosim", borel21, *options.split(), "--directory", tmp_path).status == 0
    assert run("cosim", borel21).status == 0
    (one, simulator, rest), (two, other, others) = bench.calls
    assert (one.name, one.level, one.cycles, one.seed, one.load) == (
        "borel-21", "network", 50, 7, 0.5,
    )  # fmt: skip
    assert (simulator, rest) == ("verilator", {"waves": True, "directory": tmp_path})
    assert (two.name, two.level, two.nodes, two.seed) == ("borel-21", "unit", None, 0)
    assert (other, others) == ("icarus", {"waves": False, "directory": Path("sim_build")})


@pytest.mark.parametrize(
    ("name", "options", "simulator", "engine"),
    [
        ("hypercube-6", "--simulator icarus", "icarus", "cocotb"),
        ("hypercube-6", "", "verilator", "compiled"),
        ("petersen", "--engine compiled", "verilator", "compiled"),
    ],
)
def test_cosim_chooses_what_runs_a_network(
    run: Run, bench: SimpleNamespace, name: str, options: str, simulator: str, engine: str
) -> None:
    seconds = {"model_cpu_seconds": 0.1, "hardware_cpu_seconds": 0.5}
    bench.finds = {"details": seconds if engine == "compiled" else {}}
    asked = ("cosim", NETWORKS / f"{name}.yaml", "--level", "network", "--cycles", 50)
    facts = run(*asked, *options.split(), "--json").json
    assert (facts["simulator"], facts["engine"], facts["cycles"]) == (simulator, engine, 441)
    assert "decisions" not in facts
    shown = run(*asked, *options.split()).out.splitlines()
    assert f", network in {simulator}, {engine}: 0 mismatches" in shown[0]
    speeds = "cycles per CPU second: model 4,410, hardware 882"
    assert (speeds in shown) == (engine == "compiled")
    assert [(one.cycles, tool) for one, tool, _ in bench.calls] == [(50, simulator)] * 2
    # The interface chooses as the command does.
    chosen = dict(re.findall(r"--(\w+) (\w+)", options))
    found = fingerpost.cosim(fingerpost.load(asked[1]), "network", **chosen)
    assert (found.simulator, found.bench.engine) == (simulator, engine)


def test_cosim_mismatch_is_status_1(run: Run, borel21: Path, bench: SimpleNamespace) -> None:
    bench.finds = {"mismatches": 3, "message": "node 4: port 1, not 2", "waveform": "x.fst"}
    ended = run("cosim", borel21)
    assert (ended.status, ended.out.splitlines()) == (1, [
        "borel-21, unit in icarus: 3 mismatches in 441 decisions; built in 2.5 s, run in 1.2 s",
        "node 4: port 1, not 2",
        "waveform  x.fst",
        "results   results.xml",
    ])  # fmt: skip
    assert run("cosim", borel21, "--json").status == 1


@pytest.mark.parametrize("kind", ["ToolError", "BenchError"])
def test_missing_tool_is_one_line(
    run: Run, borel21: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    def run_without(*_: object, **__: object) -> None:
        raise type(kind, (RuntimeError,), {})("Icarus Verilog is missing:\nrun `apt-get ...`")

    monkeypatch.setattr("fingerpost.testbench.cosim.run", run_without)
    message = "fingerpost: Icarus Verilog is missing: run `apt-get ...`\n"
    assert run("cosim", borel21, "--json") == (2, "", message)


LINES = {"lines": 10, "lines_seen": 9, "toggles": 1000, "toggles_seen": 7}


@pytest.mark.parametrize(
    ("name", "options", "found", "hidden", "shown"),
    [
        (
            "borel-21", "path", {"routes": 441, "mean_hops": 2.5, "max_hops": 4, "decisions": 441},
            {"other": 1}, "441 routes, mean 2.5000 hops to other nodes, most 4",
        ),
        (
            "borel-21-os-link", "clocks",
            {"frames": 420, "delivered": 420, "flits": 1800, "bit_times": 5321.4},
            {"other": 1}, "420 of 420 frames, 1800 flits, in 5321 bit times",
        ),
        (
            "borel-21", "network --lines", {"lines": [LINES] * 2},
            {"other": 1},
            "Verilog   18 of 20 lines, 14 of 2,000 toggles in 2 modules",
        ),
    ],
)  # fmt: skip
def test_what_a_level_counts_is_told(
    run: Run,
    bench: SimpleNamespace,
    name: str,
    options: str,
    found: dict[str, Any],
    hidden: dict[str, float],
    shown: str,
) -> None:
    bench.finds = {"details": found | hidden}
    asked = "cosim", NETWORKS / f"{name}.yaml", "--level", *options.split()
    facts = run(*asked, "--json").json
    assert {key: facts[key] for key in found} == found
    assert hidden.keys() & facts.keys() == set()
    assert shown in run(*asked).out
    assert bool(getattr(bench.calls[0][0], "lines", False)) == ("--lines" in options)
