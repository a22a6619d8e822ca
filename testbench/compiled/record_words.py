"""What a model has recorded, as the words that go into a network and are seen of it."""

from collections.abc import Mapping, Sequence

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.compiled import Record
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.testbench.compiled.layout import Layout
from fingerpost.testbench.compiled.plan import Words
from fingerpost.testbench.packing import fill

__all__ = ["Late", "RecordWords"]

Columns = dict[str, IntArray]

TOGETHER = 16
"""Cycles whose words stay in the caches of a processor, more or less."""


class Late:
    """Fields of terminals that follow from inputs of the same cycle: nodes show them a cycle later.

    In the first cycle they are as in the one before, in which nothing went in either.

    Parameters
    ----------
    names : sequence of str
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.before: Columns = {}

    def of(self, columns: Mapping[str, IntArray]) -> Columns:
        """Return columns, with the cycle first, as they are seen."""
        found = dict(columns)
        for name in self.names:
            now = columns[name]
            before = self.before.get(name, now[:1])
            found[name] = np.concatenate([before, now[:-1]])
            self.before[name] = now[-1:]
        return found

    def early(self, seen: Columns, expected: Mapping[str, IntArray]) -> Columns:
        """Return what is seen in a cycle, with differences of the late fields put to `expected`."""
        found = dict(seen)
        for name in self.names:
            before = self.before.get(name, expected[name][None])[0]
            found[name] = seen[name] ^ before ^ expected[name]
        return found


class RecordWords:
    """Makes words of the records of a run, one after the other."""

    def __init__(self, network: AnyNetwork, layout: Layout) -> None:
        self.layout, self.late = layout, Late(network.terminal.late)

    def of(self, record: Record) -> tuple[Words, Words]:
        """Return what goes in, and what must be seen, in each cycle of a record."""
        cycles = len(record.links["valid"])
        given, seen = self.layout.make(cycles)
        groups = [
            (self.layout.rows(given), record.given, self.layout.sent),
            *(
                (part, columns, fields)
                for part, columns, (_, fields) in zip(
                    self.layout.parts(seen),
                    (record.links, self.late.of(record.terminals)),
                    self.layout.groups,
                    strict=True,
                )
            ),
        ]
        for first in range(0, cycles, TOGETHER):
            some = slice(first, first + TOGETHER)
            for into, columns, fields in groups:
                fill(fields, {name: columns[name][some] for name, _ in fields}, into[some])
        return given, seen
