"""A run that is watched: what comes out of it, by time, and whether anything moves in it."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.engine import Engine, Run, engine
from fingerpost.golden.measure.latency import Latencies
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
    begun: IntArray
    """The cycle from which latency counts."""

    @classmethod
    def of(cls, packets: Any) -> "Sent":
        """Return those of an engine that takes windows."""
        fields = (packets[name] for name in cls._fields[:-1])
        return cls._make([*fields, packets["time"]])

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
    senders : (places,) array of bool
        The terminals that have been given packets to send.
    terminals : int
        Those that may send: all, or the managers.
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
        ends = windows.ends
        self.terminals = len(network.topology.terminals if ends is None else ends[0])
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
        self.senders = np.zeros(network.topology.terminal_numbers, np.bool_)
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
        self.sink(Sent.of(out))

    @property
    def sent(self) -> Sent:
        """Return the packets of which the engine knows."""
        if self._windowed:
            return Sent.of(self.engine.packets)
        fields = (getattr(self._traffic, name) for name in Sent._fields[:5])
        run = self.run
        return Sent._make([*fields, run.delivered, run.expected, run.begun])

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


MOST = 256
"""Bins; then two each become one of twice the length."""

GROUP = 8
"""Bins whose latencies and links are counted together: the warm-up is some of these groups."""


class Group(NamedTuple):
    """What came out, and the flits on each output, in the cycles of a group of bins."""

    latencies: Latencies
    sent: IntArray

    def __add__(self, other: object) -> "Group":
        assert isinstance(other, Group)
        return Group(self.latencies + other.latencies, self.sent + other.sent)


class Bins:
    """Counts in bins of `width` cycles, from `start` on.

    Attributes
    ----------
    made, out : (bins, places)
        Flits of the packets of each source that came out: by the cycle in which they were made,
        and by that in which their tail came out.
    total, packets : (bins,)
        Sum of the latencies of the packets that came out, and their number.
    groups : list of Group
    """

    def __init__(self, *, start: int, width: int, places: int, flows: bool) -> None:
        self.start, self.width, self.flows = start, width, flows
        self.made, self.out = np.zeros((2, MOST, places), np.int64)
        self.total, self.packets = np.zeros((2, MOST), np.int64)
        self.groups: list[Group] = []
        self._open = Latencies(flows=flows)

    def add(self, sent: Sent) -> None:
        """Count packets that came out in the group of bins behind those that are closed."""
        latency = sent.delivered - sent.begun
        self._open.add(sent.source, sent.destination, latency, sent.message_class)
        self.made += self.by_bin(sent.time, sent.source, sent.length)
        self.out += self.by_bin(sent.delivered, sent.source, sent.length)
        bin_of = (sent.delivered - self.start) // self.width
        self.total += np.bincount(bin_of, latency, MOST).astype(np.int64)
        self.packets += np.bincount(bin_of, minlength=MOST)

    def close(self, links: IntArray) -> None:
        """Close this group; `links` are the flits on each output in its cycles."""
        self.groups.append(Group(self._open, links))
        self._open = Latencies(flows=self.flows)
        if len(self.groups) == MOST // GROUP:
            self._halve()

    def by_bin(self, time: IntArray, source: IntArray, flits: IntArray) -> IntArray:
        """Return flits by bin and source; those before the start are left out."""
        places = self.made.shape[1]
        place = (time - self.start) // self.width * places + source
        found = np.bincount(place[time >= self.start], flits[time >= self.start], MOST * places)
        return found.astype(np.int64).reshape(MOST, places)

    def _halve(self) -> None:
        """Make one bin of two, and one group of two."""
        self.width *= 2
        for name in ("made", "out", "total", "packets"):
            old = getattr(self, name)
            new = np.zeros_like(old)
            new[: MOST // 2] = old[::2] + old[1::2]
            setattr(self, name, new)
        pairs = zip(self.groups[::2], self.groups[1::2], strict=True)
        self.groups = [one + other for one, other in pairs]
