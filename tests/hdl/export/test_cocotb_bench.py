"""The bench for cocotb: it passes, and it can fail."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fingerpost.golden.network.network import build
from fingerpost.hdl.export.bench import bench
from fingerpost.hdl.export.cocotb_bench import SPEECHES, cocotb_bench
from fingerpost.testbench.toolchain import environment
from tests.hdl.export.test_bench import FAULTS, STAR, copied, generated, made, star
from tests.networks import load

__all__ = ["generated"]

LONG = pytest.mark.regress
OS_LINK = {"kind": "os-link", "clocks_per_bit": 4}


def run(
    folder: Path, name: str, simulator: str = "icarus", *, several_clocks: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run the bench by itself, from another folder."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    return subprocess.run(
        [sys.executable, folder / f"{name}_cocotb.py", simulator],
        cwd=elsewhere,
        env=os.environ | environment(simulator, several_clocks=several_clocks),
        capture_output=True,
        text=True,
        check=False,
    )


def test_all_packets_come(generated: Path, tmp_path: Path) -> None:
    ended = run(tmp_path, copied(generated, tmp_path))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert re.search(r" 30 packets, \d+ cycles$", ended.stdout, flags=re.M)


@pytest.mark.parametrize(
    "fault",
    ["lost head", *(pytest.param(x, marks=LONG) for x in ("inverted data", "dead terminal"))],
)
def test_fault_is_found(generated: Path, tmp_path: Path, fault: str) -> None:
    part, plant, told = FAULTS[fault]
    name = copied(generated, tmp_path)
    path = tmp_path / f"{name}_{part}.v"
    before = path.read_text()
    path.write_text(plant(before))
    assert path.read_text() != before
    ended = run(tmp_path, name)
    assert ended.returncode == 1
    # Where nothing drives a wire, it has no value at all.
    told = "ValueError|LogicArray|z" if fault == "dead terminal" else told
    assert re.search(told, ended.stdout + ended.stderr), ended.stdout


@LONG
@pytest.mark.parametrize(
    ("name", "packets"),
    # Leaves alone have terminals; header by source; directed.
    [("kyklos-2-2-4", 16 * 15), ("star-4", 24 * 23), ("super-rotator-13", 13 * 12)],
)
def test_all_packets_come_in(tmp_path: Path, name: str, packets: int) -> None:
    ended = run(tmp_path, made(tmp_path, load(name)))
    assert ended.returncode == 0, ended.stdout
    assert re.search(rf" {packets} packets, ", ended.stdout)


@LONG
def test_a_clock_for_each_node_and_numbers_in_two_flits(tmp_path: Path) -> None:
    ended = run(tmp_path, made(tmp_path, build({"name": "star-3", **STAR, "link": OS_LINK})))
    assert ended.returncode == 0, ended.stdout
    assert " 30 packets, " in ended.stdout


@LONG
@pytest.mark.verilator
def test_in_verilator(tmp_path: Path) -> None:
    ended = run(tmp_path, made(tmp_path, star(flit_width=9, buffer_depth=2)), "verilator")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert " 30 packets, " in ended.stdout


@pytest.mark.parametrize("name", ["mesh-8x8", "borel-1081"])
def test_packets_are_those_of_the_other_bench(name: str) -> None:
    verilog, python = bench(load(name)), cocotb_bench(load(name))
    assert verilog is not None
    assert python is not None
    found = re.search(r"EACH = (\d+), STRIDE = (\d+),", verilog)
    assert found
    assert f"EACH, STRIDE, LIMIT, CALM = {found[1]}, {found[2]}, 2000, 100\n" in python


def test_none_where_terminals_speak_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.delitem(SPEECHES, "credit")
        assert cocotb_bench(star()) is None
    # No driver can wait for an edge of one clock in a vector.
    axi = {"link": OS_LINK, "terminal": {"kind": "axi-stream"}}
    assert cocotb_bench(build({"name": "star-3", **STAR, **axi})) is None
