"""Faults, each one replacement in one source file of hdl/: plant them, and see them found.

The hardware is generated from a copy of the tree that has the fault; the benches and golden stay as
they are.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

import fingerpost
from fingerpost.golden.network.kinds import AnyNetwork, build_any
from fingerpost.golden.network.network import build
from fingerpost.testbench.benches import make
from fingerpost.testbench.benches.bench import Bench, OfNetwork
from fingerpost.testbench.benches.network import (
    Axi4Bench,
    Axi4TimingBench,
    AxiStreamBench,
    CountersBench,
    MailboxBench,
    OsLinkTerminalsBench,
)
from fingerpost.testbench.benches.os_link import OsLinkBench
from fingerpost.testbench.compiled.wiring import ports
from fingerpost.testbench.cosim import Result, run
from fingerpost.testbench.write import write
from tests.testbench.faults import networks
from tests.testbench.faults.networks import BOREL_21, ROTATOR_6, SETS


@dataclass(frozen=True)
class Fault:
    """One wrong place in the hardware."""

    name: str
    file: str
    """Below hdl/."""
    old: str
    new: str
    """Text that occurs once in the file, and what replaces it."""
    level: str
    """The bench that shall find it; empty if several are tried."""
    description: str
    """What the hardware then does."""
    network: Mapping[str, Any] = field(default_factory=lambda: BOREL_21)
    """The network, as `golden.network.kinds.build_any` takes it, on which it is tried."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Of the bench, where they are not the usual ones."""
    by: str = ""
    """A short proof, as `formal.proofs.Proof` is shown, or the level of `fingerpost cosim` whose
    default stimulus shall find it; empty if `make test` need not."""

    def apply(self, tree: Path) -> None:
        """Replace the text in a copy of the sources.

        Raises
        ------
        ValueError
            If the text does not occur exactly once.
        """
        path = tree / "hdl" / self.file
        text = path.read_text(encoding="utf-8")
        count = text.count(self.old)
        if count != 1:
            raise ValueError(
                f"Fault {self.name} needs {self.old!r} once in hdl/{self.file}, not {count} times"
            )
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")


def _of(*, network: str | dict[str, Any] = "BOREL_21", **fields: Any) -> Fault:
    described = (
        getattr(networks, network) if isinstance(network, str) else {"name": "tried"} | network
    )
    return Fault(network=described, **fields)


def load(path: Path) -> tuple[Fault, ...]:
    """Return the faults of a file; an entry without a level has none."""
    entries = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    return tuple(_of(**{"level": "", **entry}) for entry in entries)


FAULTS = load(Path(__file__).with_name("faults.yaml"))


PACKAGE = Path(fingerpost.__file__).parent
ROOT = Path(__file__).parents[3]

KINDS: dict[str, type[OfNetwork]] = {
    "counters": CountersBench,
    **{
        kind.level: kind
        for kind in (
            *(AxiStreamBench, MailboxBench, Axi4Bench, Axi4TimingBench),
            OsLinkTerminalsBench,
        )
    },
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
    "axi4": {"seed": SEED, "transactions": 60, "outstanding": 8, "patience": 4000},
    "axi4_timing": {"seed": SEED, "load": 0.9},
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


def agree(bench: Bench, folder: Path, simulator: str = "icarus") -> Result:
    """Run a bench, and assert that nothing differs."""
    result = run(bench, simulator=simulator, directory=folder)
    assert (result.mismatches, result.message) == (0, ""), result.message
    return result


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


ROTATOR = ROTATOR_6 | {"name": "rotator"}
FLIPPED = 3
"""The node with a planted fault."""


def planted(folder: Path, change: Callable[[str], str]) -> list[Path]:
    """Return sources in which one node has something else around its router."""
    sources = write(make(build(ROTATOR), "network"), folder)
    texts = {path.name: path.read_text() for path in sources}
    module = texts["rotator_router.v"]
    known = ports(module)["rotator_router"]
    declared = ", ".join(
        f"{'output' if port.output else 'input'} [{port.width - 1}:0] {port.name}" for port in known
    )
    inner = ", ".join(f".{port.name}({port.name})" for port in known)
    other = (
        f"module other({declared});\n  reg [15:0] count;\n"
        "  always @(posedge clk) count <= rst ? 0 : count + 1;\n"
        f"  rotator_router wrapped({inner});\nendmodule\n"
    )
    renamed = re.sub(r"\brotator_router\b", "inner_router", f"{change(other)}\n{module}")
    (folder / "other.v").write_text(renamed)
    text = texts["network.v"]
    changed = text.replace(f"rotator_router node_{FLIPPED}(", f"other node_{FLIPPED}(")
    assert changed != text
    (folder / "network.v").write_text(changed)
    return [*sources, folder / "other.v"]
