"""A sender behind a queue of complete packets, at every terminal; twin of hdl's StoredSender."""

from typing import Any

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.flit import Flits
from fingerpost.golden.terminal.axi_sender import AxiSender, Beats
from fingerpost.golden.terminal.beat import REFUSED
from fingerpost.golden.terminal.packet_queue import PacketQueue


class StoredSender:
    """Makes flits of packets that are complete; see `AxiSender`, whose members it has.

    Parameters
    ----------
    terminals : int
    store : int
        Beats of the queue; a longer packet is dropped, and counted in `refused`.
    **options
        Those of `AxiSender`.
    """

    def __init__(self, terminals: int, *, store: int, **options: Any) -> None:
        self.sender = AxiSender(terminals, timeout=0, **options)
        self.queue = PacketQueue(terminals, depth=store)
        self.too_long = np.zeros(terminals, np.int64)
        self.closes, self.open_tag = self.sender.closes, self.sender.open_tag  # none is ever closed

    @property
    def ready(self) -> BoolArray:
        """Return tready."""
        return self.queue.ready

    @property
    def held(self) -> BoolArray:
        """Return where a beat is stored."""
        return self.sender.held | (self.queue.used > 0)

    @property
    def refused(self) -> IntArray:
        """Return the packets that were dropped: too long, or to no terminal."""
        refused: IntArray = np.minimum(self.sender.refused + self.too_long, REFUSED.most)
        return refused

    @property
    def expired(self) -> IntArray:
        """Return 0: a packet that is sent is complete."""
        return self.sender.expired

    def flits(self, place: IntArray) -> Flits:
        """Return what is sent in this cycle, from the `place` of each terminal."""
        return self.sender.flits(place)

    def step(
        self, taken: BoolArray, beats: Beats, head: IntArray, known: BoolArray, credit: IntArray
    ) -> None:
        """Go through a clock edge; as `AxiSender.step`, but `taken` is tvalid and tready.

        Hardware keeps tdest, and looks head and `known` up when the packet leaves.
        """
        valid, leaves = self.queue.valid, self.queue.valid & self.sender.ready
        front, front_head, front_known = self.queue.front
        self.sender.step(valid, front, front_head, front_known > 0, credit)
        self.queue.step(taken, beats, head, known.astype(np.int64), leaves)
        self.too_long = np.minimum(self.too_long + self.queue.dropped, REFUSED.most)
