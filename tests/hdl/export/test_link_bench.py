"""The bench for OS-Link terminals: it passes, and it can fail."""

import re
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.export.bench import bench
from fingerpost.hdl.export.bench_plan import longest_pause, plan
from fingerpost.hdl.export.link_bench import FAULTS as KNOWN
from fingerpost.netfile.source import load as load_file
from fingerpost.testbench.toolchain import environment
from tests.fingerpost.common import NETWORKS
from tests.hdl.export.test_bench import STAR, build_and_run, copied, fusesoc, made, run
from tests.hdl.export.test_cocotb_bench import OS_LINK
from tests.networks import load

LONG = pytest.mark.regress
PASSED = r"^PASS: (\d+) packets of 0 to (\d+) bytes, \d+ cycles$"


def four(**terminal: Any) -> Network:
    """Return four nodes in a square: it takes two seconds."""
    return build(
        {
            "name": "four",
            "topology": {"family": "grid", "sizes": [2, 2]},
            "routing": {"algorithm": "dimension-order"},
            "terminal": {**OS_LINK, **terminal},
        }
    )


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("four")
    made(folder, four())
    return folder


def test_all_packets_come(generated: Path, tmp_path: Path) -> None:
    copied(generated, tmp_path)
    passes(tmp_path, "four", 4 * 3, 16)


def passes(folder: Path, name: str, packets: int, longest: int) -> None:
    ended = build_and_run(folder, name)
    assert ended.returncode == 0, ended.stdout
    found = re.fullmatch(PASSED, ended.stdout.strip())
    assert found, ended.stdout
    assert (int(found[1]), int(found[2])) == (packets, longest)


KYKLOS = load("kyklos-2-2-4").description
OTHERS: dict[str, tuple[Network, int, int]] = {
    "petersen-transputers": (load_file(NETWORKS / "petersen-transputers.yaml"), 10 * 9, 16),
    # Every node has a table of its own, and a clock; between them are OS-Links, too.
    "links": (build({"name": "ring", **STAR, "terminal": OS_LINK, "link": OS_LINK}), 6 * 5, 16),
    # Leaves alone have terminals.
    "leaves": (
        build(
            {
                **KYKLOS,
                "topology": {"family": "kyklos", "m": 2, "r": 2, "n": 2},
                "terminal": OS_LINK,
                "counters": {"kind": "axi-lite"},
            }
        ),
        4 * 3,
        16,
    ),
    "late": (four(acknowledge="late", longest=3), 4 * 3, 3),
    "one byte": (four(fifo=1), 4 * 3, 16),
    # The shortest time-outs, which no pause must reach.
    "impatient": (four(timeout=64, stop="ignored", longest=0), 4 * 3, 0),
    "slots": (four(timeout=64, slot=16, clocks_per_bit=5), 4 * 3, 16),
}


@LONG
@pytest.mark.parametrize("name", OTHERS)
def test_all_packets_come_in(tmp_path: Path, name: str) -> None:
    network, packets, longest = OTHERS[name]
    passes(tmp_path, made(tmp_path, network), packets, longest)


AGE = "reg [15:0] age = 0; always @(posedge clk) age <= age + 1; "
"""The number of the cycle."""

ECHO = "reg [5:0] left = 0; always @(posedge clk) left <= left ? left - 1 : link_out[3] ? 48 : 0;"
"""Less and less behind a rise, and 0 until the next."""

IN = "assign link_in[1] = link_in_1;"
OUT = "assign link_out_1 = link_out[1];"
DATA = "\n    .s_axis__tdata(s_axis_tdata_2),"
EXCHANGED = "{s_axis_tdata_2[23:16], s_axis_tdata_2[31:24], s_axis_tdata_2[15:0]}"
MARK = "\n    .s_axis__tuser(s_axis_tuser_2),"

FAULTS = {
    "glitch": (
        "links",
        OUT,
        f"{AGE} assign link_out_1 = link_out[1] | age == 20;",
        "node 1: a pulse shorter than a bit",
    ),
    "high wire": (
        "links",
        OUT,
        f"{AGE} assign link_out_1 = link_out[1] | age > 600;",
        "node 1: a byte without a stop bit",
    ),
    "acknowledge for nothing": (
        "links",
        OUT,
        f"{AGE} assign link_out_1 = link_out[1] | age / 4 == 10;",
        "node 1: an acknowledge for nothing",
    ),
    # Acknowledges come to the port behind whatever it sends.
    "byte too early": (
        "links",
        "assign link_in[3] = link_in_3;",
        f"{ECHO} assign link_in[3] = link_in_3 | left / 4 == 8;",
        "node 3: a byte before the last one was acknowledged",
    ),
    "acknowledge lost": (
        "links",
        "assign link_out_0 = link_out[0];",
        f"{AGE} assign link_out_0 = link_out[0] & age < 2330;",
        "node 0: a byte that is not acknowledged",
    ),
    "sources exchanged": (
        "network",
        ".head({2'd3, header_3})",
        ".head({2'd1, header_3})",
        "node [02]: a packet of another length",
    ),
    "source that is another": (
        "network",
        ".head({2'd3, header_3})",
        ".head({2'd0, header_3})",
        "node 0: a packet of a node that sent none here",
    ),
    "other length": (
        "network",
        DATA,
        DATA.replace("tdata_2", "tdata_2 ^ 32'h1"),
        "node [013]: a packet of another length",
    ),
    "bytes exchanged": (
        "network",
        DATA,
        DATA.replace("s_axis_tdata_2", EXCHANGED),
        "node [013]: other data than were sent",
    ),
    "mark": (
        "network",
        MARK,
        MARK.replace("s_axis_tuser_2", "1'b1"),
        "node [013]: a status other than 0",
    ),
    "wrong header": (
        "headers",
        "2'd1: entry = {1'b1, 2'h1}",
        "2'd1: entry = {1'b1, 2'h3}",
        "node 3: a packet (of another length|for the second time)",
    ),
    "packets that are refused": (
        "headers",
        "2'd2: entry = {1'b1, ",
        "2'd2: entry = {1'b0, ",
        r"refused (?!0+,)\w+, expired 0+, lost 0+, flaws 0+, .*\n.* FAIL: 9 of 12 packets",
    ),
    "message that is lost": (
        "network",
        ".known(known_2 & ~stranger_2)",
        ".known(known_2 & ~stranger_2 & s_axis_tdest_2 != 0)",
        r"refused (?!0+,)\w+, .*\n.* FAIL: 11 of 12 packets",
    ),
    "terminal that is never heard": (
        "links",
        IN,
        "assign link_in[1] = 1'b0;",
        r"FAIL: \d of 12 packets came, 0 faults",
    ),
}


SHORT = "bytes exchanged", "glitch"


@pytest.mark.parametrize(
    "fault",
    [fault if fault in SHORT else pytest.param(fault, marks=LONG) for fault in FAULTS],
)
def test_fault_is_found(generated: Path, tmp_path: Path, fault: str) -> None:
    module, sound, faulty, told = FAULTS[fault]
    copied(generated, tmp_path)
    path = tmp_path / f"four_{module}.v"
    before = path.read_text()
    assert before.count(sound) == 1
    path.write_text(before.replace(sound, faulty))
    fails(tmp_path, told)


@LONG
def test_acknowledge_that_is_too_early_is_found(tmp_path: Path) -> None:
    """A T800 may fail if the last byte of a message is acknowledged before its end."""
    made(tmp_path / "sound", four(acknowledge="late"))
    copied(tmp_path / "sound", tmp_path)
    made(tmp_path / "early", four())
    port = "four_terminal.v"
    (tmp_path / port).write_text((tmp_path / "early" / port).read_text())
    fails(tmp_path, "node 0: an acknowledge before the end of a byte")


def fails(folder: Path, told: str) -> None:
    ended = build_and_run(folder, "four")
    assert ended.returncode == 1
    assert re.search("FAIL: ", ended.stdout)
    assert re.search(told, ended.stdout), ended.stdout


def test_a_fault_of_every_kind_is_planted() -> None:
    told = [told for *_, told in FAULTS.values()]
    others = [fault for fault in KNOWN if not any(fault in each for each in told)]
    assert others == ["an acknowledge before the end of a byte"]  # it has a test of its own


def test_pauses_are_shorter_than_any_time_out() -> None:
    # 2 packets, as long as a slot, and a byte and its acknowledge may go in the rest.
    for timeout, slot, pause in ((0, 0, 64), (64, 16, 16), (255, 0, 63), (1020, 255, 64)):
        network = four(timeout=timeout, slot=slot)
        assert longest_pause(network) == pause
        assert not timeout or 2 * slot + 13 + pause < timeout


def test_it_waits_for_bits() -> None:
    assert (plan(four()).limit, plan(four()).calm) == (16_000, 400)
    assert plan(four(clocks_per_bit=10, slot=50)).calm == 1500
    network = build({"name": "ring", **STAR, "terminal": OS_LINK, "link": OS_LINK})
    assert plan(network).limit == 160_000


def test_large_networks_send_a_few_packets() -> None:
    description = load("borel-1081").description
    text = bench(build({**description, "terminal": {"kind": "os-link", "longest": 7}}))
    assert text is not None
    assert "EACH = 3, STRIDE = 360, PACKETS = 3243;" in text
    assert "CLOCKS = 5, LONGEST = 7, PAUSE = 64, LATE = 0, SHORT = 0;" in text
    assert ".link_in_1080(says[1080]), .link_out_1080(hears[1080])" in text


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
@pytest.mark.parametrize("name", ["petersen-transputers", "links", "late"])
def test_verilator_agrees_with_icarus_without_a_warning(tmp_path: Path, name: str) -> None:
    name = made(tmp_path / "made", OTHERS[name][0])
    said = build_and_run(tmp_path / "made", name).stdout.strip()
    command = "verilator", "--binary", "--top-module", f"{name}_testbench", "-F", f"made/{name}.f"
    run(*command, f"made/{name}_testbench.v", folder=tmp_path, **environment("verilator"))
    assert re.search(PASSED, said)
    assert run(f"obj_dir/V{name}_testbench", folder=tmp_path).splitlines()[0] == said
