"""Hardware beside a model, cycle by cycle: what a bench gives, what must be seen, and what differs.

A `Script` is the model's side of a bench. Its turns say what goes in after each reset and what must
come of it. What runs the hardware, cocotb or compiled nodes, knows scripts alone.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.testbench.packing import Columns, Fields

KEPT = 12
"""Cycles up to the first difference that are reported."""

RESET = 3
"""Cycles of a reset, in which nothing is given."""


class Group(NamedTuple):
    """Rows of what is seen, by node and port."""

    fields: Fields
    nodes: Sequence[int]
    ports: int = 1
    """Rows of each node."""
    idle: Sequence[str] = ()
    """Fields that mean nothing where ``valid`` is 0."""
    late: Sequence[str] = ()
    """Fields that follow from inputs of the same cycle. Compiled nodes show them a cycle later."""

    @property
    def rows(self) -> int:
        """Return how many there are."""
        return len(self.nodes) * self.ports

    def difference(self, expected: Columns, seen: Columns) -> tuple[str, int] | None:
        """Return the first field and row that differ in a cycle."""
        for name, _ in self.fields:
            wrong = expected[name] != seen[name]
            if name in self.idle:
                wrong &= expected["valid"] > 0
            if wrong.any():
                return name, int(wrong.argmax())
        return None


class Layout(NamedTuple):
    """The rows that are given in a cycle, their fields, and the groups of what is seen."""

    rows: int
    given: Fields
    groups: tuple[Group, ...]


class Chunk(NamedTuple):
    """What goes in, and what must be seen of each group, in some cycles; these are the first axis.

    Columns may have more than the fields of the layout.
    """

    cycles: int
    given: Mapping[str, IntArray]
    expected: Sequence[Mapping[str, IntArray]]

    def cycle(self, number: int) -> tuple[Columns, list[Columns]]:
        """Return one of the cycles."""
        given, *expected = (
            {name: column[number] for name, column in columns.items()}
            for columns in (self.given, *self.expected)
        )
        return given, expected


END = Chunk(0, {}, ())
"""Nothing more comes."""


def stacked(cycles: Sequence[tuple[Columns, Sequence[Columns]]]) -> Chunk:
    """Return cycles, of each what is given and what must be seen, as a chunk."""

    def together(several: Sequence[Columns]) -> Columns:
        return {name: np.array([columns[name] for columns in several]) for name in several[0]}

    given, expected = zip(*cycles, strict=True)
    return Chunk(len(cycles), together(given), [together(x) for x in zip(*expected, strict=True)])


class Turn(ABC):
    """What goes in after a reset, and what must be seen.

    Attributes
    ----------
    cycle : int
        How many cycles `chunk` has returned.
    """

    cycle: int = 0

    @abstractmethod
    def chunk(self, most: int) -> Chunk:
        """Go on for at most so many cycles; for none at the end."""

    def lacking(self) -> str:
        """Return what is wrong at the end of a turn without a difference, or nothing."""
        return ""

    @abstractmethod
    def report(self) -> dict[str, Any]:
        """Return the counts of the cycles so far."""


class Script(ABC):
    """The model's side of a bench.

    Attributes
    ----------
    layout : Layout
    cycles : int
        How long it takes, for those who watch.
    """

    layout: Layout
    cycles: int

    @abstractmethod
    def turns(self) -> Iterator[Turn]:
        """Yield the turns; before each there is a reset. They are the same each time."""

    def facts(self) -> dict[str, Any]:
        """Return what else there is to report of the turns that have been gone through."""
        return {}


class Comparison:
    """Compares a turn, one cycle after the other.

    Attributes
    ----------
    message : str
        The first difference, in words.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout, self.message = layout, ""
        self._before: deque[Sequence[Columns]] = deque(maxlen=KEPT)
        self._difference: dict[str, Any] = {}

    def compare(self, cycle: int, expected: Sequence[Columns], seen: Sequence[Columns]) -> str:
        """Return the message."""
        self._before.append(expected)
        for number, group in enumerate(self.layout.groups):
            if found := group.difference(expected[number], seen[number]):
                self._tell(cycle, number, *found, seen[number])
                break
        return self.message

    def _tell(self, cycle: int, number: int, name: str, row: int, seen: Columns) -> None:
        """Keep what is at the place of a difference; before it, hardware was as the model."""
        group = self.layout.groups[number]
        place, port = divmod(row, group.ports)
        model = {
            field: [int(groups[number][field][row]) for groups in self._before]
            for field, _ in group.fields
        }
        where = f"port {port}" if group.ports > 1 else "terminal"
        self.message = (
            f"cycle {cycle}, node {group.nodes[place]}, {where}: expected {name} "
            f"{model[name][-1]:#x}, seen {int(seen[name][row]):#x}"
        )
        self._difference = {
            "node": int(group.nodes[place]),
            "port": port if group.ports > 1 else None,
            "field": name,
            "cycle": cycle,
            "model": model,
            "hardware": {x: [*model[x][:-1], int(seen[x][row])] for x in model},
        }

    def report(self, cycles: int, turn: Turn, message: str) -> dict[str, Any]:
        """Return what came of a turn of which so many cycles agree."""
        found = {"cycles": cycles, "mismatches": int(bool(message)), "message": message}
        found |= turn.report()
        return found | ({"difference": self._difference} if self._difference else {})


def join(reports: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return what came of all turns, up to the one with a difference.

    The message names the turn, if it is not the first. `before` counts the cycles before it, with
    those of resets.
    """
    *earlier, last = reports
    joined = dict(last)
    for report in earlier:
        for name, value in report.items():
            if name not in ("mismatches", "message", "difference"):
                joined[name] += value
    if earlier and last["message"]:
        joined["message"] = f"after {len(earlier)} resets, {last['message']}"
    if "difference" in last:
        before = sum(report["cycles"] + RESET for report in earlier)
        joined["difference"] = {**last["difference"], "before": before}
    return joined
