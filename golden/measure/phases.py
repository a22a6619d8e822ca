"""The phases of a measurement: warm-up, measurement, drain."""

from dataclasses import astuple, dataclass
from operator import add

from fingerpost.golden.arrays import IntArray

AGREE = 0.05
"""Two windows agree if what is measured in them differs by so much of the larger at most."""

KEEPS_UP = 0.98
"""The share of what is offered that must be accepted."""

WINDOWS = 20
"""Windows after which a warm-up that is not steady ends none the less."""

FEW = 4
"""Windows that are enough for most; to make packets for more takes longer than to send them."""

PATIENCE = 5000
"""Cycles of drain at least, if no more are asked for."""


@dataclass(frozen=True)
class Phases:
    """How long the phases are, in cycles.

    Terminals send in all of them alike. What is made in the measurement is measured, and the
    drain ends when it has come out.

    Parameters
    ----------
    cycles : int
        Of the measurement.
    warm_up : int, optional
        Before it; otherwise it ends when latency is steady, see `settled`.
    drain : int, optional
        At most, behind it; otherwise twice the measurement, and `PATIENCE` at least.
    windows : int
        Windows of the warm-up at most, if its length is not given.
    """

    cycles: int
    warm_up: int | None = None
    drain: int | None = None
    windows: int = WINDOWS

    @property
    def window(self) -> int:
        """Return the cycles of a window of the warm-up: a quarter of the measurement."""
        return max(1, self.cycles // 4)

    @property
    def longest_warm_up(self) -> int:
        """Return the most cycles that the warm-up can take."""
        return self.window * self.windows if self.warm_up is None else self.warm_up

    @property
    def longest_drain(self) -> int:
        """Return the most cycles that the drain can take, if something moves."""
        return max(2 * self.cycles, PATIENCE) if self.drain is None else self.drain

    @property
    def horizon(self) -> int:
        """Return the cycles for which packets must be made.

        In a long drain they come for a window only, and then the network empties.
        """
        return self.longest_warm_up + self.cycles + min(self.window, self.longest_drain)


@dataclass(frozen=True)
class Window:
    """What was made and came out in a window of the warm-up, or some of it.

    Attributes
    ----------
    offered, accepted : int
        Flits.
    packets, total : int
        The packets that came out, and the sum of their latencies.
    """

    offered: int
    accepted: int
    packets: int
    total: int

    @classmethod
    def of(cls, time: IntArray, length: IntArray, delivered: IntArray, start: int) -> "Window":
        """Return that of packets that came out, in a window from `start` on."""
        made, total = int(length[time >= start].sum()), int((delivered - time).sum())
        return cls(made, int(length.sum()), len(time), total)

    def __add__(self, other: "Window") -> "Window":
        return Window(*map(add, astuple(self), astuple(other)))

    @property
    def latency(self) -> float | None:
        """Return the mean, of the packets that came out; None if there were none."""
        return self.total / self.packets if self.packets else None

    @property
    def keeps_up(self) -> bool:
        """Return whether as much is accepted as is offered."""
        return self.accepted >= KEEPS_UP * self.offered


def settled(before: Window, now: Window) -> bool:
    """Return whether two successive windows show a steady state.

    Their mean latencies agree. Beyond saturation these rise without end; there it is what is
    accepted that agrees, while it falls behind in both. Where there was nothing to send, there is
    nothing to wait for.
    """
    if not (before.keeps_up or now.keeps_up):
        return _agree(before.accepted, now.accepted) and now.accepted > 0
    if before.latency is None or now.latency is None:
        return before.offered == now.offered == before.accepted == now.accepted == 0
    return _agree(before.latency, now.latency)


def _agree(one: float, other: float) -> bool:
    return abs(one - other) <= AGREE * max(one, other)
