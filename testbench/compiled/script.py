"""The model's side, many cycles at once: what goes into a network, and what must come of it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.engine import Record, engine
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.testbench.compiled.assembly import Layout
from fingerpost.testbench.compiled.plan import Words
from fingerpost.testbench.network_run import (
    NetworkRun,
    counted,
    last_cycle,
    traffic,
    undelivered,
)
from fingerpost.testbench.packing import Columns, fill

TOGETHER = 16
"""Cycles whose words stay in the caches of a processor, more or less."""

DRAIN = 256
"""Cycles at once in which a network drains; what is behind the last that matters is cut off."""


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
        cycles = len(next(iter(record.links.values())))
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


class Chunk(NamedTuple):
    """Some cycles, and what makes words of what goes in and what is seen.

    It may be called in another thread, while the model goes on; that of one chunk after the other.
    """

    cycles: int
    words: Callable[[], tuple[Words, Words]]


class Script(Protocol):
    """What a model says, chunk by chunk."""

    def __init__(self, network: AnyNetwork, given: Mapping[str, Any], layout: Layout) -> None: ...

    def chunk(self, most: int) -> Chunk:
        """Go on for some cycles, for none at the end."""

    def lacking(self) -> str:
        """Return what is wrong at the end of a run without a difference, or nothing."""

    def report(self, message: str) -> dict[str, Any]:
        """Return what came of the run."""


class RunScript:
    """The model cycle by cycle, of every network."""

    def __init__(self, network: AnyNetwork, given: Mapping[str, Any], layout: Layout) -> None:
        self.run, self.layout = NetworkRun(network, given), layout
        self.late = Late(network.terminal.late)

    @property
    def cycle(self) -> int:
        """Return the cycle that comes next."""
        return self.run.cycle

    def chunk(self, most: int) -> Chunk:
        """Go on for some cycles."""
        given, seen = self.layout.make(most)
        done = 0
        while done < most and not self.run.finished():
            self.give(given[done])
            wires, terminals = self.run.expected()
            rows = {name: column[None] for name, column in terminals.items()}
            terminals = {name: column[0] for name, column in self.late.of(rows).items()}
            columns = wires, terminals
            for part, column, (_, fields) in zip(
                self.layout.parts(seen[done]), columns, self.layout.groups, strict=True
            ):
                fill(fields, column, part)
            self.run.step()
            done += 1
        return Chunk(done, lambda: (given[:done], seen[:done]))

    def give(self, given: Words) -> None:
        """Put into words what goes in in this cycle."""
        fill(self.layout.sent, self.run.give(), self.layout.rows(given))

    def lacking(self) -> str:
        """Return what is wrong at the end."""
        return self.run.lacking()

    def report(self, message: str) -> dict[str, Any]:
        """Return what came of the run."""
        return self.run.report(message)


class EngineScript:
    """The model of `fingerpost.golden.engine`."""

    def __init__(self, network: AnyNetwork, given: Mapping[str, Any], layout: Layout) -> None:
        self.layout, self.cycles, self.surplus = layout, given["cycles"], given["surplus"]
        packets = traffic(network, given)
        self.engine = engine(network, [packets], stall=given["stall"], surplus=given["surplus"])
        self.run = self.engine.runs[0]
        self.last = last_cycle(network, packets, self.cycles)
        self.cycle, self._over = 0, False
        self.words = RecordWords(network, layout)

    def chunk(self, most: int) -> Chunk:
        """Go on for some cycles."""
        if self.cycle == self.cycles and not self._over:
            self.run.stop()
            self._over = self.run.empty or self.surplus > 0
        if self._over:
            return Chunk(0, lambda: self.layout.make(0))
        drains = self.cycle >= self.cycles
        most = min(most, self.last - self.cycle, DRAIN) if drains else most
        record = self.engine.record(most if drains else min(most, self.cycles - self.cycle))
        cycles = len(next(iter(record.links.values())))
        if drains and self.run.empty:
            # Nothing happens behind the last flit, or the last credit that a terminal gives back.
            shown = (record.terminals, "valid"), (record.given, "credit")
            ends = [columns[name].any(axis=1) for columns, name in shown if name in columns]
            busy = np.any(ends, axis=0)
            if busy.any():  # nothing ends if all that was sent is malformed, or is serial
                cycles = int(np.flatnonzero(busy)[-1]) + 1
        self.cycle += cycles
        self._over = drains and (self.run.empty or self.cycle >= self.last)

        def made() -> tuple[Words, Words]:
            given, seen = self.words.of(record)
            return given[:cycles], seen[:cycles]

        return Chunk(cycles, made)

    def lacking(self) -> str:
        """Return what is wrong at the end."""
        if self.surplus:
            return ""
        return undelivered(self.cycle, self.run)

    def report(self, message: str) -> dict[str, Any]:
        """Return what came of the run."""
        return counted(self.cycle, self.run, message)
