"""From AXI4-Stream into the network, at every terminal at once; the twin of hdl's AxiSender."""

from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.flit import Flits
from fingerpost.golden.terminal.beat import EXPIRED, REFUSED, AxiLayout
from fingerpost.golden.terminal.shared_port import SharedPorts


class Beats(NamedTuple):
    """A beat of each terminal, as parallel arrays. `last_byte` is the highest that tkeep has.

    `tag`, which hardware does not have, identifies the packet.
    """

    data: IntArray
    last: BoolArray
    last_byte: IntArray
    error: BoolArray
    tag: IntArray

    @classmethod
    def none(cls, terminals: int) -> "Beats":
        """Return no beats."""
        number, truth = np.zeros(terminals, np.int64), np.zeros(terminals, np.bool_)
        return cls(number, truth, number, truth, number - 1)


class AxiSender:
    """Makes flits of beats: a head before the first of a packet, and the last one is the tail.

    One beat is held, with the head that its packet would have. So `ready` follows from registers
    alone, and packets come one behind the other without a gap.

    Parameters
    ----------
    terminals : int
    credits : int
        Of a terminal at the start.
    timeout : int
        Cycles without a beat after which a packet that has begun is closed; 0: never.
    layout : AxiLayout
    classes : int
        So many senders after each other share the port of a router; the least recently granted
        of those that can send a flit does.

    Attributes
    ----------
    refused, expired : arrays
        The packets that were dropped, and that were closed; they stop as the counters do.
    """

    def __init__(
        self, terminals: int, *, credits: int, timeout: int, layout: AxiLayout, classes: int = 1
    ) -> None:
        self.timeout, self.layout, self.classes = timeout, layout, classes
        self.ports = SharedPorts(terminals, classes)
        none = np.zeros(terminals, np.bool_)
        self.held, self.opened, self.dropping, self.known = none, none, none, none
        self.head = np.zeros(terminals, np.int64)
        self.beat = Beats.none(terminals)
        self.open_tag = np.full(terminals, -1)
        self.credits = np.full(terminals, credits)
        self.quiet = np.zeros(terminals, np.int64)
        self.refused = np.zeros(terminals, np.int64)
        self.expired = np.zeros(terminals, np.int64)
        self._settle()

    def _settle(self) -> None:
        """Follow what is sent from the registers."""
        some = self.credits > 0
        stranger = ~self.opened & ~self.known
        self.drops = self.held & (self.dropping | stranger)
        late = (self.quiet == self.timeout) if self.timeout else np.zeros_like(some)
        some = self.ports.granted(some & np.where(self.held, ~self.drops, self.opened & late))
        self.closes = some & self.opened & ~self.held & late
        self.opens = some & self.held & ~self.opened & ~self.drops
        self.goes = some & self.held & self.opened
        self.leaves = self.drops | self.goes

    @property
    def ready(self) -> BoolArray:
        """Return tready."""
        return ~self.held | self.leaves

    def flits(self, place: IntArray) -> Flits:
        """Return what is sent in this cycle, from the `place` of each terminal."""
        beat, body = self.beat, self.layout.body
        at = np.flatnonzero(self.opens | self.goes | self.closes)
        mark = {"last_byte": beat.last_byte * beat.last} if "last_byte" in body else {}
        data = body.join(error=(beat.error & beat.last).astype(np.int64), data=beat.data, **mark)
        closing = body.join(error=1)
        data = np.where(self.opens, self.head, np.where(self.closes, closing, data))
        tail = self.closes | (self.goes & beat.last)
        tag = np.where(self.closes, self.open_tag, beat.tag)
        channel = at % self.classes
        return Flits(place[at], channel, self.opens[at], tail[at], data[at], tag[at])

    def step(
        self, valid: BoolArray, beats: Beats, head: IntArray, known: BoolArray, credit: IntArray
    ) -> None:
        """Go through a clock edge.

        Parameters
        ----------
        valid : array
            tvalid.
        beats : Beats
        head, known : arrays
            What the head of the packet holds if `known`: there is a terminal of that number.
        credit : array
            1 where a credit comes back.
        """
        takes, last = valid & self.ready, self.beat.last
        new = self.drops & ~self.dropping
        self.refused = np.minimum(self.refused + new, REFUSED.most)
        self.expired = np.minimum(self.expired + self.closes, EXPIRED.most)
        sends = self.opens | self.goes | self.closes
        self.credits = self.credits + credit - sends
        self.ports.step(sends)
        if self.timeout:
            waits = self.opened & ~self.held
            self.quiet = np.where(waits, np.minimum(self.quiet + 1, self.timeout), 0)
        self.open_tag = np.where(self.opens, self.beat.tag, self.open_tag)
        self.opened = self.opens | (self.opened & ~self.closes & ~(self.goes & last))
        self.dropping = self.closes | (np.where(self.drops, ~last, self.dropping))
        self.held = takes | (self.held & ~self.leaves)
        self.head, self.known = np.where(takes, head, self.head), np.where(takes, known, self.known)
        pairs = zip(beats, self.beat, strict=True)
        self.beat = Beats._make(np.where(takes, new, old) for new, old in pairs)
        self._settle()
