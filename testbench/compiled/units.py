"""Routing units, and deflection routers without their links, compiled."""

import ctypes
import time
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.routers import node_straps
from fingerpost.testbench.benches.questions import Examination, Questions
from fingerpost.testbench.benches.unit import CompiledDeflectionUnitBench, given_fields
from fingerpost.testbench.compiled.assembly import Assembly, bits
from fingerpost.testbench.compiled.build import Builder
from fingerpost.testbench.compiled.hardware import create
from fingerpost.testbench.compiled.lock_step import Found
from fingerpost.testbench.compiled.node import words
from fingerpost.testbench.compiled.plan import Kind, cut
from fingerpost.testbench.compiled.wiring import Instance, Port, ports
from fingerpost.testbench.network_run import sentence
from fingerpost.testbench.packing import Columns, empty, fill
from fingerpost.testbench.runner import Progress
from fingerpost.testbench.sources import unit_fields, wire_fields

TOP = "unit_bench"

COPIES = 1024
"""Questions in one access."""

TOGETHER = 64
"""Cycles that the hardware goes through at once."""


class CompiledUnits:
    """The routing unit of a network, compiled once.

    Parameters
    ----------
    network : Network
    sources : sequence of Path
        What `fingerpost.testbench.benches.unit.CompiledUnitBench` writes.
    folder : Path
        Where what is compiled is kept.

    Raises
    ------
    BenchError
        If something does not compile.
    """

    def __init__(
        self,
        network: Network,
        sources: Sequence[Path],
        folder: Path,
        *,
        progress: Progress | None = None,
    ) -> None:
        self.network = network
        self.asked, self.answered = unit_fields(network)
        self.latency = network.routing.header_cycles
        texts = {path.name: path.read_text() for path in sources if path.suffix == ".v"}
        several = {port.name: port for port in ports(texts["bench.v"])[TOP]}
        self.straps: Port = several["straps"]
        kind = Kind(
            module=TOP,
            clock="clk",
            constants=(),
            inputs=(several["asked"], self.straps),
            outputs=(several["answered"],),
            nodes=[Instance(TOP, f"unit{i}", {}, {}) for i in range(COPIES)],
            contents=(),
            read=set(),
            # Without a cycle for the header, an answer follows from the question of the same cycle.
            late=("answered",),
        )
        built = Builder(folder).build({TOP: "\n".join(texts.values())}, [kind], progress)
        self.library = ctypes.CDLL(str(built.nodes[TOP]))
        question = np.arange(COPIES) * words(bits(self.asked))
        straps = np.full(COPIES, COPIES * words(bits(self.asked)))
        self.start = np.stack([question, straps], axis=1).astype(np.uint32) << 6
        self.units = create(self.library, [np.zeros(0, np.uint64)] * COPIES)

    def run(
        self,
        given: Mapping[str, Any],
        *,
        waveform: Path | None = None,
        progress: Progress | None = None,
    ) -> Found:
        """Ask all questions at each node; there is no waveform of a difference."""
        examination = Examination(self.network, given)
        started = time.perf_counter()
        for done, asked in enumerate(examination):
            examination.compare(asked, self.ask(asked))
            if progress and done % 16 == 0:
                progress(done, len(examination.nodes))
        self.library.destroy(ctypes.c_void_p(self.units))
        return Found(examination.report() | {"asking_seconds": time.perf_counter() - started}, None)

    def ask(self, questions: Questions) -> Columns:
        """Return the answers of the units; each takes a question in every clock."""
        count = len(questions.header)
        accesses = -(-count // COPIES) + self.latency
        asked, answered = (words(bits(fields)) for fields in (self.asked, self.answered))
        sent = np.zeros((accesses * COPIES, asked), np.uint64)
        columns = {name: getattr(questions, name) for name, _ in self.asked}
        fill(self.asked, columns, sent[:count])
        straps, _ = node_straps(self.network, questions.node)
        held = np.array(cut(straps, words(self.straps.width)), np.uint64)
        now = np.concatenate([sent.reshape(accesses, -1), np.tile(held, (accesses, 1))], axis=1)
        seen = np.zeros((accesses, COPIES, answered), np.uint64)
        for before, after in zip(now, seen, strict=True):
            rows = (row.ctypes.data for row in (before, after, self.start))
            self.library.step(ctypes.c_void_p(self.units), *map(ctypes.c_void_p, rows))
        return empty(self.answered, seen[self.latency :].reshape(-1, answered)[:count])


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
