"""A bench in lock-step with the model, its nodes compiled."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from fingerpost.golden.engine import Engine, Record, engine
from fingerpost.golden.measure.soak import SoakError
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.traffic import Traffic
from fingerpost.testbench.benches import make
from fingerpost.testbench.benches.bench import LockStepBench
from fingerpost.testbench.compiled.assembly import Assembly, Rows
from fingerpost.testbench.compiled.build import Builder
from fingerpost.testbench.compiled.hardware import Hardware, replay
from fingerpost.testbench.compiled.lines import counted
from fingerpost.testbench.compiled.plan import Kind, Words
from fingerpost.testbench.lock_step import KEPT, Chunk, Comparison, Layout, Turn, join
from fingerpost.testbench.packing import bits_of
from fingerpost.testbench.runner import Progress
from fingerpost.testbench.write import write

CHUNK, MOST = 1 << 24, 4096
"""Bytes, and cycles, of what is expected where the model goes ahead."""


@dataclass(frozen=True)
class Found:
    """What came of a run: what it reports, and the waveform of the node that differs."""

    report: dict[str, Any]
    waveform: Path | None = None


def recorded(bench: LockStepBench) -> Iterator[tuple[Words, Words]]:
    """Yield what goes in and what must be seen in all cycles of each turn."""
    script = bench.script()
    for turn in script.turns():
        rows = Rows(script.layout)
        pairs = []
        while (chunk := turn.chunk(MOST)).cycles:
            pairs.append(rows.of(chunk))
        given, seen = zip(*pairs, strict=True)
        yield np.concatenate(given), np.concatenate(seen)


class CompiledLockStep:
    """A bench whose nodes are compiled, each kind of them once.

    Parameters
    ----------
    bench : LockStepBench
    sources : sequence of Path
        What it writes: nodes, network and bench.
    folder : Path
        Where what is compiled is kept.

    Attributes
    ----------
    assembly : Assembly
        What was compiled.
    chunk : int
        Cycles that the model goes ahead.

    Raises
    ------
    BenchError
        If something does not compile, or an input of a node reaches an output within a cycle.
    """

    def __init__(
        self,
        bench: Any,
        sources: Sequence[Path],
        folder: Path,
        *,
        progress: Progress | None = None,
    ) -> None:
        self.bench, self.folder, self.script = bench, folder, bench.script()
        self.layout: Layout = self.script.layout
        self.assembly = Assembly.of(
            sources,
            folder,
            self.layout,
            lines=bench.lines,
            join=bench.network.routing.node_table is not None,
            progress=progress,
        )
        self.plan, self.sources = self.assembly.plan, self.assembly.sources
        rows = Rows(self.layout)
        self.chunk = min(MOST, max(1, CHUNK // (8 * (rows.given_words + rows.seen_words))))
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def run(self, *, waveform: Path | None = None, progress: Progress | None = None) -> Found:
        """Go through all turns in lock-step.

        Parameters
        ----------
        waveform : Path, optional
            Where that of the node goes that is the first to differ.
        """
        hardware, waved, reports = self.assembly.hardware(), None, list[dict[str, Any]]()
        turns, script = self._turns(self.script.turns()), self.script
        for number, turn in enumerate(turns):
            hardware.reset()
            done = sum(report["cycles"] for report in reports)
            compared, wrong = self._compare(turn, hardware, done, progress)
            if wrong is None:
                reports.append(Comparison(self.layout).report(compared, turn, turn.lacking()))
            else:
                script = self.bench.script()
                report, waved = self._again(script.turns(), number, compared, wrong, waveform)
                reports.append(report)
            if reports[-1]["mismatches"]:
                break
        lines = counted(hardware) if self.bench.lines and not waved else {}
        hardware.close()
        seconds = {f"{side}_cpu_seconds": self.seconds[side] for side in ("model", "hardware")}
        return Found(join(reports) | script.facts() | seconds | lines, waved)

    def _turns(self, turns: Iterator[Turn]) -> Iterator[Turn]:
        """Yield turns; their packets, and the routes of these, are made beforehand."""
        while True:
            started = time.thread_time()
            turn = next(turns, None)
            self.seconds["model"] += time.thread_time() - started
            if turn is None:
                return
            yield turn

    def _compare(
        self, turn: Turn, hardware: Hardware, before: int, progress: Progress | None
    ) -> tuple[int, tuple[Words, Words] | None]:
        """Go through a turn; return the cycles that agree, and what then is expected and seen."""
        rows, compared, wrong = Rows(self.layout), 0, None

        def compare(chunk: Chunk) -> tuple[int, tuple[Words, Words] | None]:
            started = time.thread_time()
            given, expected = rows.of(chunk)
            made = time.thread_time()
            done, seen = hardware.run(given, expected)
            self.seconds["model"] += made - started
            self.seconds["hardware"] += time.thread_time() - made
            return done, None if done == chunk.cycles else (expected[done], seen)

        # The model goes ahead while the hardware follows.
        with ThreadPoolExecutor(1) as pool:
            ahead = None
            while wrong is None:
                started = time.thread_time()
                chunk = turn.chunk(self.chunk)
                self.seconds["model"] += time.thread_time() - started
                if ahead is not None:
                    done, wrong = ahead.result()
                    compared += done
                    if progress:
                        total = self.script.cycles
                        progress(min(before + compared, total), total)
                if wrong is None and not chunk.cycles:
                    break
                ahead = pool.submit(compare, chunk)
        return compared, wrong

    def _again(
        self,
        turns: Iterator[Turn],
        earlier: int,
        cycles: int,
        wrong: tuple[Words, Words],
        waveform: Path | None,
    ) -> tuple[dict[str, Any], Path | None]:
        """Go through all again, up to a difference in the turn after some, and tell what it is."""
        hardware = self.assembly.hardware()
        for _, before in zip(range(earlier), turns, strict=False):
            hardware.reset()
            rows = Rows(self.layout)
            while (chunk := before.chunk(self.chunk)).cycles:
                hardware.run(rows.of(chunk)[0], None)
        turn, rows, compared = next(turns), Rows(self.layout), Comparison(self.layout)
        at = self._at(*wrong)
        if waveform and at:
            hardware.watch(*at)
        hardware.reset()
        message = ""
        while (left := cycles - turn.cycle) >= 0:
            chunk = turn.chunk(min(self.chunk, left - KEPT) if left > KEPT else 1)
            if not chunk.cycles:
                break
            given, expected = rows.of(chunk)
            hardware.run(given, None)
            if left <= KEPT:
                shown = expected[0], wrong[1] if left == 0 else expected[0]
                message = compared.compare(cycles - left, *map(rows.columns, shown))
        message = message or f"cycle {cycles}: the model is not the same again"
        if waveform and at:
            self._replay(*at, hardware.inputs, waveform)
        hardware.close()
        return compared.report(cycles, turn, message), waveform if at else None

    def _replay(self, kind: Kind, number: int, inputs: Words, waveform: Path) -> None:
        """Give a node the inputs that it had, and keep its waveform."""
        builder = Builder(self.folder, traced=True)
        libraries = builder.build({kind.module: self.sources[kind.module]}, [kind])
        constants = self.plan.kept(kind, kind.nodes[number])
        replay(libraries.nodes[kind.module], constants, inputs, waveform)

    def _at(self, expected: Words, seen: Words) -> tuple[Kind, int] | None:
        """Return the node that drives the first field that differs."""
        start, rows = 0, Rows(self.layout)
        pairs = zip(rows.columns(expected), rows.columns(seen), strict=True)
        for (golden, found), group in zip(pairs, self.layout.groups, strict=True):
            if place := group.difference(golden, found):
                name, row = place
                bit = int(golden[name][row] ^ found[name][row])
                fields = [field for field, _ in group.fields]
                start += bits_of(group.fields[: fields.index(name)]) + row * bits_of(group.fields)
                return self.plan.driver(start + (bit & -bit).bit_length() - 1)
            start += group.rows * bits_of(group.fields)
        return None


class HardwareBeside:
    """The nodes of a network, compiled, that stand beside one engine after the other.

    Parameters
    ----------
    network : AnyNetwork
        One that the compiled model can run.
    directory : Path
        Where `fingerpost.testbench.cosim.run` writes, too.
    sources : sequence of Path, optional
        Verilog to run instead of what is generated.

    Raises
    ------
    BenchError
        If something does not compile, or an input of a node reaches an output within a cycle.
    ToolError
        If a tool is missing.
    """

    def __init__(
        self,
        network: AnyNetwork,
        directory: Path,
        *,
        sources: Sequence[Path] | None = None,
        progress: Progress | None = None,
    ) -> None:
        bench = make(network, "network", engine="compiled")
        with TemporaryDirectory() as folder:
            files = sources or write(bench, Path(folder))
            self.compiled = CompiledLockStep(
                bench, files, directory / bench.engine, progress=progress
            )
        self.hardware = self.compiled.assembly.hardware()

    def engine(
        self,
        network: AnyNetwork,
        traffics: Sequence[Traffic],
        *,
        stall: float = 0.0,
        **options: Any,
    ) -> "Beside":
        """Return an engine for one traffic; it resets the hardware, which ends any earlier one."""
        self.hardware.reset()
        return Beside(engine(network, traffics, stall=stall, compiled=True, **options), self)


class Beside(Engine):
    """An engine that goes no further than hardware does the same.

    Parameters
    ----------
    model : Engine
        Of one run.
    beside : HardwareBeside
        The hardware, after its reset.

    Raises
    ------
    ValueError
        If there are several runs.
    """

    name = "compiled"

    def __init__(self, model: Engine, beside: HardwareBeside) -> None:
        if len(model.runs) != 1:
            raise ValueError(f"Hardware needs one run, not {len(model.runs)}")
        self.model, self.beside, self.runs = model, beside, model.runs
        self.rows = Rows(beside.compiled.layout)

    def _start(self, traffics: Sequence[Traffic], start: Callable[..., Any]) -> None:
        self.model._start(traffics, start)

    def _recording(self, cycles: int) -> Any:
        return self.model._recording(cycles)

    def run(self, cycles: int, *, until_delivered: bool = False) -> None:
        """Go through so many cycles.

        Raises
        ------
        SoakError
            If a link or a terminal of the hardware differs.
        """
        most = self.beside.compiled.chunk
        for begin in range(0, cycles, most):
            if until_delivered and self.runs[0].all_delivered:
                return
            self.record(min(most, cycles - begin))

    def record(self, cycles: int) -> Record:
        """Go through so many cycles; return what went in and came out.

        Raises
        ------
        SoakError
            If a link or a terminal of the hardware differs.
        """
        record = self.model.record(cycles)
        chunk = Chunk(cycles, record.given, (record.links, record.terminals))
        given, expected = self.rows.of(chunk)
        done, seen = self.beside.hardware.run(given, expected)
        if done < cycles:
            columns = map(self.rows.columns, (expected[done], seen))
            compared = Comparison(self.beside.compiled.layout)
            raise SoakError(compared.compare(record.first + done, *columns))
        return record
