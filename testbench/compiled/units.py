"""The decisions of routing units, compiled side by side."""

import ctypes
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.network import node_straps
from fingerpost.testbench.benches.questions import Examination, Questions
from fingerpost.testbench.compiled.build import Builder
from fingerpost.testbench.compiled.hardware import create
from fingerpost.testbench.compiled.layout import bits
from fingerpost.testbench.compiled.lock_step import Found
from fingerpost.testbench.compiled.node import words
from fingerpost.testbench.compiled.plan import Kind, cut
from fingerpost.testbench.compiled.wiring import Instance, Port, ports
from fingerpost.testbench.packing import Columns, empty, fill
from fingerpost.testbench.runner import Progress
from fingerpost.testbench.sources import lane

__all__ = ["CompiledUnits"]

TOP = "unit_bench"

LANES = 1024
"""Questions in one access."""


class CompiledUnits:
    """The routing unit of a network, compiled once.

    Parameters
    ----------
    network : Network
    sources : sequence of Path
        What `fingerpost.testbench.benches.compiled.CompiledUnitBench` writes.
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
        self.asked, self.answered = lane(network)
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
            nodes=[Instance(TOP, f"lane{i}", {}, {}) for i in range(LANES)],
            contents=(),
            read=set(),
            # Without a cycle for the header, an answer follows from the question of the same cycle.
            late=("answered",),
        )
        built = Builder(folder).build({TOP: "\n".join(texts.values())}, [kind], progress)
        self.library = ctypes.CDLL(str(built.nodes[TOP]))
        question = np.arange(LANES) * words(bits(self.asked))
        straps = np.full(LANES, LANES * words(bits(self.asked)))
        self.start = np.stack([question, straps], axis=1).astype(np.uint32) << 6
        self.units = create(self.library, [np.zeros(0, np.uint64)] * LANES)

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
        accesses = -(-count // LANES) + self.latency
        asked, answered = (words(bits(fields)) for fields in (self.asked, self.answered))
        sent = np.zeros((accesses * LANES, asked), np.uint64)
        columns = {name: getattr(questions, name) for name, _ in self.asked}
        fill(self.asked, columns, sent[:count])
        straps, _ = node_straps(self.network, questions.node)
        held = np.array(cut(straps, words(self.straps.width)), np.uint64)
        now = np.concatenate([sent.reshape(accesses, -1), np.tile(held, (accesses, 1))], axis=1)
        seen = np.zeros((accesses, LANES, answered), np.uint64)
        for before, after in zip(now, seen, strict=True):
            rows = (row.ctypes.data for row in (before, after, self.start))
            self.library.step(ctypes.c_void_p(self.units), *map(ctypes.c_void_p, rows))
        return empty(self.answered, seen[self.latency :].reshape(-1, answered)[:count])
