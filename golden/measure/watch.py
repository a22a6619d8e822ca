"""A run that is watched: what comes out of it, and whether anything moves in it."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.engine import Engine, Run, engine
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.traffic import Traffic, Windows

STILL = 5000
"""Cycles in which nothing moves, after which nothing ever will: no link is so slow."""


class MakeEngine(Protocol):
    """What makes an engine, as `fingerpost.golden.engine.engine` does."""

    def __call__(
        self, network: AnyNetwork, traffics: Sequence[Traffic], *, stall: float, **options: Any
    ) -> Engine: ...


class Sent(NamedTuple):
    """Packets, and what became of them: the fields of `Traffic` and of `Run`."""

    source: IntArray
    destination: IntArray
    message_class: IntArray
    time: IntArray
    length: IntArray
    delivered: IntArray
    expected: BoolArray

    def where(self, some: BoolArray) -> "Sent":
        """Return those of some of the packets."""
        return self if some.all() else Sent._make(column[some] for column in self)


class Watched:
    """One traffic in a network.

    An engine that can is given the windows of the traffic one after the other, and then forgets
    the packets that came out; others are given all packets at once.

    Parameters
    ----------
    network : AnyNetwork
    windows : Windows
        The traffic.
    stall : float
        The probability with which a terminal does not give a credit back in a cycle.
    make : callable
        What makes the engine.

    Attributes
    ----------
    engine : Engine
    run : Run
    moved : int
        A cycle behind which no flit has moved.
    sink : callable
        Called with packets that have come out, once with each.
    senders : (nodes,) array of bool
        The nodes that have been given packets to send.
    """

    def __init__(
        self,
        network: AnyNetwork,
        windows: Windows,
        *,
        stall: float = 0.0,
        make: MakeEngine | Callable[..., Engine] = engine,
    ) -> None:
        self.network, self._more = network, iter(windows)
        self.sink: Callable[[Sent], None] = lambda sent: None
        traffic = next(self._more)
        self.engine = make(network, [traffic], stall=stall)
        self._windowed = len(windows) > 1 and self.engine.takes_windows
        if len(windows) > 1 and not self._windowed:
            traffic = windows.joined()
            self.engine = make(network, [traffic], stall=stall)
        self._traffic, self._last = traffic, windows.cycles
        self._step = windows.step if self._windowed else windows.cycles
        self._next = self._step  # the cycle in which the next window begins
        self.run: Run = self.engine.runs[0]
        self.senders = np.zeros(network.topology.nodes, np.bool_)
        self.senders[traffic.source] = True
        self._told = np.zeros(len(traffic.source), np.bool_)
        self._waiting: IntArray | None = None
        self.moved, self._seen = self.run.now, self._signs()

    def _signs(self) -> tuple[int, int, int]:
        """Return what changes when a flit moves on a link, to a terminal, or into the network."""
        return int(self.run.sent.sum()), int(self.run.received.sum()), self.run.flits

    def advance(self, cycles: int) -> None:
        """Go through so many cycles; some tens at a time, or `still` is not known well."""
        end = self.now + cycles
        while self.now < end:
            if self.now == self._next < self._last:
                self._exchange(next(self._more))
                self._next += self._step
            until = min(end, self._next) if self._next < self._last else end
            self.engine.run(until - self.now)
        signs = self._signs()
        if signs != self._seen:
            self.moved, self._seen = self.run.now, signs

    def collect(self) -> None:
        """Give all packets that have come out to `sink`."""
        if self._windowed:
            self._exchange(None)
            return
        out = (self.run.delivered >= 0) & ~self._told
        self._told |= out
        self.sink(self.sent.where(out))

    def _exchange(self, more: Traffic | None) -> None:
        """Let the engine forget what came out, and take more packets."""
        self.check()
        self._waiting = None
        if more is not None:
            self.senders[more.source] = True
        out = self.engine.exchange(more)
        self.sink(Sent._make(out[name] for name in Sent._fields))

    @property
    def sent(self) -> Sent:
        """Return the packets of which the engine knows."""
        if self._windowed:
            packets = self.engine.packets
            return Sent._make(packets[name] for name in Sent._fields)
        fields = (getattr(self._traffic, name) for name in Sent._fields[:5])
        return Sent._make([*fields, self.run.delivered, self.run.expected])

    def made(self, start: int, end: int) -> Sent:
        """Return the packets made in these cycles that have not come out."""
        sent = self.sent
        return sent.where((sent.time >= start) & (sent.time < end) & (sent.delivered < 0))

    def all_out(self, start: int, end: int) -> bool:
        """Return whether all that was made in these cycles, the same in all calls, has come out."""
        sent = self.sent
        if self._waiting is None:
            made = (sent.time >= start) & (sent.time < end)
            self._waiting = np.flatnonzero(made & sent.expected)
        self._waiting = self._waiting[sent.delivered[self._waiting] < 0]
        return not len(self._waiting)

    @property
    def now(self) -> int:
        """Return the next cycle."""
        return self.run.now

    @property
    def still(self) -> int:
        """Return for how many cycles nothing has moved, though there is something to deliver."""
        if self.now == self.moved:
            return 0
        sent = self.sent
        waiting = sent.expected & (sent.delivered < 0)
        since = int(sent.time.min(where=waiting, initial=self.now))
        return self.now - max(since, self.moved)

    def check(self) -> None:
        """Refuse to go on if something came out where it should not.

        Raises
        ------
        ValueError
            If it did.
        """
        if self.run.faults:
            raise ValueError(f"Model needs repair: {self.run.faults[0]}")
