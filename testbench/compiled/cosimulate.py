"""Run a bench of compiled nodes as `fingerpost.testbench.runner` runs those of cocotb."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from fingerpost.testbench.benches.bench import OfNetwork
from fingerpost.testbench.benches.compiled import (
    AnyCompiledBench,
    CompiledBench,
    CompiledDeflectionUnitBench,
    CompiledUnitBench,
)
from fingerpost.testbench.compiled.lock_step import CompiledNetwork
from fingerpost.testbench.compiled.routers import CompiledRouters
from fingerpost.testbench.compiled.units import CompiledDeflectionUnits, CompiledUnits
from fingerpost.testbench.runner import Outcome, Progress

__all__ = ["cosimulate"]


def cosimulate(
    bench: AnyCompiledBench,
    *,
    sources: Sequence[Path],
    folder: Path,
    cache: Path,
    waveform: bool,
    progress: Progress | None = None,
) -> Outcome:
    """Compile what is not in `cache`, and run it beside the model.

    Parameters
    ----------
    waveform : bool
        Whether to keep that of the node at which the first difference is.

    Raises
    ------
    ToolError
        If a tool is missing.
    BenchError
        If something does not compile, or an input of a node reaches an output within a cycle.
    """
    started = time.perf_counter()
    nodes: CompiledUnits | CompiledDeflectionUnits | CompiledNetwork | CompiledRouters
    if isinstance(bench, CompiledDeflectionUnitBench):
        nodes = CompiledDeflectionUnits(bench, sources, cache, progress=progress)
    elif isinstance(bench, CompiledUnitBench):
        nodes = CompiledUnits(bench.network, sources, cache, progress=progress)
    else:
        kind = CompiledNetwork if isinstance(bench, CompiledBench) else CompiledRouters
        nodes = kind(bench.network, sources, cache, lines=bench.lines, progress=progress)
    built = time.perf_counter()
    folder.mkdir(parents=True, exist_ok=True)
    wave = folder / "node.vcd" if waveform else None
    found = nodes.run(bench.parameters(), waveform=wave, progress=progress)
    seconds = time.perf_counter() - built
    return Outcome(
        report=found.report,
        results_xml=_results(bench, found.report, seconds, folder / "results.xml"),
        waveform=found.waveform,
        build_seconds=built - started,
        seconds=seconds,
    )


def _results(bench: OfNetwork, report: Mapping[str, Any], seconds: float, path: Path) -> Path:
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
