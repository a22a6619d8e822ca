"""The bench for AXI4-Stream terminals: it passes, and it can fail."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.export.bench import bench
from fingerpost.testbench.toolchain import environment
from tests.hdl.export.test_bench import STAR, build_and_run, copied, fusesoc, made, run
from tests.hdl.export.test_cocotb_bench import OS_LINK
from tests.networks import load

LONG = pytest.mark.regress
PASSED = r"^PASS: (\d+) packets of 1 to 4 beats, \d+ cycles$"


def four(bytes: int = 2, **terminal: Any) -> Network:
    """Return four nodes in a square: it takes less than a second."""
    return build(
        {
            "name": "four",
            "topology": {"family": "grid", "sizes": [2, 2]},
            "routing": {"algorithm": "dimension-order"},
            "router": {"flit_width": 8 * bytes},
            "terminal": {"kind": "axi-stream", **terminal},
        }
    )


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("four")
    made(folder, four())
    return folder


@pytest.mark.parametrize(
    ("network", "packets"),
    [
        (four(), 4 * 3),
        # Where there is one byte there is no tkeep.
        (four(1, timeout=1), 4 * 3),
        # Terminals on a clock of their own, and a time-out that a pause must not reach.
        (four(8, clock="own", timeout=8), 4 * 3),
        # Packets of 2 beats wait for a grant.
        (four(flow_control="end-to-end", eager=1), 4 * 3),
        pytest.param(load("mesh-4x4-flow"), 16 * 15, marks=LONG),
        # Every node has a table of its own; every node has a clock of its own.
        pytest.param(
            build({"name": "ring", **STAR, "terminal": {"kind": "axi-stream"}, "link": OS_LINK}),
            6 * 5,
            marks=LONG,
        ),
        # Leaves alone have terminals.
        pytest.param(
            build(
                {
                    **load("kyklos-2-2-4").description,
                    "terminal": {"kind": "axi-stream"},
                    "counters": {"kind": "axi-lite"},
                }
            ),
            16 * 15,
            marks=LONG,
        ),
        pytest.param(load("mesh-4x4-axi"), 16 * 15, marks=LONG),
        pytest.param(load("borel-21-axi"), 21 * 20, marks=LONG),
    ],
    ids=lambda value: value.name if isinstance(value, Network) else str(value),
)
def test_all_packets_come(tmp_path: Path, network: Network, packets: int) -> None:
    ended = build_and_run(tmp_path, made(tmp_path, network))
    assert ended.returncode == 0, ended.stdout
    found = re.fullmatch(PASSED, ended.stdout.strip())
    assert found
    assert int(found[1]) == packets


@LONG
def test_no_packet_is_longer_than_flow_control_allows(tmp_path: Path) -> None:
    network = four(flow_control="end-to-end", packet_limit=2, clock="own")
    ended = build_and_run(tmp_path, made(tmp_path, network))
    assert re.match("PASS: 12 packets of 1 to 2 beats", ended.stdout), ended.stdout


PULSE = "reg pulse = 0; always @(posedge clk) pulse <= !pulse;"
"""A signal that is high in every second cycle."""

FAULTS = {
    "beat that is withdrawn": (
        "streams",
        "assign m_axis_1_tvalid = ",
        f"{PULSE} assign m_axis_1_tvalid = pulse && ",
        "node 1: a beat was offered, and changed before it was taken",
    ),
    "source that is another": (
        "streams",
        "assign m_axis_1_tuser = m_axis_tuser[3 +: 3]",
        "assign m_axis_1_tuser = 3'b010",
        "node 1: a packet of a node that sent none here",
    ),
    "source that changes": (
        "streams",
        "assign m_axis_1_tuser = ",
        f"{PULSE} assign m_axis_1_tuser = {{pulse, 2'b00}} ^ ",
        "node 1: a beat of another source inside a packet",
    ),
    "sources exchanged": (
        "network",
        ".head({2'd3, header_3})",
        ".head({2'd1, header_3})",
        "node [02]: other data than were sent",
    ),
    "packets that are cut": (
        "network",
        ".s_axis__tlast(s_axis_tlast[2])",
        ".s_axis__tlast(1'b1)",
        "a packet of another length",
    ),
    "bytes that nobody sent": (
        "network",
        ".s_axis__tkeep(s_axis_tkeep[4 +: 2])",
        ".s_axis__tkeep(2'b11)",
        "node [03]: other bytes in use than were sent",
    ),
    "inverted bit": (
        "network",
        ".s_axis__tdata(s_axis_tdata[48 +: 16])",
        ".s_axis__tdata(s_axis_tdata[48 +: 16] ^ 16'h80)",
        "node [012]: other data than were sent",
    ),
    "mark that is lost": (
        "network",
        ".s_axis__tuser(s_axis_tuser[1])",
        ".s_axis__tuser(1'b0)",
        "node 2: another error mark than was sent",
    ),
    "number that is another": (
        "network",
        "assign m_axis_tdest[4 +: 2] = 2'd2",
        "assign m_axis_tdest[4 +: 2] = 2'd3",
        "node 2: a beat whose tdest is another node",
    ),
    "wrong header": (
        "headers",
        "2'd1: entry = {1'b1, 2'h1}",
        "2'd1: entry = {1'b1, 2'h3}",
        "node 3: ",
    ),
    # It is there for ever: the bench ends all the same.
    "beat that is never taken": (
        "network",
        ".m_axis__tready(m_axis_tready[1])",
        ".m_axis__tready(1'b0)",
        "node 1: a packet (of another length|for the second time)",
    ),
    "packets that are refused": (
        "headers",
        "2'd2: entry = {1'b1, ",
        "2'd2: entry = {1'b0, ",
        r"refused (?!0+,)\w+, expired 0+, errors 0+, overruns 0+\n.* FAIL: 9 of 12 packets",
    ),
    "terminal that is never heard": (
        "streams",
        "assign s_axis_tvalid[3] = s_axis_3_tvalid",
        "assign s_axis_tvalid[3] = 1'b0",
        "FAIL: 9 of 12 packets came, 0 faults",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_found(generated: Path, tmp_path: Path, fault: str) -> None:
    module, sound, faulty, told = FAULTS[fault]
    copied(generated, tmp_path)
    path = tmp_path / f"four_{module}.v"
    before = path.read_text()
    assert before.count(sound) == 1
    path.write_text(before.replace(sound, faulty))
    ended = build_and_run(tmp_path, "four")
    assert ended.returncode == 1
    assert re.search("FAIL: ", ended.stdout)
    assert re.search(told, ended.stdout), ended.stdout


@pytest.mark.parametrize("several", [False, True], ids=["one clock", "clocks"])
def test_template_and_core_are_of_the_module_with_separate_ports(
    generated: Path, tmp_path: Path, several: bool
) -> None:
    if several:
        made(tmp_path, four(clock="own"))
    else:
        copied(generated, tmp_path)
    core = yaml.safe_load((tmp_path / "four.core").read_text())
    assert core["targets"]["default"]["toplevel"] == "four_streams"
    command = "iverilog", "-g2005", "-Wall", "-s", "four_template", "-o", "out", "-f", "four.f"
    assert run(*command, "four_template.v", folder=tmp_path) == ""
    verilog = (tmp_path / "four_streams.v").read_text()
    ports = re.findall(r"^  (?:input|output) (?:\[.*\] )?(\w+),?$", verilog, flags=re.M)
    # clk, rst, 4 counters, 7 signals of each of 2 streams, clock and reset.
    assert len(ports) == 6 + 4 * (2 * 7 + 2 * several)
    template = (tmp_path / "four_template.v").read_text()
    assert re.findall(r"^    \.(\w+)\(\1\)", template, flags=re.M) == ports
    assert "  reg  [15:0] s_axis_3_tdata = 0; // data\n" in template
    assert "  wire m_axis_2_tvalid; // there is a beat for terminal 2\n" in template


def test_pauses_only_where_no_time_out_is_that_short() -> None:
    for timeout, pauses in ((0, 1), (7, 0), (8, 1)):
        text = bench(four(timeout=timeout))
        assert text is not None
        assert f"PAUSES = {pauses};" in text


@LONG
@pytest.mark.parametrize(
    ("target", "simulator"),
    [("sim", "icarus"), pytest.param("sim_verilator", "verilator", marks=pytest.mark.verilator)],
)
def test_fusesoc_runs_it(generated: Path, tmp_path: Path, target: str, simulator: str) -> None:
    copied(generated, tmp_path / "made")
    assert re.search(PASSED, fusesoc(tmp_path, "four", target, simulator), flags=re.M)


@LONG
@pytest.mark.verilator
@pytest.mark.parametrize("terminal", [{}, {"clock": "own"}], ids=["one clock", "clocks"])
def test_verilator_agrees_with_icarus_without_a_warning(
    tmp_path: Path, terminal: dict[str, Any]
) -> None:
    made(tmp_path / "made", four(**terminal))
    said = build_and_run(tmp_path / "made", "four").stdout.strip()
    command = "verilator", "--binary", "--top-module", "four_testbench", "-F", "made/four.f"
    run(*command, "made/four_testbench.v", folder=tmp_path, **environment("verilator"))
    assert re.search(PASSED, said)
    assert run("obj_dir/Vfour_testbench", folder=tmp_path).splitlines()[0] == said
