"""The benches of networks, in plain Verilog and for cocotb: they pass, and they can fail."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.export.benches import cocotb_bench, plan, verilog_bench
from fingerpost.hdl.export.generate import beside, generate
from fingerpost.netfile.source import load as load_file
from fingerpost.testbench.toolchain import environment
from tests.fingerpost.common import NETWORKS
from tests.networks import load, only
from tests.testbench.faults.networks import SEVERAL

LONG = pytest.mark.regress
STAR = {"topology": {"family": "star", "n": 3}, "routing": {"algorithm": "greedy"}}
SQUARE = {
    "topology": {"family": "grid", "sizes": [2, 2]},
    "routing": {"algorithm": "dimension-order"},
}
OS_LINK = {"kind": "os-link", "clocks_per_bit": 4}
COUNTED = {"counters": {"kind": "axi-lite"}}
KYKLOS = load("kyklos-2-2-4").description


def star(**parts: Any) -> Network:
    """Return six nodes in a ring, each with a table of its own: it takes a second."""
    return build({"name": "star-3", **STAR, **parts})


def axi(bytes: int = 2, classes: int = 1, **terminal: Any) -> Network:
    """Return four nodes in a square: it takes less than a second."""
    router = {"flit_width": 8 * bytes, "classes": classes}
    terminal = {"kind": "axi-stream", **terminal}
    return build({"name": "four", **SQUARE, "router": router, "terminal": terminal})


def links(**terminal: Any) -> Network:
    """Return four nodes in a square: it takes two seconds."""
    return build({"name": "four", **SQUARE, "terminal": {**OS_LINK, **terminal}})


def memory(**terminal: Any) -> Network:
    """Return four nodes in a square, two of them with AXI4-Lite: it takes less than a second."""
    regions = [
        {"base": 0x80000000, "size": 0x10000, "node": 3},
        {"base": 0, "size": 0x1000, "nodes": "all"},
    ]
    more: dict[str, Any] = {"name": "four", **SQUARE, "memory_map": terminal.pop("map", regions)}
    more |= {"router": terminal.pop("router", {})}
    return build(more | {"terminal": {"kind": "axi4", "lite": [1, 2], **terminal}})


FAULTS: dict[str, dict[str, dict[str, Any]]] = yaml.load(
    Path(__file__).with_name("faults.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader
)
"""By kind of terminal, and by name."""

SMALL = {"credit": star(), "axi-stream": axi(), "os-link": links(), "axi4": memory()}
"""By kind of terminal the network in which faults are planted."""

CASES: dict[str, dict[str, Any]] = yaml.load(
    Path(__file__).with_name("benches.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader
)
MAKE: dict[str, Callable[..., Network]] = {
    "star": star,
    "axi": axi,
    "links": links,
    "memory": memory,
    "leaves": lambda **parts: build({**KYKLOS, **COUNTED, **parts}),
    "several": lambda **parts: build({**SEVERAL, **parts}),
}


def case(name: str) -> tuple[Network, int, str]:
    """Return a network of the table, how many packets come, and of which size."""
    given = dict(CASES[name])
    packets, size, of = given.pop("packets"), given.pop("size"), given.pop("of", None)
    network = MAKE[of](**given) if of else load_file(NETWORKS / f"{name}.yaml")
    assert isinstance(network, Network)
    return network, packets, size


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return by kind of terminal a folder with what `generate` writes."""
    folders = {kind: tmp_path_factory.mktemp(kind) for kind in SMALL}
    for kind, folder in folders.items():
        generate(SMALL[kind], folder)
    return folders


def run(*command: str | Path, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, env=os.environ | variables, capture_output=True, text=True,
        check=False, timeout=1000,
    )  # fmt: skip


def run_verilog(folder: Path, simulator: str = "icarus") -> subprocess.CompletedProcess[str]:
    """Run the bench by the command that it names, which has nothing to complain of."""
    (bench,) = folder.glob("*_testbench.v")
    named = re.findall(rf"// In {simulator}: (.*)", bench.read_text(), flags=re.I)[0]
    build, simulate = (shlex.split(command) for command in named.split(" && "))
    built = run(*build, folder=folder, **environment(simulator))
    assert (built.returncode, built.stderr) == (0, ""), built.stdout
    return run(folder / simulate[0] if "/" in simulate[0] else simulate[0], *simulate[1:],
               folder=folder)  # fmt: skip


def run_cocotb(folder: Path, simulator: str = "icarus") -> subprocess.CompletedProcess[str]:
    """Run the bench by itself, from another folder."""
    (bench,) = folder.glob("*_cocotb.py")
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    several = environment(simulator, at_edges=True)
    return run(sys.executable, bench, simulator, folder=elsewhere, **several)


RUN = {"verilog": run_verilog, "cocotb": run_cocotb}


@pytest.mark.parametrize("name", only(["star", "flow control", "endpoints", "memory"], CASES))
def test_all_packets_come(name: str, tmp_path: Path) -> None:
    network, packets, size = case(name)
    generate(network, tmp_path)
    ended = run_verilog(tmp_path)
    assert ended.returncode == 0, ended.stdout
    assert re.fullmatch(rf"PASS: {packets} {size}, \d+ cycles\n", ended.stdout)
    if name in {
        "axi of chips",
        "endpoints of chips",
    }:  # No driver can wait for an edge of one clock in a vector.
        assert cocotb_bench(network) is None
        return
    ended = run_cocotb(tmp_path)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert re.search(rf" {packets} {size.split()[0]}, \d+ cycles$", ended.stdout, flags=re.M)


@LONG
@pytest.mark.verilator
@pytest.mark.parametrize(
    "name",
    [
        "narrow",
        "axi of a byte",
        "axi clock",
        "endpoints clock",
        "petersen-transputers",
        "late",
        "memory",
    ],
)
def test_verilator_agrees_with_icarus(name: str, tmp_path: Path) -> None:
    network, packets, size = case(name)
    generate(network, tmp_path)
    said = run_verilog(tmp_path, "verilator").stdout.splitlines()[0]
    assert said == run_verilog(tmp_path).stdout.strip()
    assert said.startswith(f"PASS: {packets} {size}, ")
    ended = run_cocotb(tmp_path, "verilator")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert f" {packets} {size.split()[0]}, " in ended.stdout


SOON = {
    *(("verilog", fault) for fault in ("dead terminal", "glitch")),
    *(
        ("verilog", fault)
        for fault in ("beat that is withdrawn", "sources exchanged", "mark that is lost")
    ),
    ("cocotb", "inverted bit"),
}


@pytest.mark.parametrize(
    ("language", "kind", "fault"),
    [
        pytest.param(language, kind, name, marks=() if (language, name) in SOON else LONG)
        for language in RUN
        for kind, faults in FAULTS.items()
        for name, fault in faults.items()
        if language in fault
    ],
)
def test_fault_is_found(
    language: str, kind: str, fault: str, generated: dict[str, Path], tmp_path: Path
) -> None:
    shutil.copytree(generated[kind], tmp_path, dirs_exist_ok=True)
    path, text = planted(tmp_path, FAULTS[kind][fault])
    path.write_text(text)
    fails(language, tmp_path, FAULTS[kind][fault][language])


def planted(folder: Path, fault: dict[str, Any]) -> tuple[Path, str]:
    """Return the file that a fault is planted in, and its text with the fault."""
    (path,) = folder.glob(f"*_{fault['module']}.v")
    text, places = path.read_text(), (fault["sound"], fault["faulty"])
    for old, new in zip(*places, strict=True) if isinstance(places[0], list) else [places]:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return path, text


@pytest.mark.parametrize("kind", FAULTS)
def test_all_faults_fit_what_is_generated(kind: str, generated: dict[str, Path]) -> None:
    """The long tests plant most of them; a text that is gone is noticed by the short ones."""
    for fault in FAULTS[kind].values():
        planted(generated[kind], fault)


def fails(language: str, folder: Path, told: str) -> None:
    ended = RUN[language](folder)
    assert ended.returncode == 1
    assert language == "cocotb" or "FAIL: " in ended.stdout
    assert re.search(told, ended.stdout + ended.stderr), ended.stdout


@LONG
@pytest.mark.parametrize("language", RUN)
def test_acknowledge_that_is_too_early_is_found(
    language: str, generated: dict[str, Path], tmp_path: Path
) -> None:
    """A T800 may fail if the last byte of a message is acknowledged before its end."""
    generate(links(acknowledge="late"), tmp_path)
    shutil.copy(generated["os-link"] / "four_os_link.v", tmp_path)
    fails(language, tmp_path, "node 0: an acknowledge before the end of a byte")


@pytest.mark.parametrize("kind", SMALL)
def test_a_fault_of_every_kind_is_planted(kind: str) -> None:
    text = verilog_bench(SMALL[kind]) or ""
    told = "".join(fault["verilog"] for fault in FAULTS[kind].values())
    others = [known for known in re.findall(r'fault\(\S+, "(.*)"\)', text) if known not in told]
    # This is told beside others; that has a test of its own.
    assert {*others} <= {
        "a packet that arrived twice", "an acknowledge before the end of a byte"
    }  # fmt: skip


def test_large_networks_send_a_few_packets() -> None:
    sent = plan(load("mesh-8x8"))
    assert (sent.each, sent.stride, sent.packets) == (63, 1, 64 * 63)
    sent = plan(load("borel-1081"))
    # 3 others of 1,080, evenly spread.
    assert (sent.each, sent.stride, sent.packets) == (3, 360, 3 * 1081)
    assert "HEADERS = 1081," in (verilog_bench(load("borel-1081")) or "")


def test_managers_whose_slots_do_not_fit_into_a_memory_do_nothing() -> None:
    region = {"base": 0, "size": 0x1000, "node": 0}
    terminal = {"kind": "axi4", "subordinates": [0]}
    grid = {"family": "grid", "sizes": [17, 16]}
    parts = {"topology": grid, "terminal": terminal, "memory_map": [region]}
    text = verilog_bench(build({"name": "grid", **SQUARE, **parts})) or ""
    # Each has 4 beats of 4 bytes.
    assert "TERMINALS = 256, EACH = 1," in text
    assert ".s_axi_255_awvalid(s_axi_awvalid[255])" in text
    assert ".s_axi_256_awvalid(1'd0)" in text


def test_pauses_are_shorter_than_any_time_out() -> None:
    def said(network: Network, name: str) -> int:
        return int(re.findall(rf"\b{name} = (\d+)", verilog_bench(network) or "")[0])

    assert [said(axi(timeout=timeout), "PAUSES") for timeout in (0, 7, 8)] == [1, 0, 1]
    # 2 packets, as long as a slot, and a byte and its acknowledge may go in the rest.
    for timeout, slot in ((64, 16), (255, 0), (1020, 255)):
        assert 2 * slot + 13 + said(links(timeout=timeout, slot=slot), "PAUSE") < timeout


@pytest.mark.parametrize(
    ("kind", "target", "simulator"),
    [
        ("credit", "sim", "icarus"),
        *(pytest.param(kind, "sim", "icarus", marks=LONG) for kind in ("axi-stream", "os-link")),
        *(
            pytest.param(kind, "sim_verilator", "verilator", marks=[LONG, pytest.mark.verilator])
            for kind in SMALL
        ),
    ],
)
def test_fusesoc_runs_it(
    kind: str, target: str, simulator: str, generated: dict[str, Path], tmp_path: Path
) -> None:
    shutil.copytree(generated[kind], tmp_path / "made")
    core = f"fingerpost:networks:{SMALL[kind].name.replace('-', '_')}"
    command = "fusesoc", "--cores-root", "made", "run", "--target", target, core
    variables = environment(simulator)
    path = str(Path(sys.executable).parent), variables.get("PATH", os.environ["PATH"])
    ended = run(*command, folder=tmp_path, **variables | {"PATH": os.pathsep.join(path)})
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert re.search(r"^PASS: \d\d (packets|transfers) of ", ended.stdout, flags=re.M)


def test_none_where_terminals_speak_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.hdl.export.benches.has_template", lambda _: False)
    files = beside(star(), ["star_3_router.v"])
    assert not {"star_3_testbench.v", "star_3_cocotb.py"} & {*files}
    assert list(yaml.safe_load(files["star_3.core"])["targets"]) == ["default"]


@pytest.mark.parametrize(
    ("network", "top", "module", "ports"),
    [
        # With ports of each node; side by side they are 10.
        (star(), "star_3_network", "star_3_vectors", 10),
        # clk, rst; 4 counters, 7 signals of each of 2 streams; clock and reset.
        (axi(), "four_streams", "four_streams", 2 + 4 * (4 + 2 * 7)),
        (axi(clock="own"), "four_streams", "four_streams", 2 + 4 * (4 + 2 * 7 + 2)),
        # clk, rst; 4 counters, signals of both sides: 37 of AXI4, 19 of AXI4-Lite.
        (memory(), "four_memory", "four_memory", 2 + 4 * 4 + 2 * 2 * (37 + 19)),
    ],
)
def test_template_and_core_are_of_the_module_with_separate_ports(
    network: Network, top: str, module: str, ports: int, tmp_path: Path
) -> None:
    generate(network, tmp_path)
    name = module.rpartition("_")[0]
    core = yaml.safe_load((tmp_path / f"{name}.core").read_text())
    assert core["targets"]["default"]["toplevel"] == top
    top = f"{name}_template"
    command = "iverilog", "-g2005", "-Wall", "-s", top, "-o", "out", "-f", f"{name}.f", f"{top}.v"
    ended = run(*command, folder=tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    verilog = (tmp_path / f"{module}.v").read_text()
    there = re.findall(r"^  (?:input|output) (?:\[.*\] )?(\w+),?$", verilog, flags=re.M)
    assert len(there) == ports
    assert re.findall(r"^    \.(\w+)\(\1\)", (tmp_path / f"{top}.v").read_text(), re.M) == there


def test_library_from_anywhere_in_icarus(generated: dict[str, Path], tmp_path: Path) -> None:
    folder = generated["credit"]
    library = "-y", folder, "-Y", ".v", folder / "star_3_testbench.v"
    run("iverilog", "-g2005", "-s", "star_3_testbench", "-o", "out", *library, folder=tmp_path)
    assert run("vvp", "-n", "out", folder=tmp_path).stdout.startswith("PASS: 30 packets ")
