"""Run a bench: `fingerpost cosim` and the tests come through here."""

import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from errno import ENOSPC
from pathlib import Path
from time import strftime
from typing import Any
from xml.etree import ElementTree

from fingerpost.hdl.emit.files import fresh_folder, naming
from fingerpost.testbench import toolchain
from fingerpost.testbench.benches.bench import Bench, stored
from fingerpost.testbench.benches.questions import UnitBench
from fingerpost.testbench.compiled.lock_step import CompiledLockStep
from fingerpost.testbench.compiled.units import CompiledUnits
from fingerpost.testbench.runner import BenchError, Outcome, Progress, cosimulate
from fingerpost.testbench.write import write

NEEDLESS = "parameters.json", "report.json", "progress", "build.log"
"""Files of a run in which all was well."""


def _compiled(
    bench: Bench,
    *,
    sources: Sequence[Path],
    folder: Path,
    cache: Path,
    waveform: bool,
    progress: Progress | None = None,
) -> Outcome:
    """Compile what is not in `cache`, and run it beside the model.

    A waveform is kept, if asked for, of the node at which the first difference is.
    """
    started = time.perf_counter()
    nodes: CompiledUnits | CompiledLockStep
    if isinstance(bench, UnitBench):
        nodes = CompiledUnits(bench, sources, cache, progress=progress)
    else:
        nodes = CompiledLockStep(bench, sources, cache, progress=progress)
    built = time.perf_counter()
    wave = folder / "node.vcd" if waveform else None
    found = nodes.run(waveform=wave, progress=progress)
    seconds = time.perf_counter() - built
    return Outcome(
        report=found.report,
        results_xml=_results(bench, found.report, seconds, folder / "results.xml"),
        waveform=found.waveform,
        build_seconds=built - started,
        seconds=seconds,
    )


def _results(bench: Bench, report: Mapping[str, Any], seconds: float, path: Path) -> Path:
    """Write what JUnit would, as cocotb does."""
    suites = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(suites, "testsuite", name="compiled", tests="1")
    case = ElementTree.SubElement(
        suite, "testcase", name="runs_in_lock_step", classname=bench.name, time=f"{seconds:.3f}"
    )
    if report["mismatches"]:
        ElementTree.SubElement(case, "failure", message=report["message"])
    scratch = path.with_name(f".{path.name}")
    ElementTree.ElementTree(suites).write(scratch, encoding="utf-8", xml_declaration=True)
    scratch.replace(path)
    return path


@contextmanager
def run_folder(parent: Path) -> Iterator[Path]:
    """Yield a new folder in `parent`, named by date and time.

    It stays if there is no error, or after a `BenchError`, whose message names a log in it. After
    other errors, Ctrl-C too, it is removed.

    Raises
    ------
    OSError
        If a file cannot be written. The error names it as if it were in `parent`.
    """
    with naming(parent):
        parent.mkdir(parents=True, exist_ok=True)
        folder = fresh_folder(parent.resolve(), strftime("%Y%m%d-%H%M%S-"))
    try:
        with naming(parent, instead_of=folder):
            yield folder
    except BenchError:
        # A simulator that cannot write cannot write that into its log, either.
        if not os.statvfs(folder).f_bavail:
            shutil.rmtree(folder, ignore_errors=True)
            raise OSError(ENOSPC, os.strerror(ENOSPC), str(parent)) from None
        raise
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


@dataclass(frozen=True)
class Result:
    """What a co-simulation found."""

    bench: Bench
    simulator: str
    mismatches: int
    """Decisions that differ; of most benches 1 if a difference ended the run."""
    message: str
    """The first difference, with place, expected and seen."""
    seconds: float
    build_seconds: float
    """Of the simulation alone, and of compiling for it."""
    waveform: str | None
    results_xml: str
    details: dict[str, Any] = field(default_factory=dict)
    """Whatever else the bench reported."""

    def __repr__(self) -> str:
        found = f"{self.mismatches} mismatches in {self.count} {self.bench.counted}"
        return f"<Result {self.level} in {self.simulator}: {found}>"

    @property
    def level(self) -> str:
        """Return the name of the bench."""
        return self.bench.level

    @property
    def count(self) -> int:
        """Return how many decisions or cycles were compared."""
        return int(self.details.get(self.bench.counted, 0))


def run(
    bench: Bench,
    *,
    simulator: str,
    directory: Path,
    waves: bool = False,
    sources: Sequence[Path] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Compare hardware with golden. A difference leaves a waveform.

    Parameters
    ----------
    directory : Path
        Where simulators write: a new folder for each run, and one for all that is compiled. After
        a difference or a `BenchError` the folder of the run stays as it is; otherwise only
        results, log and waveform stay.
    sources : sequence of Path, optional
        Verilog to run instead of the bench's own: that is how faults are planted.

    Raises
    ------
    ToolError
        If a tool is missing.
    BenchError
        If the simulation did not build or broke down.
    """
    toolchain.environment(simulator)  # raises for a missing tool before anything is generated
    what = bench.engine if bench.engine == "compiled" else simulator
    with run_folder(directory / bench.name / f"{bench.level}-{what}") as folder:
        files = sources or write(bench, folder / "sources")

        def once(*, waves: bool) -> Outcome:
            if bench.engine == "compiled":
                return _compiled(
                    bench,
                    sources=files,
                    folder=folder,
                    cache=directory / bench.engine,
                    waveform=sources is None,
                    progress=progress,
                )
            return cosimulate(
                bench.test,
                sources=files,
                toplevel=bench.top,
                simulator=simulator,
                folder=folder,
                cache=directory / bench.engine,
                parameters=stored(bench),
                at_edges=bench.at_edges,
                seed=bench.seed,
                waves=waves,
                progress=progress,
            )

        outcome = once(waves=waves)
        if outcome.report["mismatches"]:
            if bench.engine == "cocotb" and not waves and sources is None:
                outcome = once(waves=True)
        else:
            shutil.rmtree(folder / "sources", ignore_errors=True)
            for needless in NEEDLESS:
                (folder / needless).unlink(missing_ok=True)
    report = dict(outcome.report)
    return Result(
        bench=bench,
        simulator=simulator,
        mismatches=report.pop("mismatches"),
        message=report.pop("message"),
        seconds=outcome.seconds,
        build_seconds=outcome.build_seconds,
        waveform=str(outcome.waveform) if outcome.waveform else None,
        results_xml=str(outcome.results_xml),
        details=report,
    )
