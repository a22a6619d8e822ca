"""What comes from a terminal without a credit; the twin of hdl.injection."""

import numpy as np

from golden.arrays import BoolArray, IntArray
from golden.flit import Flits

__all__ = ["Overruns"]


class Overruns:
    """Keep out of a full queue what its terminal sends without a credit, and count it.

    A packet that loses a flit is ended: it gets a tail as soon as there is room, so that nobody
    waits for the one that may be lost. What arrives before that, and in that cycle, is lost too.

    Attributes
    ----------
    count : (nodes,)
        The flits that were lost.
    cut : (nodes,)
        Whether the packet that comes in has lost a flit, and has not been ended.
    """

    def __init__(self, nodes: int) -> None:
        self.count = np.zeros(nodes, np.int64)
        self.cut = np.zeros(nodes, np.bool_)

    def step(self, sent: Flits, place: IntArray, full: BoolArray, inside: BoolArray) -> Flits:
        """Return what comes in of what the terminals send.

        Parameters
        ----------
        sent : Flits
        place, full, inside : (nodes,) arrays
            The terminal ports; whether their queues are full; whether their packets go on.
        """
        if not (full.any() or self.cut.any()):
            return sent
        node = np.searchsorted(place, sent.place)
        enters = ~(full | self.cut)[node]
        self.count[node[~enters]] += 1
        comes = np.zeros(len(place), np.bool_)
        comes[node] = True
        ends = np.flatnonzero(self.cut & ~full)
        self.cut = full & (self.cut | (comes & inside))
        # Its data is whatever the terminal has on its link: 0 if it sends nothing.
        data = np.zeros(len(place), np.int64)
        data[node] = sent.data
        number, truth = np.zeros(len(ends), np.int64), np.ones(len(ends), np.bool_)
        tails = Flits(place[ends], number, ~truth, truth, data[ends], number - 1)
        some = sent.some(enters)
        return Flits(*(np.concatenate(pair) for pair in zip(some, tails, strict=True)))
