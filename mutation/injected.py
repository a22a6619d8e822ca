"""Injected faults before all checks: what notices each, as a table.

python -m mutation.injected [FAULT...] [--check CHECK] [--json FILE] [--directory DIR]

Contracts and the quick co-simulation are tried of every fault; the full one and the benches of
mutants if both say nothing.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from fingerpost.golden.network.kinds import kind_of
from fingerpost.jobs.console import plain_table
from fingerpost.jobs.files import write_text
from fingerpost.testbench.cosim import run
from fingerpost.testbench.runner import BenchError
from mutation.nodes import CROWDED, FULL, HOT, QUIET, RUDE, SPARSE
from mutation.notice import describe
from tests.testbench.faults.plant import PACKAGE, SETTINGS, Fault, bench, copy, load, plant

INJECTED = load(Path(__file__).with_name("injected.yaml"))
"""All of them."""

CHECKS = "contract", "quick cosim", "full cosim", "mutation bench"
"""From the one that says most to the one that says least."""

ROOT = Path(__file__).parents[1]

SECONDS = 240
"""After these no other proof is begun."""

Run = tuple[str, str, Mapping[str, Any]]
"""A level, an engine, and settings of a bench."""

LONG: dict[str, dict[str, Any]] = {
    "axi_stream": {"rounds": 6, "seed": 5},
    "counters": {"cycles": 4000, "snapshots": 40, "seed": 5},
    "mailbox": {"rounds": 5, "seed": 5},
    "os_link": {},
    "os_link_terminals": {"rounds": 10, "seed": 5},
}
"""How the benches of terminals and ports are run for longer."""


def runs(fault: Fault, check: str) -> Iterator[Run]:
    """Yield the benches of a check."""
    own = fault.level
    if not kind_of(fault.network).has_routes:
        yield from _of_deflection(check)
    elif check == "quick cosim":
        for level in (own,) if own else ("router", "network"):
            yield level, "cocotb", {**SETTINGS.get(level, {}), **fault.settings}
    elif own:
        if check == "full cosim" and LONG.get(own):
            yield own, "cocotb", LONG[own]
    elif check == "full cosim":
        yield "router", "cocotb", {"cycles": 6000}
        for load_ in 0.25, 0.9:
            yield "network", "compiled", {"cycles": 10000, "load": load_, "malformed": 0.02}
    else:
        for stimulus in QUIET, FULL, RUDE:
            yield "network", "compiled", stimulus
        yield "router", "compiled", {}


def _of_deflection(check: str) -> Iterator[Run]:
    """Yield the benches of deflection routers, whose packets have one flit."""
    single = {"lengths": (1, 1)}
    if check == "quick cosim":
        yield "network", "cocotb", single
    elif check == "full cosim":
        for load_ in 0.25, 0.9:
            yield (
                "network",
                "compiled",
                single | {"cycles": 10000, "load": load_, "malformed": 0.02},
            )
    else:
        for stimulus in SPARSE, CROWDED, HOT:
            yield "network", "compiled", single | stimulus


class Campaign:
    """The checks, and what they have said before of the same hardware.

    Parameters
    ----------
    cache : Path
        Where it is kept.
    """

    def __init__(self, cache: Path) -> None:
        self.cache = cache.resolve()
        self.cache.mkdir(parents=True, exist_ok=True)
        self.bench_sources = _digest(_sources("testbench", "golden"))
        self.sources = _digest(_sources("hdl", "formal", "golden"))
        stored = self.cache / f"genuine-{self.sources}.json"
        if not stored.exists():
            write_text(stored, json.dumps(describe()))
        self.genuine = stored.read_text()

    def notice(self, fault: Fault, check: str) -> str:
        """Return what a check says of a fault; nothing if it passes."""
        if check == "contract":
            return self._contract(fault)
        for each in runs(fault, check):
            if said := self._bench(fault, *each):
                return said
        return ""

    def _contract(self, fault: Fault) -> str:
        """Return what the contracts say of a fault, and keep it by all that they depend on."""
        stored = (
            self.cache / f"contract-{_digest([self.sources, fault.file, fault.old, fault.new])}.txt"
        )
        if not stored.exists():
            write_text(stored, self._prove(fault))
        return stored.read_text()

    def _prove(self, fault: Fault) -> str:
        with tempfile.TemporaryDirectory() as name:
            tree = Path(name)
            copy(fault, tree)
            done = subprocess.run(
                [
                    *(sys.executable, "-W", "ignore", "-m", "mutation.notice"),
                    *(fault.file, self.cache, str(SECONDS)),
                ],
                cwd=tree,
                env=os.environ | {"PYTHONPATH": f"{tree}{os.pathsep}{ROOT}"},
                input=self.genuine,
                capture_output=True,
                text=True,
                check=False,
            )
        if done.returncode:
            raise RuntimeError(f"Fault {fault.name} leaves no contract: {done.stderr[-400:]}")
        said: str = json.loads(done.stdout)["noticed"]
        return said

    def _bench(self, fault: Fault, level: str, engine: str, settings: Mapping[str, Any]) -> str:
        """Return what a bench says of a fault, and keep it by the hardware and the bench."""
        tried = replace(fault, level=level, settings=settings)
        with tempfile.TemporaryDirectory(dir=self.cache) as name:
            folder = Path(name)
            sources = plant(tried, folder / "planted", engine)
            parts = [path.read_text() for path in sources]
            about = json.dumps([level, engine, settings, fault.network], sort_keys=True)
            stored = self.cache / f"{_digest([*parts, about, self.bench_sources])}.txt"
            if not stored.exists():
                simulator = "verilator" if engine == "compiled" else "icarus"
                try:
                    result = run(
                        bench(tried, engine),
                        simulator=simulator,
                        directory=folder / "run",
                        sources=sources,
                    )
                    said = f"{level}: {result.message or 'differs'}" * (result.mismatches > 0)
                except BenchError as error:
                    said = f"{level}: {error}"
                write_text(stored, said)
            return stored.read_text()


def _sources(*rooms: str) -> Iterator[str]:
    for room in rooms:
        for path in sorted((PACKAGE / room).resolve().rglob("*.py")):
            yield path.read_text(encoding="utf-8")


def _digest(parts: Iterable[str]) -> str:
    total = hashlib.sha256()
    for part in parts:
        total.update(part.encode() + b"\0")
    return total.hexdigest()[:24]


def main(arguments: list[str] | None = None) -> int:
    """Run; 1 if a fault passes all checks."""
    parser = argparse.ArgumentParser(prog="python -m mutation.injected", description=__doc__)
    names = [fault.name for fault in INJECTED]
    parser.add_argument("faults", nargs="*", metavar="FAULT")
    parser.add_argument("--check", choices=CHECKS, help="this one only")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what came out, too")
    parser.add_argument("--directory", type=Path, default=Path("sim_build"))
    options = parser.parse_args(arguments)
    for name in options.faults:
        if name not in names:
            parser.error(f"FAULT needs to be one of {', '.join(names)}, not {name}")
    campaign = Campaign(options.directory / "mutation/injected")
    rows = []
    chosen = [fault for fault in INJECTED if fault.name in options.faults or not options.faults]
    for number, fault in enumerate(chosen, 1):
        said: dict[str, str] = {}
        for check in (options.check,) if options.check else CHECKS:
            if check in CHECKS[2:] and any(said.values()):
                break
            said[check] = campaign.notice(fault, check)
        rows.append({"fault": fault.name, "file": fault.file, **said})
        by = ", ".join(check for check, words in said.items() if words) or "NOTHING"
        print(f"{number}/{len(chosen)} {fault.name}: {by}", file=sys.stderr, flush=True)
        if options.json:
            options.json.parent.mkdir(parents=True, exist_ok=True)
            write_text(options.json, json.dumps({"faults": rows}, indent=1) + "\n")
    _show(rows)
    return int(any(not _noticed(row) for row in rows))


def _noticed(row: Mapping[str, str]) -> str:
    return next((check for check in CHECKS if row.get(check)), "nothing")


def _show(rows: Sequence[Mapping[str, str]]) -> None:
    """Print each fault with what notices it, and the sums."""
    table = plain_table("fault", *CHECKS)
    for row in rows:
        marks = (("yes" if row[x] else "no") if x in row else "" for x in CHECKS)
        table.add_row(row["fault"], *marks)
    console = Console(highlight=False, markup=False, width=120)
    console.print(table)
    first = Counter(_noticed(row) for row in rows)
    console.print(", ".join(f"{name} {first[name]}" for name in (*CHECKS, "nothing")))
    console.print(f"quick cosim alone: {sum(bool(row.get('quick cosim')) for row in rows)}")


if __name__ == "__main__":
    sys.exit(main())
