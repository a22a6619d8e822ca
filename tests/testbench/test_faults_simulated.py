"""Faults that tests in Amaranth's simulator must find: of frames, and of ports and nodes."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fingerpost.testbench.faults import frames, ports
from fingerpost.testbench.faults.fault import Fault
from fingerpost.testbench.faults.plant import PACKAGE, copy

ROOT = Path(__file__).parents[2]

FAULTS = (*frames.FAULTS, *ports.FAULTS)

SUITES = {
    "frames": ("link/test_frame.py",),
    "ports": ("router/test_input_port.py", "router/test_output_port.py", "test_node.py"),
}
"""The files in tests/hdl that faults of a level are for."""

SAMPLE = {"payload-one-short", "credit-counted-late"}
"""What `make test` plants; `make regress` plants all."""


def verdict(fault: Fault, test: str, tree: Path) -> str:
    """Return what the test of that name says in a copy of the sources with the fault."""
    copy(fault, tree)
    shutil.copytree(ROOT / "tests/hdl", tree / "tests/hdl")
    shutil.copytree(PACKAGE / "formal", tree / PACKAGE.name / "formal")
    shutil.copy(ROOT / "tests/networks.py", tree / "tests")
    shutil.copy(ROOT / "pyproject.toml", tree)
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", test]
    ended = subprocess.run(
        [*command, *(f"tests/hdl/{file}" for file in SUITES[fault.level])],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.stdout.strip().splitlines()[-1]


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(
            fault,
            id=fault.name,
            marks=[] if fault.name in SAMPLE else [pytest.mark.regress],
        )
        for fault in FAULTS
    ],
)
def test_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    said = verdict(fault, fault.test, tmp_path)
    assert re.match(r"1 failed", said), said


@pytest.mark.regress
@pytest.mark.parametrize(("level", "test"), sorted({(fault.level, fault.test) for fault in FAULTS}))
def test_all_is_well_without_a_fault(level: str, test: str, tmp_path: Path) -> None:
    harmless = Fault("none", "router/router.py", "class Router(", "class Router(", level, "")
    assert re.match(r"\d+ passed, \d+ deselected", verdict(harmless, test, tmp_path))


def test_faults_are_of_every_part() -> None:
    assert {fault.name for fault in FAULTS} > SAMPLE
    assert {fault.file for fault in frames.FAULTS} == {"link/frame.py", "link/frame_relay.py"}
    assert {fault.level for fault in FAULTS} == set(SUITES)
    tests = {f"{fault.test}.py" for fault in ports.FAULTS}
    assert tests == {Path(file).name for file in SUITES["ports"]}
