"""The bench in plain Verilog: it passes, and it can fail."""

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
from fingerpost.hdl.emit.network import identifier
from fingerpost.hdl.export.bench import SPEECHES, bench
from fingerpost.hdl.export.files import beside
from fingerpost.hdl.export.generate import generate
from fingerpost.testbench.toolchain import environment
from tests.networks import load

STAR = {"topology": {"family": "star", "n": 3}, "routing": {"algorithm": "greedy"}}
"""Six nodes in a ring: it takes a second."""


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("star")
    made(folder, star())
    return folder


def made(folder: Path, network: Network) -> str:
    assert shutil.which("iverilog"), "Icarus Verilog is missing: run `make setup`"
    generate(network, folder)
    return identifier(network.name)


def copied(generated: Path, folder: Path) -> str:
    shutil.copytree(generated, folder, dirs_exist_ok=True)
    return "star_3"


def build_and_run(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    commands = re.findall(r"// In Icarus: (.*)", (folder / f"{name}_testbench.v").read_text())[0]
    for command in commands.split(" && "):
        ended = subprocess.run(
            shlex.split(command),
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=1000,
        )
        assert ended.stderr == ""
    return ended


def star(**router: Any) -> Network:
    return build({"name": "star-3", **STAR, "router": router})


@pytest.mark.parametrize(
    ("router", "flits"),
    [
        ({}, 3),
        # 30 packets have numbers of 5 bits, a header has 8 bits: 9 bits hold a number at once.
        ({"flit_width": 9, "buffer_depth": 2, "virtual_channels": 3}, 3),
    ],
)
def test_all_packets_come(tmp_path: Path, router: dict[str, Any], flits: int) -> None:
    ended = build_and_run(tmp_path, made(tmp_path, star(**router)))
    assert ended.returncode == 0
    assert re.fullmatch(rf"PASS: 30 packets of {flits} flits, \d+ cycles", ended.stdout.strip())


@pytest.mark.parametrize(
    ("name", "packets"),
    [
        # Leaves alone have terminals; header by source; directed.
        pytest.param("kyklos-2-2-4", 16 * 15, marks=pytest.mark.regress),
        pytest.param("star-4", 24 * 23, marks=pytest.mark.regress),
        pytest.param("super-rotator-13", 13 * 12, marks=pytest.mark.regress),
    ],
)
def test_all_packets_come_in(tmp_path: Path, name: str, packets: int) -> None:
    ended = build_and_run(tmp_path, made(tmp_path, load(name)))
    assert ended.returncode == 0
    assert ended.stdout.startswith(f"PASS: {packets} packets of 3 flits, ")


@pytest.mark.regress
def test_all_packets_come_over_links_between_chips(tmp_path: Path) -> None:
    network = build({"name": "star-3", **STAR, "link": {"kind": "os-link", "clocks_per_bit": 4}})
    ended = build_and_run(tmp_path, made(tmp_path, network))
    assert ended.returncode == 0
    assert ended.stdout.startswith("PASS: 30 packets of 3 flits, ")


FAULTS: dict[str, tuple[str, Callable[[str], str], str]] = {
    "inverted data": (
        "network",
        lambda text: re.sub(r"(\.inject__flit)\((.*?\[68 \+: 34\])\)", r"\1(\2 ^ 34'h400)", text),
        r"node \d: other data than were sent",
    ),
    "wrong header": (
        "testbench",
        lambda text: re.sub(r"header\[7\] = 8'h\w+", "header[7] = 8'h0", text),
        r"node \d: a packet for another node|errors (?!0+,)",
    ),
    "lost head": (
        "network",
        lambda text: re.sub(
            r"(\.eject__flit)\((eject_flit\[34 \+: 34\])\)", r"\1({eject_flit[67:35], lost})", text
        ).replace(");\n  wire", ");\n  wire lost;\n  assign eject_flit[34] = 1'b0;\n  wire", 1),
        "node 1: a flit outside of a packet",
    ),
    "no credit comes back": (
        "network",
        lambda text: re.sub(r"(\.inject__credit)\(inject_credit\[2\]\)", r"\1()", text),
        r"FAIL: 2\d of 30 packets came, 0 faults",
    ),
    "dead terminal": (
        "network",
        lambda text: re.sub(r"(\.eject__valid)\(eject_valid\[3\]\)", r"\1()", text),
        "FAIL: .. of 30 packets came",
    ),
}


@pytest.mark.parametrize(
    "fault",
    [
        *("inverted data", "dead terminal"),
        *(
            pytest.param(fault, marks=pytest.mark.regress)
            for fault in ("wrong header", "lost head", "no credit comes back")
        ),
    ],
)
def test_fault_is_found(generated: Path, tmp_path: Path, fault: str) -> None:
    part, plant, told = FAULTS[fault]
    name = copied(generated, tmp_path)
    path = tmp_path / f"{name}_{part}.v"
    before = path.read_text()
    path.write_text(plant(before))
    assert path.read_text() != before
    ended = build_and_run(tmp_path, name)
    assert ended.returncode == 1
    assert re.search("FAIL: ", ended.stdout)
    assert re.search(told, ended.stdout), ended.stdout


def test_large_networks_send_a_few_packets() -> None:
    text = bench(load("mesh-8x8"))
    assert text is not None
    assert "EACH = 63, STRIDE = 1, PACKETS = 4032;" in text
    assert "HEADERS = 64," in text
    text = bench(load("borel-1081"))
    assert text is not None
    # 3 others of 1,080, evenly spread.
    assert "EACH = 3, STRIDE = 360, PACKETS = 3243;" in text
    assert "HEADERS = 1081," in text


def run(*command: str, folder: Path, **variables: str) -> str:
    ended = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def fusesoc(folder: Path, name: str, target: str, simulator: str) -> str:
    """Run a target of the core in `made` with FuseSoC; return what it prints."""
    core = f"fingerpost:networks:{name}"
    path = str(Path(sys.executable).parent)
    command = "fusesoc", "--cores-root", "made", "run", "--target", target, core
    variables = environment(simulator)
    variables["PATH"] = os.pathsep.join([path, variables.get("PATH", os.environ["PATH"])])
    return run(*command, folder=folder, **variables)


PASSED = r"^PASS: 30 packets of 3 flits, \d+ cycles$"


@pytest.mark.verilator
@pytest.mark.regress
def test_verilator_without_a_warning(generated: Path, tmp_path: Path) -> None:
    name = copied(generated, tmp_path / "made")
    top = f"{name}_testbench"
    command = "verilator", "--binary", "--top-module", top, "-F", f"made/{name}.f"
    run(*command, f"made/{top}.v", folder=tmp_path, **environment("verilator"))
    assert re.search(PASSED, run(f"obj_dir/V{top}", folder=tmp_path), flags=re.M)


@pytest.mark.parametrize(
    ("target", "simulator"),
    [
        ("sim", "icarus"),
        pytest.param(
            "sim_verilator", "verilator", marks=[pytest.mark.verilator, pytest.mark.regress]
        ),
    ],
)
def test_fusesoc_runs_it(generated: Path, tmp_path: Path, target: str, simulator: str) -> None:
    name = copied(generated, tmp_path / "made")
    found = yaml.safe_load((tmp_path / "made" / f"{name}.core").read_text())
    assert found["name"].startswith(f"fingerpost:networks:{name}:")
    told = fusesoc(tmp_path, name, target, simulator)
    assert re.search(PASSED, told, flags=re.M), told


def test_none_where_terminals_speak_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(SPEECHES, "credit")
    assert bench(star()) is None
    files = beside(star(), ["star_3_router.v"])
    assert "star_3_testbench.v" not in files
    assert list(yaml.safe_load(files["star_3.core"])["targets"]) == ["default"]


def test_template_compiles_and_names_every_port(generated: Path, tmp_path: Path) -> None:
    name = copied(generated, tmp_path)
    files = f"{name}_router.v", f"{name}_network.v", f"{name}_template.v"
    top = f"{name}_template"
    run("iverilog", "-g2005", "-Wall", "-s", top, "-o", "out", *files, folder=tmp_path)
    network = (tmp_path / f"{name}_network.v").read_text()
    ports = re.findall(r"^  (?:input|output) (?:\[.*\] )?(\w+),?$", network, flags=re.M)
    assert len(ports) == 10
    template = (tmp_path / top).with_suffix(".v").read_text()
    assert re.findall(r"^    \.(\w+)\(\1\)", template, flags=re.M) == ports


def test_library_from_anywhere_in_icarus(generated: Path, tmp_path: Path) -> None:
    name = copied(generated, tmp_path / "made")
    top = f"{name}_testbench"
    run(
        *("iverilog", "-g2005", "-s", top, "-o", "out", "-y", "made"),
        *("-Y", ".v", f"made/{top}.v"),
        folder=tmp_path,
    )
    assert re.search(PASSED, run("vvp", "-n", "out", folder=tmp_path), flags=re.M)
