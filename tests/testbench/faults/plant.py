"""Plant faults, and see them found.

The hardware is generated from a copy of the tree that has the fault; the benches and golden stay as
they are.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import fingerpost
from fingerpost.golden.network.kinds import AnyNetwork, build_any
from fingerpost.testbench.benches import make
from fingerpost.testbench.benches.bench import Bench, OfNetwork
from fingerpost.testbench.benches.network import (
    AxiStreamBench,
    CountersBench,
    MailboxBench,
    OsLinkTerminalsBench,
)
from fingerpost.testbench.benches.os_link import OsLinkBench
from fingerpost.testbench.cosim import Result, run
from tests.testbench.faults.fault import TEST, Fault
from tests.testbench.faults.networks import SETS

PACKAGE = Path(fingerpost.__file__).parent
ROOT = Path(__file__).parents[3]

KINDS: dict[str, type[OfNetwork]] = {
    "counters": CountersBench,
    **{kind.level: kind for kind in (AxiStreamBench, MailboxBench, OsLinkTerminalsBench)},
}
"""The benches that are of no level of a network."""

SEED = 3
"""Puts the router bench at a node with turns that raise the channel: two neighbours are higher."""

SETTINGS: dict[str, dict[str, Any]] = {
    "unit": {"seed": SEED, "nodes": 8},
    "path": {"seed": SEED},
    "router": {"seed": SEED, "cycles": 900},
    "network": {"seed": SEED, "cycles": 150, "load": 0.6, "lengths": (1, 5)},
    "counters": {"seed": SEED, "cycles": 400, "load": 0.7, "malformed": 0.2, "surplus": 1},
    "axi_stream": {},
    "mailbox": {},
    "os_link_terminals": {"rounds": 2},
}
"""How each bench is run: short, since what it shall find is not subtle."""


def bench_of(network: AnyNetwork, level: str, **settings: Any) -> OfNetwork:
    """Return a bench of one of `testbench.benches.LEVELS` or of `KINDS`."""
    kind: Any = KINDS.get(level)
    return kind(network, **settings) if kind else make(network, level, **settings)


def bench(fault: Fault, engine: str = "cocotb") -> Bench:
    """Return the bench that shall find a fault, run in one of `testbench.benches.ENGINES`."""
    if fault.level == OsLinkBench.level:
        return OsLinkBench(SETS)
    level = fault.level or fault.by
    settings = {**({} if fault.by else SETTINGS[level]), **fault.settings}
    if level not in KINDS:
        settings["engine"] = engine
    return bench_of(build_any(fault.network), level, **settings)


def copy(fault: Fault, tree: Path) -> None:
    """Copy the package to `tree` and put a fault into the copy.

    Raises
    ------
    ValueError
        If the text that the fault replaces does not occur exactly once.
    """
    package = tree / PACKAGE.name
    for room in ("golden", "hdl", "testbench", "formal"):
        shutil.copytree(PACKAGE / room, package / room, dirs_exist_ok=True)
    shutil.copy(PACKAGE / "__init__.py", package)
    fault.apply(package)


def plant(fault: Fault, folder: Path, engine: str = "cocotb") -> list[Path]:
    """Write to `folder` what the bench that shall find a fault runs, and return the files.

    Raises
    ------
    ValueError
        If the text that the fault replaces does not occur exactly once.
    RuntimeError
        If no Verilog comes out of the faulty sources.
    """
    tree, sources = folder.resolve() / "tree", folder.resolve() / "sources"
    copy(fault, tree)
    tried = bench(fault, engine)
    names = type(tried).__module__, type(tried).__name__
    done = subprocess.run(
        [sys.executable, "-m", "fingerpost.testbench.write", *names, sources],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree)},
        input=json.dumps(tried.parameters()),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["nothing was said"])[-1]
        raise RuntimeError(f"Fault {fault.name} leaves no hardware: {last}")
    return sorted(sources.iterdir())


def catch(fault: Fault, directory: Path, engine: str = "cocotb") -> Result:
    """Run the bench that shall find a fault: in Icarus, or with compiled nodes."""
    folder, tried = directory / fault.name, bench(fault, engine)
    simulator = "verilator" if engine == "compiled" else "icarus"
    return run(tried, simulator=simulator, directory=folder, sources=plant(fault, folder, engine))


def verdict(fault: Fault, tree: Path) -> str:
    """Return what the tests of a fault of level `TEST` say in a copy of the sources with it."""
    assert fault.level == TEST
    copy(fault, tree)
    shutil.copytree(ROOT / "tests/hdl", tree / "tests/hdl")
    for shared in ("networks.py", "quick.py"):
        shutil.copy(ROOT / "tests" / shared, tree / "tests")
    shutil.copy(ROOT / "pyproject.toml", tree)
    file, _, name = fault.test.partition("::")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    ended = subprocess.run(
        [*command, f"tests/hdl/{file}", *(["-k", name] if name else [])],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.stdout.strip().splitlines()[-1]
