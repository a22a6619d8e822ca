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

from fingerpost.golden.network.network import build
from fingerpost.testbench.benches import make
from fingerpost.testbench.benches.bench import Bench
from fingerpost.testbench.benches.counters import CountersBench
from fingerpost.testbench.benches.os_link import OsLinkBench
from fingerpost.testbench.cosim import Result, run
from fingerpost.testbench.faults.fault import Fault
from fingerpost.testbench.faults.networks import BOREL_21
from fingerpost.testbench.faults.os_link import SETS

__all__ = ["PACKAGE", "SETTINGS", "bench", "catch", "copy", "plant"]

PACKAGE = Path(__file__).parents[2]
"""The folder of fingerpost."""

SETTINGS: dict[str, dict[str, Any]] = {
    "unit": {"nodes": 8},
    "path": {},
    "router": {"cycles": 900},
    "network": {"cycles": 150, "load": 0.6, "lengths": (1, 5)},
}
"""How each bench is run: short, since what it shall find is not subtle."""

SEED = 3
"""Puts the router bench at a node with turns that raise the channel: two neighbours are higher."""


def bench(fault: Fault, engine: str = "cocotb") -> Bench:
    """Return the bench that shall find a fault, run in one of `testbench.benches.ENGINES`."""
    if fault.level == OsLinkBench.level:
        return OsLinkBench(SETS)
    network = build(fault.network or BOREL_21)
    if fault.level == CountersBench.level:
        return CountersBench(network)
    settings = SETTINGS[fault.level] | ({"cycles": fault.cycles} if fault.cycles else {})
    if network.link.status_width and fault.level == "network":
        settings["malformed"] = 0.2  # some packets are poisoned
    return make(network, fault.level, engine=engine, seed=SEED, **settings)


def copy(fault: Fault, tree: Path) -> None:
    """Copy the package to `tree` and put a fault into the copy.

    Raises
    ------
    ValueError
        If the text that the fault replaces does not occur exactly once.
    """
    package = tree / PACKAGE.name
    for room in ("golden", "hdl", "testbench"):
        shutil.copytree(
            PACKAGE / room,
            package / room,
            ignore=shutil.ignore_patterns("__pycache__"),
            dirs_exist_ok=True,
        )
    shutil.copy(PACKAGE / "__init__.py", package)
    fault.apply(package)


def plant(fault: Fault, folder: Path) -> list[Path]:
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
    tried = bench(fault)
    kind, parameters = type(tried), json.dumps(tried.parameters())
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "fingerpost.testbench.write",
            kind.__module__,
            kind.__name__,
            sources,
        ],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree)},
        input=parameters,
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
    return run(tried, simulator=simulator, directory=folder, sources=plant(fault, folder))
