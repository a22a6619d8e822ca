"""From AXI4-Stream to bytes, at every terminal at once; the twin of hdl's MessageReceiver."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.terminal.axi_sender import Beats
from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.golden.terminal.message import (
    BODY,
    LENGTH_HIGH,
    LENGTH_LOW,
    LOST,
    SOURCE_HIGH,
    SOURCE_LOW,
    STATUS,
)


class MessageReceiver:
    """Makes messages of packets: the source, the length and data that they hold, and a status.

    A message always has as many bytes as its length says: zeros stand for what does not come, and
    what is too much is dropped. Its status is 1 then, as where the packet has an error mark.

    A terminal that takes no byte for `timeout` clocks is `dead` until it takes one: what comes for
    it is dropped and counted, and of a message of which it has some the rest is zeros.

    Parameters
    ----------
    terminals : int
    layout : AxiLayout
    timeout : int
        0: never.

    Attributes
    ----------
    lost : array
        The packets that were dropped or cut; stops as the counter does.
    begins, cuts, loses : arrays of bool
        In the last clock the first byte of a message was taken; the message was cut; the last beat
        of a packet was dropped.
    tag : array
        Of the packets in `begins` and `loses`.
    """

    def __init__(self, terminals: int, *, layout: AxiLayout, timeout: int) -> None:
        self.layout, self.timeout = layout, timeout
        self.state, self.lane, self.left, self.quiet, self.lost = np.zeros((5, terminals), np.int64)
        none = np.zeros(terminals, np.bool_)
        self.over, self.bad, self.dropping, self.dead = (none,) * 4
        self.begins, self.cuts, self.loses = (none,) * 3
        self.tag = np.full(terminals, -1)

    @property
    def idle(self) -> BoolArray:
        """Return where no message is being written, and no packet dropped."""
        idle: BoolArray = (self.state == SOURCE_LOW) & ~self.dropping & ~self.dead
        return idle

    def bytes(self, valid: BoolArray, beats: Beats, source: IntArray) -> tuple[IntArray, BoolArray]:
        """Return the byte of this clock, and whether there is one."""
        state, drops = self.state, self.dropping | self.dead
        low = np.where(state == SOURCE_LOW, source, source >> 8)
        body = beats.data >> 8 * self.lane
        byte = np.where(state <= SOURCE_HIGH, low, body) & 0xFF
        byte = np.where(state == STATUS, self.bad, np.where(self.over, 0, byte))
        offers = np.where(state == STATUS, self.over, self.over | (valid & ~drops))
        return byte, offers

    def step(
        self, valid: BoolArray, beats: Beats, source: IntArray, ready: BoolArray
    ) -> tuple[BoolArray, BoolArray]:
        """Go through a clock edge; return tready, and which beats are of a message.

        Parameters
        ----------
        valid, beats, source : arrays
            What comes of the stream.
        ready : array
            A byte would be taken now.
        """
        byte, offers = self.bytes(valid, beats, source)
        state, over = self.state, self.over
        drops = self.dropping | self.dead
        taken = offers & ready
        inside = (state >= LENGTH_LOW) & (state <= BODY)
        sweeps = (state == STATUS) & ~over
        eats = inside & ~over & taken
        consumes = eats & (self.lane == beats.last_byte)
        tready: BoolArray = consumes | sweeps | drops
        gone = tready & valid
        stuck = offers & ~ready
        late = (self.quiet == self.timeout) if self.timeout else np.zeros_like(stuck)
        fires = stuck & late & ~self.dead
        cut = fires & (state != SOURCE_LOW) & ~over
        if self.timeout:
            self.quiet = np.where(stuck, np.minimum(self.quiet + 1, self.timeout), 0)
        self.begins = taken & (state == SOURCE_LOW)
        self.loses = gone & drops & beats.last
        self.tag, self.cuts = beats.tag, cut
        self.dead = fires | (self.dead & ~ready)
        self.lost = np.minimum(self.lost + self.loses, LOST.most)
        self.dropping = np.where(gone & drops, ~beats.last, self.dropping)

        ends = (consumes | (sweeps & valid)) & beats.last
        begun = state != SOURCE_LOW
        wrong = (ends & beats.error) | cut | (sweeps & valid) | (inside & over & taken)
        new = taken & (state == STATUS)
        self.over = (over | ends | cut) & ~new
        self.bad = (self.bad | wrong) & begun & ~new
        self.lane = np.where(consumes | cut | sweeps, 0, self.lane + eats)

        left = np.where(taken & (state == LENGTH_LOW), byte, self.left)
        left = np.where(taken & (state == LENGTH_HIGH), left | byte << 8, left)
        self.left = np.where(taken & (state == BODY), left - 1, left)
        done = (state >= LENGTH_HIGH) & (self.left == 0)
        onward = np.where(state < LENGTH_HIGH, state + 1, np.where(done, STATUS, BODY))
        self.state = np.where(taken, np.where(state == STATUS, SOURCE_LOW, onward), state)
        return tready, gone & ~drops
