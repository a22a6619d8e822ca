"""From the network to AXI4-Stream, at every terminal at once; the twin of hdl's AxiReceiver."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.flit import Flits
from fingerpost.golden.header import Layout
from fingerpost.golden.terminal.axi_sender import Beats
from fingerpost.golden.terminal.beat import AxiLayout


def beats_of(
    word: IntArray, tail: BoolArray, tag: IntArray, flit: Layout, layout: AxiLayout
) -> Beats:
    """Return the beats that flits with these data hold."""
    body = layout.body
    last_byte = np.full_like(word, layout.bytes - 1)
    if "last_byte" in body:
        last_byte = np.where(tail, body.cut("last_byte", word), last_byte)
    bad = body.cut("error", word) > 0
    if layout.status:
        bad |= word >> (flit["data"].width - layout.status) > 0
    return Beats(layout.data(word), tail, last_byte, tail & bad, tag)


class AxiReceiver:
    """Makes beats of flits: heads are taken out, the last beat of a packet is its tail.

    Flits wait in a queue as deep as the credits that the router has, so it never overflows. A
    credit goes back in the cycle after a flit has left it.

    Parameters
    ----------
    terminals, depth : int
    flit : Layout
    layout : AxiLayout

    Attributes
    ----------
    source : array
        The node from which the packet of each terminal is.
    credit : array
        The terminals that give back a credit in this cycle.
    """

    def __init__(self, terminals: int, *, depth: int, flit: Layout, layout: AxiLayout) -> None:
        self.depth, self.flit, self.layout = depth, flit, layout
        self.queue = np.zeros((terminals, depth), np.int64)
        self.tag = np.full((terminals, depth), -1)
        self.marks = np.zeros((terminals, depth, 2), np.bool_)  # head, tail
        self.read = np.zeros(terminals, np.int64)
        self.level = np.zeros(terminals, np.int64)
        self.source = np.zeros(terminals, np.int64)
        self.credit = np.empty(0, np.int64)
        self.every = np.arange(terminals)

    def front(self) -> tuple[BoolArray, Beats]:
        """Return tvalid and the beats of this cycle."""
        word = self.queue[self.every, self.read]
        head, tail = self.marks[self.every, self.read].T
        tag = self.tag[self.every, self.read]
        return (self.level > 0) & ~head, beats_of(word, tail, tag, self.flit, self.layout)

    def step(self, flits: Flits, node: IntArray, ready: BoolArray) -> None:
        """Go through a clock edge.

        Parameters
        ----------
        flits : Flits
            What comes, at most one at a terminal.
        node : array
            The terminals at which it comes.
        ready : array
            tready.
        """
        word = self.queue[self.every, self.read]
        head = (self.level > 0) & self.marks[self.every, self.read, 0]
        goes = (self.level > 0) & (head | ready)
        self.source = np.where(head, self.layout.head.cut("source", word), self.source)
        write = (self.read + self.level)[node] % self.depth
        self.queue[node, write], self.tag[node, write] = flits.data, flits.tag
        self.marks[node, write] = np.stack([flits.head, flits.tail], axis=1)
        self.level -= goes
        self.level[node] += 1
        self.read = np.where(goes, (self.read + 1) % self.depth, self.read)
        self.credit = np.flatnonzero(goes)
