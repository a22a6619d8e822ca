"""A network in lock-step with the model, its nodes compiled."""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fingerpost.golden.engine import unfit
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.testbench.compiled.assembly import Assembly, Layout, bits
from fingerpost.testbench.compiled.build import Builder
from fingerpost.testbench.compiled.coverage import counted
from fingerpost.testbench.compiled.hardware import RESET_CYCLES, Hardware, replay
from fingerpost.testbench.compiled.plan import Kind, Words
from fingerpost.testbench.compiled.script import Chunk, EngineScript, RunScript, Script
from fingerpost.testbench.network_run import difference, join, turns
from fingerpost.testbench.runner import Progress

CHUNK, MOST = 1 << 24, 4096
"""Bytes, and cycles, of what is expected where the model goes ahead."""


@dataclass(frozen=True)
class Found:
    """What came of a run: what it reports, and the waveform of the node that differs."""

    report: dict[str, Any]
    waveform: Path | None


@dataclass(frozen=True)
class _Difference:
    """The cycle of the first difference, what was seen in it, and which node it is of."""

    cycle: int
    seen: Words
    at: tuple[Kind, int] | None


class CompiledNetwork:
    """A network whose nodes are compiled, each kind of them once.

    Parameters
    ----------
    network : AnyNetwork
    sources : sequence of Path
        What `testbench.benches.network.network_sources` writes: nodes, network and bench.
    folder : Path
        Where what is compiled is kept.
    lines : bool
        Whether to tell what of the Verilog is gone through, too.

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
        network: AnyNetwork,
        sources: Sequence[Path],
        folder: Path,
        *,
        lines: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self.network, self.folder, self.layout = network, folder, Layout(network)
        self.lines = lines
        self.assembly = Assembly.of(
            sources,
            folder,
            sent=self.layout.sent,
            groups=self.layout.groups,
            idle=network.link.payload,
            lines=lines,
            progress=progress,
        )
        self.plan, self.sources = self.assembly.plan, self.assembly.sources
        size = 8 * (self.layout.given_words + self.layout.seen_words)
        self.chunk = min(MOST, max(1, CHUNK // size))

    def run(
        self,
        given: Mapping[str, Any],
        *,
        waveform: Path | None = None,
        progress: Progress | None = None,
    ) -> Found:
        """Go through all parts of a run in lock-step.

        Parameters
        ----------
        given : mapping
            The stimulus, as `NetworkBench.parameters` has it.
        waveform : Path, optional
            Where that of the node goes that is the first to differ.
        """
        seconds = {"model_cpu_seconds": 0.0, "hardware_cpu_seconds": 0.0}
        hardware, waved = self.assembly.hardware(), None
        parts, reports = turns(given), list[dict[str, Any]]()
        for number, turn in enumerate(parts, 1):
            script = self._script(turn, seconds)
            hardware.reset()
            compared, wrong = self._compare(script, hardware, turn, seconds, progress)
            if wrong is None:
                reports.append(script.report(script.lacking()))
            else:
                report, waved = self._again(parts[:number], compared, wrong, waveform)
                reports.append(report)
            if reports[-1]["mismatches"]:
                break
        seen_lines = counted(hardware) if self.lines and wrong is None else {}
        hardware.close()
        return Found(join(reports, resets=RESET_CYCLES) | seconds | seen_lines, waved)

    def _script(self, given: Mapping[str, Any], seconds: dict[str, float]) -> Script:
        """Return the model of a part of a run."""
        fails = self.network.link.told(self.network.topology.degree)
        kind: type[Script] = RunScript if unfit(self.network) or fails else EngineScript
        started = time.thread_time()
        script = kind(self.network, given, self.layout)
        # Packets, and their routes, are made beforehand.
        seconds["model_cpu_seconds"] += time.thread_time() - started
        return script

    def _compare(
        self,
        script: Script,
        hardware: Hardware,
        given: Mapping[str, Any],
        seconds: dict[str, float],
        progress: Progress | None,
    ) -> tuple[int, _Difference | None]:
        """Go through a part of a run; return the cycles that agree, and what then differs."""
        making: list[float] = []
        compared, wrong = 0, None

        def compare(chunk: Chunk) -> _Difference | None:
            started = time.thread_time()
            sent, expected = chunk.words()
            made = time.thread_time()
            done, seen = hardware.run(sent, expected)
            making.append(made - started)
            seconds["hardware_cpu_seconds"] += time.thread_time() - made
            if done == len(sent):
                return None
            return _Difference(done, seen, self._at(expected[done], seen))

        # The model goes ahead while the hardware follows.
        with ThreadPoolExecutor(1) as pool:
            ahead, behind = None, 0
            while wrong is None:
                started = time.thread_time()
                chunk = script.chunk(self.chunk)
                seconds["model_cpu_seconds"] += time.thread_time() - started
                if ahead is not None:
                    wrong = ahead.result()
                    compared += behind if wrong is None else wrong.cycle
                    if progress:
                        progress(min(compared, given["cycles"]), given["cycles"])
                if wrong is None and not chunk.cycles:
                    break
                ahead, behind = pool.submit(compare, chunk), chunk.cycles
        seconds["model_cpu_seconds"] += sum(making)
        return compared, wrong

    def _again(
        self,
        parts: Sequence[Mapping[str, Any]],
        cycles: int,
        wrong: _Difference,
        waveform: Path | None,
    ) -> tuple[dict[str, Any], Path | None]:
        """Go through a run again, up to a difference in the last part, and tell what it is."""
        *earlier, given = parts
        hardware = self.assembly.hardware()
        for before in earlier:
            hardware.reset()
            ahead = self._script(before, defaultdict(float))
            while (chunk := ahead.chunk(self.chunk)).cycles:
                hardware.run(chunk.words()[0], None)
        script = RunScript(self.network, given, self.layout)
        if waveform and wrong.at:
            hardware.watch(*wrong.at)
        hardware.reset()
        while script.cycle < cycles:
            sent, _ = script.chunk(min(self.chunk, cycles - script.cycle)).words()
            hardware.run(sent, None)
        given_last, _ = self.layout.make(1)
        script.run.finished()
        script.give(given_last[0])
        wires, terminals = self.layout.columns(wrong.seen)
        terminals = script.late.early(terminals, script.run.terminals())
        message = script.run.compare(wires, terminals)
        message = message or f"cycle {cycles}: the model is not the same again"
        if waveform and wrong.at:
            hardware.run(given_last, None)
            self._replay(*wrong.at, hardware.inputs, waveform)
        hardware.close()
        return script.report(message), waveform if wrong.at else None

    def _replay(self, kind: Kind, number: int, inputs: Words, waveform: Path) -> None:
        """Give a node the inputs that it had, and keep its waveform."""
        builder = Builder(self.folder, traced=True)
        libraries = builder.build({kind.module: self.sources[kind.module]}, [kind])
        constants = self.plan.kept(kind, kind.nodes[number])
        replay(libraries.nodes[kind.module], constants, inputs, waveform)

    def _at(self, expected: Words, seen: Words) -> tuple[Kind, int] | None:
        """Return the node that drives the first field that differs."""
        start = 0
        pairs = zip(self.layout.columns(expected), self.layout.columns(seen), strict=True)
        for (golden, found), (rows, fields) in zip(pairs, self.layout.groups, strict=True):
            place = difference(golden, found, self.network.link.payload)
            if place:
                name, row = place
                bit = int(golden[name][row] ^ found[name][row])
                for field, width in fields:
                    if field == name:
                        break
                    start += width
                start += row * bits(fields)
                return self.plan.driver(start + (bit & -bit).bit_length() - 1)
            start += rows * bits(fields)
        return None
