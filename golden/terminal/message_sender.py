"""From bytes to AXI4-Stream, at every terminal at once; the twin of hdl's MessageSender."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.terminal.axi_sender import Beats
from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.golden.terminal.message import DATA, EXPIRED, LENGTH


class MessageSender:
    """Makes packets of messages: their length and data are beats, their destination is tdest.

    One beat is gathered; no byte is taken while it waits. A message of which nothing comes for
    `timeout` clocks is given up: if some of it has gone, the packet is closed with an error
    mark and a byte 0, and what comes then is a new message.

    Parameters
    ----------
    terminals : int
    layout : AxiLayout
        Of two bytes or more, so the length is in the first beat.
    longest : int
        Bytes of data; a longer message is dropped.
    timeout : int
        0: never.

    Attributes
    ----------
    expires, closes : arrays of bool
        A message is given up in this clock, and some of it has gone.
    expired : array
        How many have been; stops as the counter does.
    """

    def __init__(self, terminals: int, *, layout: AxiLayout, longest: int, timeout: int) -> None:
        self.layout, self.longest, self.timeout = layout, longest, timeout
        self.place, self.dest, self.left, self.data, self.filled, self.quiet, self.expired = (
            np.zeros((7, terminals), np.int64)
        )
        none = np.zeros(terminals, np.bool_)
        self.too_long, self.full, self.last, self.bad, self.begun, self.closing = (none,) * 6
        self.tag = np.full(terminals, -1)
        self.valid = none
        self._settle(none)

    def _settle(self, valid: BoolArray) -> None:
        late = (self.quiet == self.timeout) if self.timeout else np.zeros_like(valid)
        self.expires: BoolArray = (self.place != 0) & ~valid & late
        self.closes: BoolArray = self.expires & self.begun

    @property
    def ready(self) -> BoolArray:
        """Return whether a byte would be taken."""
        return ~self.full & ~self.closing

    @property
    def idle(self) -> BoolArray:
        """Return where nothing has begun that has not gone."""
        idle: BoolArray = (self.place == 0) & self.ready
        return idle

    @property
    def stranger(self) -> BoolArray:
        """Return whether the packet has no destination, whatever the table has for `dest`."""
        return (self.dest >> self.layout.number > 0) | self.too_long

    def beats(self) -> Beats:
        """Return the beats that are offered where there is one, `full`."""
        last_byte = np.maximum(self.filled, 1) - 1
        return Beats(self.data, self.last, last_byte, self.bad, self.tag)

    def step(self, data: IntArray, valid: BoolArray, ready: BoolArray, tag: IntArray) -> None:
        """Go through a clock edge.

        Parameters
        ----------
        data, valid : arrays
            A byte, if there is one.
        ready : array of bool
            tready.
        tag : array
            Of the messages that the bytes are of.
        """
        self._settle(valid)
        takes, leaves, place = valid & self.ready, self.full & ready, self.place
        length = np.where(place == DATA - 1, self.left & 0xFF | data << 8, self.left)
        final = takes & (place == DATA - 1) & (length == 0)
        final |= takes & (place == DATA) & (self.left == 1)
        carried = takes & (place >= LENGTH)
        closes = self.closing & ~self.full
        fills = carried & (final | (self.filled == self.layout.bytes - 1))

        waits = (place != 0) & ~valid
        if self.timeout:
            quiet = np.minimum(self.quiet + 1, self.timeout)
            self.quiet = np.where(waits & ~self.expires, quiet, 0)
        self.expired = np.minimum(self.expired + self.expires, EXPIRED.most)
        self.dest = np.where(takes & (place == 0), data, self.dest)
        self.dest = np.where(takes & (place == 1), self.dest | data << 8, self.dest)
        self.too_long = np.where(
            takes & (place == DATA - 1), length > self.longest, self.too_long & ~(takes & ~carried)
        )
        left = np.where(takes & (place == LENGTH), data, length)
        self.left = np.where(takes & (place == DATA), left - 1, left)
        onward = np.where(final, 0, np.minimum(place + 1, DATA))
        self.place = np.where(self.expires, 0, np.where(takes, onward, place))
        self.tag = np.where(takes & (place == 0), tag, self.tag)

        # The beat that is gathered, or that closes a packet.
        held = np.where(self.filled > 0, self.data, 0) | data << 8 * self.filled
        self.data = np.where(closes, 0, np.where(carried, held, self.data))
        drops = leaves | (self.expires & ~self.full)
        self.filled = np.where(closes, 1, np.where(drops, 0, self.filled + carried))
        self.last = np.where(fills | closes, final | closes, self.last)
        self.bad = np.where(fills | closes, closes, self.bad)
        self.full = fills | closes | (self.full & ~leaves)
        self.begun = (self.begun | fills) & ~final & ~closes
        self.closing = self.closes | (self.closing & ~closes)
