"""Routing units side by side, compiled."""

import ctypes
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fingerpost.testbench.benches.questions import Examination, Questions, UnitBench
from fingerpost.testbench.compiled.build import Builder
from fingerpost.testbench.compiled.hardware import create
from fingerpost.testbench.compiled.lock_step import Found
from fingerpost.testbench.compiled.plan import Kind, cut
from fingerpost.testbench.compiled.wiring import Instance, Port, ports
from fingerpost.testbench.packing import Columns, bits_of, empty, fill, words
from fingerpost.testbench.runner import Progress
from fingerpost.testbench.sources import unit_constants, unit_fields

TOP = "unit_bench"

COPIES = 1024
"""Questions in one access."""


class CompiledUnits:
    """The routing unit of a network, compiled once.

    Parameters
    ----------
    bench : UnitBench
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
        bench: UnitBench,
        sources: Sequence[Path],
        folder: Path,
        *,
        progress: Progress | None = None,
    ) -> None:
        self.bench, self.network = bench, bench.network
        self.asked, self.answered = unit_fields(self.network)
        self.latency = self.network.routing.header_cycles
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
        question = np.arange(COPIES) * words(bits_of(self.asked))
        straps = np.full(COPIES, COPIES * words(bits_of(self.asked)))
        self.start = np.stack([question, straps], axis=1).astype(np.uint32) << 6
        self.units = create(self.library, [np.zeros(0, np.uint64)] * COPIES)

    def run(self, *, waveform: Path | None = None, progress: Progress | None = None) -> Found:
        """Ask all questions at each node; there is no waveform of a difference."""
        examination = Examination(self.network, self.bench.parameters())
        started = time.perf_counter()
        for done, asked in enumerate(examination):
            examination.compare(asked, self.ask(asked))
            if progress and done % 16 == 0:
                progress(done, len(examination.nodes))
        self.library.destroy(ctypes.c_void_p(self.units))
        return Found(examination.report() | {"asking_seconds": time.perf_counter() - started})

    def ask(self, questions: Questions) -> Columns:
        """Return the answers of the units; each takes a question in every clock."""
        count = len(questions.header)
        accesses = -(-count // COPIES) + self.latency
        asked, answered = (words(bits_of(fields)) for fields in (self.asked, self.answered))
        sent = np.zeros((accesses * COPIES, asked), np.uint64)
        columns = {name: getattr(questions, name) for name, _ in self.asked}
        fill(self.asked, columns, sent[:count])
        straps = unit_constants(self.network, questions.node)
        held = np.array(cut(straps, words(self.straps.width)), np.uint64)
        now = np.concatenate([sent.reshape(accesses, -1), np.tile(held, (accesses, 1))], axis=1)
        seen = np.zeros((accesses, COPIES, answered), np.uint64)
        for before, after in zip(now, seen, strict=True):
            rows = (row.ctypes.data for row in (before, after, self.start))
            self.library.step(ctypes.c_void_p(self.units), *map(ctypes.c_void_p, rows))
        return empty(self.answered, seen[self.latency :].reshape(-1, answered)[:count])
