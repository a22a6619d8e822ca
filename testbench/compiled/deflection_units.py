"""Deflection routers without their links, compiled, beside the model."""

import time
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from fingerpost.testbench.benches.compiled import CompiledDeflectionUnitBench
from fingerpost.testbench.benches.deflection_questions import given_fields
from fingerpost.testbench.compiled.assembly import Assembly
from fingerpost.testbench.compiled.layout import bits
from fingerpost.testbench.compiled.lock_step import Found
from fingerpost.testbench.compiled.node import words
from fingerpost.testbench.network_run import sentence
from fingerpost.testbench.packing import empty, fill
from fingerpost.testbench.runner import Progress
from fingerpost.testbench.sources import wire_fields

__all__ = ["CompiledDeflectionUnits"]

TOGETHER = 64
"""Cycles that the hardware goes through at once."""


class CompiledDeflectionUnits:
    """Deflection routers with their tables, each type compiled once.

    Parameters
    ----------
    bench : CompiledDeflectionUnitBench
    sources : sequence of Path
        What it writes.
    folder : Path
        Where what is compiled is kept.

    Raises
    ------
    BenchError
        If something does not compile.
    """

    def __init__(
        self,
        bench: CompiledDeflectionUnitBench,
        sources: Sequence[Path],
        folder: Path,
        *,
        progress: Progress | None = None,
    ) -> None:
        self.bench, self.questions = bench, bench.questions()
        self.given: Any = given_fields(self.questions.network)
        self.seen: Any = wire_fields(self.questions.network)
        self.assembly = Assembly.of(
            sources,
            folder,
            sent=self.given,
            groups=[(self.questions.rows, self.seen)],
            idle=self.questions.network.link.payload,
            progress=progress,
        )

    def run(
        self,
        given: Mapping[str, Any],
        *,
        waveform: Path | None = None,
        progress: Progress | None = None,
    ) -> Found:
        """Ask all questions, up to a difference; what is given is in the bench.

        There is no waveform of a difference. `progress` is called with cycles done and to do.
        """
        questions, message, done, decisions = self.questions, "", 0, 0
        started = time.perf_counter()
        hardware = self.assembly.hardware()
        hardware.reset()
        cycles = iter(questions)
        while some := list(islice(cycles, TOGETHER)):
            asked, leaves = (
                np.zeros((len(some), questions.rows, words(bits(fields))), np.uint64)
                for fields in (self.given, self.seen)
            )
            for cycle, (ask, leave) in enumerate(some):
                fill(self.given, ask, asked[cycle])
                fill(self.seen, leave, leaves[cycle])
            agreed, seen = hardware.run(asked.reshape(len(some), -1), leaves)
            decisions += sum(int(leave["valid"].sum()) for _, leave in some[:agreed])
            if agreed < len(some):
                last = empty(self.seen, seen.reshape(questions.rows, -1))
                network = questions.network
                group = (some[agreed][1], last, network.topology.local, network.link.payload)
                message = sentence(done + agreed, [group], self.bench.chosen().tolist())
                break
            done += agreed
            if progress:
                progress(done, questions.cycles)
        hardware.close()
        facts = {
            "decisions": decisions,
            "mismatches": int(bool(message)),
            "message": message,
            "asking_seconds": time.perf_counter() - started,
        }
        return Found(facts, None)
