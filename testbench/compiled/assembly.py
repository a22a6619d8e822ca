"""Nodes and what joins them, compiled, ready to be run; what goes in and is seen, as words."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.testbench.compiled.build import Builder, Libraries
from fingerpost.testbench.compiled.clusters import clustered
from fingerpost.testbench.compiled.gates import check
from fingerpost.testbench.compiled.hardware import Hardware
from fingerpost.testbench.compiled.plan import Plan, Words
from fingerpost.testbench.compiled.wiring import Wiring, ports
from fingerpost.testbench.lock_step import Chunk, Layout
from fingerpost.testbench.packing import Columns, bits_of, empty, fill, words
from fingerpost.testbench.runner import Progress

TOPS = "network.v", "bench.v"

TOGETHER = 16
"""Cycles whose words stay in the caches of a processor, more or less."""


class Rows:
    """Makes words of one chunk of a turn after the other; each row begins with a word of its own.

    Fields that are late are seen as they were in the cycle before; in the first cycle as in itself,
    since nothing went in before it either.

    Attributes
    ----------
    given_words, seen_words : int
        In a cycle.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.given_words = layout.rows * words(bits_of(layout.given))
        self._sizes = [group.rows * words(bits_of(group.fields)) for group in layout.groups]
        self.seen_words = sum(self._sizes)
        self._before: dict[tuple[int, str], IntArray] = {}

    def of(self, chunk: Chunk) -> tuple[Words, Words]:
        """Return what goes in, and what must be seen, in each cycle."""
        cycles = chunk.cycles
        given = np.zeros((cycles, self.given_words), np.uint64)
        seen = np.zeros((cycles, self.seen_words), np.uint64)
        parts = [(given.reshape(cycles, self.layout.rows, -1), chunk.given, self.layout.given)]
        for number, (part, columns, group) in enumerate(
            zip(self._parts(seen), chunk.expected, self.layout.groups, strict=True)
        ):
            late = {name: self._late(number, name, columns[name]) for name in group.late}
            parts.append((part, {**columns, **late}, group.fields))
        for first in range(0, cycles, TOGETHER):
            some = slice(first, first + TOGETHER)
            for into, columns, fields in parts:
                fill(fields, {name: columns[name][some] for name, _ in fields}, into[some])
        return given, seen

    def _late(self, group: int, name: str, now: IntArray) -> IntArray:
        """Return a field as it is seen."""
        before = self._before.get((group, name), now[:1])
        self._before[group, name] = now[-1:]
        return np.concatenate([before, now[:-1]])

    def _parts(self, seen: Words) -> list[Words]:
        """Return what is seen in some cycles by groups and rows; both share their memory."""
        parts = np.split(seen, np.cumsum(self._sizes)[:-1], axis=-1)
        return [
            part.reshape(*part.shape[:-1], group.rows, -1)
            for part, group in zip(parts, self.layout.groups, strict=True)
        ]

    def columns(self, seen: Words) -> list[Columns]:
        """Return the fields of what is seen in a cycle, by groups."""
        pairs = zip(self._parts(seen), self.layout.groups, strict=True)
        return [empty(group.fields, part) for part, group in pairs]


@dataclass(frozen=True)
class Assembly:
    """What was compiled."""

    plan: Plan
    libraries: Libraries
    layout: Layout
    sources: dict[str, str]
    """The Verilog of each module that stands at nodes, and of what is in it."""

    @classmethod
    def of(
        cls,
        sources: Sequence[Path],
        folder: Path,
        layout: Layout,
        *,
        lines: bool = False,
        join: bool = False,
        progress: Progress | None = None,
    ) -> Self:
        """Compile sources: the modules of nodes, network.v, which joins them if bench.v does not.

        Parameters
        ----------
        folder : Path
            Where what is compiled is kept.
        lines : bool
            Whether nodes count lines and toggles (`fingerpost.testbench.compiled.lines`).
        join : bool
            Whether modules with combinational paths between them, such as nodes and tables beside
            them, are joined first (`fingerpost.testbench.compiled.clusters`).

        Raises
        ------
        BenchError
            If something does not compile, or an input of a node reaches an output within a cycle.
        """
        texts = {path.name: path.read_text() for path in sources if path.suffix == ".v"}
        *inside, bench = (texts.pop(name) for name in TOPS if name in texts)
        modules = {file: ports(text) for file, text in texts.items()}
        verilog = {name: texts[file] for file, found in modules.items() for name in found}
        known = {name: several for found in modules.values() for name, several in found.items()}
        rows = [(group.rows, bits_of(group.fields)) for group in layout.groups]
        wiring = Wiring(bench, inside, known)
        if join:
            parts = clustered(wiring, verilog, folder)
            verilog, known = parts.kinds, {}
            for text in verilog.values():
                known |= ports(text)
            wiring = Wiring(parts.bench, [parts.network], known)
        plan = Plan(wiring, sent=bits_of(layout.given), rows=rows)
        kinds = [kind.module for kind in plan.kinds]
        others = [text for name, text in verilog.items() if name not in kinds]
        verilog = {name: "\n".join([verilog[name], *others]) for name in kinds}
        for kind in plan.kinds:
            kind.late = check(kind, verilog[kind.module], folder)
        libraries = Builder(folder, lines=lines).build(verilog, plan.kinds, progress)
        return cls(plan, libraries, layout, verilog)

    def hardware(self) -> Hardware:
        """Return the nodes, as at power-up."""
        return Hardware(self.plan, self.libraries, self.layout)
