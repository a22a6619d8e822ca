"""Packets to send, made beforehand from a seed: at once, or in windows of so many cycles.

Of AXI4 terminals they are reads and writes of managers, which memories answer.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.traffic import spelling
from fingerpost.golden.traffic.arrivals import Arrivals
from fingerpost.golden.traffic.carrier import Carrier
from fingerpost.golden.traffic.lengths import Lengths
from fingerpost.golden.traffic.patterns import Pattern

READ, WRITE = range(2)
"""Kinds of transactions: the message class of a packet of the traffic that is one."""

KINDS = {READ: "reads", WRITE: "writes"}
"""What they are called."""

SLOWEST = 4096
"""Cycles in which a memory answers at most: a network in which nothing moves is not deadlocked so
soon."""


@dataclass(frozen=True)
class Transactions:
    """How managers and memories behave.

    A packet of the traffic is a transaction, its flits are beats of data.

    Raises
    ------
    ValueError
        If there is no such share, none are in flight, or a memory answers at once or too late.
    """

    reads: float = 0.5
    """The share of transactions that read; the others write."""
    outstanding: int | None = None
    """Reads, and writes, that a manager has in flight at most; None: as many as its side can."""
    memory_cycles: int = 1
    """Cycles from a read's address, or a write's last beat, to the response of the memory."""

    def __post_init__(self) -> None:
        if not 0 <= self.reads <= 1:
            raise ValueError(f"Transactions need a share of reads of 0 to 1, not {self.reads:g}")
        if self.outstanding is not None and self.outstanding < 1:
            raise ValueError(f"Transactions need outstanding of at least 1, not {self.outstanding}")
        if not 1 <= self.memory_cycles <= SLOWEST:
            raise ValueError(
                f"Transactions need memory_cycles in 1..{SLOWEST}, not {self.memory_cycles}"
            )

    @property
    def given(self) -> dict[str, Any]:
        """Return all of this by name, but what is as the network file says."""
        return {name: value for name, value in vars(self).items() if value is not None}

    @property
    def shares(self) -> list[float]:
        """Return the shares of reads and writes, as those of message classes."""
        return [self.reads, 1 - self.reads]


WELL_FORMED, BAD_HEADER, NO_HEAD, NO_TAIL, POISONED = range(5)


@dataclass(eq=False)
class Offered:
    """What terminals are offered.

    Raises
    ------
    ValueError
        If the seed is below 0, or what is given in words is nothing that there is.
    """

    network: Carrier
    load: float | None
    """Flits offered per terminal and cycle, the mean over all terminals. A trace has its own and
    needs none; with one, its time runs faster or slower."""
    cycles: int
    """In which packets are made."""
    seed: int = 0
    lengths: Lengths | str | int | tuple[int, int] = (1, 1)
    """Flits of a packet."""
    malformed: float = 0.0
    """The share of packets whose header names no node, or without head, or without tail; where
    links keep a status, also of those in which it is not 0."""
    pattern: Pattern | str = "uniform"
    """Where packets go."""
    arrivals: Arrivals | str = "bernoulli"
    """When they are made."""
    classes: Sequence[float] | None = None
    """The share of packets of each message class of the network, in any unit; by default all
    classes have the same."""
    ends: tuple[IntArray, IntArray] | None = None
    """The nodes that send, and those that receive, where not all terminals do. Others send nothing;
    what would go to another goes to one of those, all alike."""

    def __post_init__(self) -> None:
        self.lengths, self.pattern, self.arrivals = self.spelled
        if self.seed < 0:
            raise ValueError(f"Traffic needs a seed of at least 0, not {self.seed}")

    @property
    def settings(self) -> dict[str, Any]:
        """Return all of this by name."""
        return {each.name: getattr(self, each.name) for each in fields(Offered)}

    @property
    def spelled(self) -> tuple[Lengths, Pattern, Arrivals]:
        """Return lengths, pattern and arrivals, which may be given in words.

        Raises
        ------
        ValueError
            If there are none of such a name, or with such parameters.
        """
        lengths, pattern = spelling.lengths(self.lengths), spelling.pattern(self.pattern)
        return lengths, pattern, spelling.arrivals(self.arrivals)


@dataclass(eq=False)
class Traffic(Offered):
    """Packets to send. The packet number is its tag.

    Attributes
    ----------
    source, message_class, destination, time, length, kind, salt : (packets,)
        By source, then by class, then by time. `salt` makes the data of a packet.

    Raises
    ------
    ValueError
        If no packet has such a length, the load is impossible, there is no cycle, or the pattern
        does not fit the network; or if there is not a share for each class.
    """

    begin: int = 0
    """The first cycle: packets are those of a window of a run, see `Windows`."""
    source: IntArray = field(init=False)
    message_class: IntArray = field(init=False)
    destination: IntArray = field(init=False)
    time: IntArray = field(init=False)
    length: IntArray = field(init=False)
    kind: IntArray = field(init=False)
    salt: IntArray = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        topology, begin = self.network.topology, self.begin
        lengths, pattern, arrivals = self.spelled
        rng = np.random.default_rng((self.seed, begin) if begin else self.seed)
        made = pattern.packets(
            topology,
            self.load,
            self.cycles,
            arrivals=arrivals,
            lengths=lengths,
            rng=rng,
            later=begin > 0,
        )
        self.source = topology.terminals[made.source]
        self.destination = topology.terminals[made.destination]
        self.time, self.length = made.time + begin, made.length
        if self.ends is not None:
            self._between(*self.ends, rng)
        packets = len(self.source)
        self.message_class = self._drawn_classes(rng)
        self.salt = rng.integers(1 << 62, size=packets)
        self.kind = np.full(packets, WELL_FORMED)
        if self.malformed:
            self._spoil(rng)

    def _between(self, senders: IntArray, receivers: IntArray, rng: np.random.Generator) -> None:
        """Keep the packets of some nodes, and send them to some."""
        kept = np.isin(self.source, senders)
        for name in ("source", "destination", "time", "length"):
            setattr(self, name, getattr(self, name)[kept])
        away = ~np.isin(self.destination, receivers)
        self.destination[away] = rng.choice(receivers, np.count_nonzero(away))

    def _spoil(self, rng: np.random.Generator) -> None:
        """Let some packets be malformed."""
        packets = len(self.kind)
        wrong = rng.random(packets) < self.malformed
        kinds = POISONED if self.network.link.status_width else NO_TAIL
        self.kind = np.where(wrong, rng.integers(1, kinds + 1, size=packets), WELL_FORMED)
        # A packet without a tail needs a next one that closes it.
        last = np.diff(self.terminal_channel, append=-1) != 0
        self.kind[last & (self.kind == NO_TAIL)] = WELL_FORMED

    def _drawn_classes(self, rng: np.random.Generator) -> IntArray:
        """Return a class for each packet, and sort the packets by their classes."""
        classes = self.network.classes
        shares = np.ones(classes) if self.classes is None else np.array(self.classes, np.float64)
        if len(shares) != classes or not (shares >= 0).all() or not shares.sum() > 0:
            raise ValueError(
                f"Traffic needs a share for each message class, {classes} in all, not "
                f"{', '.join(map(str, shares.tolist()))}"
            )
        if classes == 1:
            return np.zeros_like(self.source)
        drawn: IntArray = rng.choice(classes, len(self.source), p=shares / shares.sum())
        order = np.argsort(self.source * classes + drawn, kind="stable")
        for name in ("source", "destination", "time", "length"):
            setattr(self, name, getattr(self, name)[order])
        return drawn[order]

    @property
    def terminal_channel(self) -> IntArray:
        """Return terminal * classes + class of every packet; they rise."""
        return self.source * self.network.classes + self.message_class

    @cached_property
    def header(self) -> IntArray:
        """Return the header of every packet, well-formed or not; made once, for flits are many."""
        return self.network.routing.addresses(self.source, self.destination)

    def flits(self, packet: IntArray, index: IntArray) -> tuple[BoolArray, BoolArray, IntArray]:
        """Return head, tail and data of flits `index` of packets."""
        routing, kind = self.network.routing, self.kind[packet]
        mask = (1 << min(62, self.network.flit_width)) - 1
        data = ((self.salt[packet] ^ (index * 0x9E3779B97F4A7C1)) * 0x2545F491) & mask
        head, tail = index == 0, index == self.length[packet] - 1
        everything = (1 << routing.address_layout.width) - 1
        header = self.header[packet]
        if self.malformed:
            head, tail = head & (kind != NO_HEAD), tail & (kind != NO_TAIL)
            header = np.where(kind == BAD_HEADER, everything, header)
        status = mask >> self.network.payload_width << self.network.payload_width
        if status:
            data = np.where(tail & (kind == POISONED), data | status, data)
            data = np.where(tail & (kind != POISONED), data & ~status, data)
        return head, tail, np.where(head, data & ~everything | header, data)

    def misplaced(self, cycle: int, node: int, packet: int, part: str = "") -> str:
        """Say that a packet, or a part of it, came out where it should not, or changed."""
        way = f"from {self.source[packet]} to {self.destination[packet]}"
        return f"cycle {cycle}, node {node}: {part}packet {packet}, {way}, out of place"


PACKETS = 1 << 17
"""Packets of a window, in the mean: a packet takes about 200 bytes while it is drawn."""

COLUMNS = "source", "message_class", "destination", "time", "length", "kind", "salt"


@dataclass(eq=False)
class Windows(Offered):
    """The windows of a traffic: each is a `Traffic`.

    Those that fit in one window are the packets of `Traffic` with the same seed; so are all those
    of traces and of patterns and arrivals in which packets depend on earlier ones.

    Attributes
    ----------
    step : int
        Cycles of a window; the last may have fewer.
    """

    packets: int = PACKETS
    """Packets of a window, in the mean."""
    step: int = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.step, load = max(1, self.cycles), self.load
        lengths, pattern, arrivals = self.spelled
        if load and 0 < load <= lengths.mean and not (pattern.memory or arrivals.memory):
            each_cycle = load / lengths.mean * len(self.network.topology.terminals)
            self.step = min(self.step, max(1, int(self.packets / each_cycle)))

    def __len__(self) -> int:
        return max(1, -(-self.cycles // self.step))

    def __iter__(self) -> Iterator[Traffic]:
        for begin in range(0, max(1, self.cycles), self.step):
            cycles = min(self.step, self.cycles - begin)
            yield Traffic(**self.settings | {"cycles": cycles, "begin": begin})

    def joined(self, most: int | None = None) -> Traffic:
        """Return all packets, or those of the first windows, as one traffic."""
        windows = list(islice(self, most))
        traffic = copy(windows[0])
        channel = np.concatenate([each.terminal_channel for each in windows])
        order = np.argsort(channel, kind="stable")
        for name in COLUMNS:
            column = np.concatenate([getattr(each, name) for each in windows])
            setattr(traffic, name, column[order])
        traffic.cycles = sum(each.cycles for each in windows)
        return traffic
