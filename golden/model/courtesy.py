"""Heads that let others pass, but not for ever: from terminals, and where they turn into rings."""

import numpy as np

from golden.arrays import IntArray

__all__ = ["FIRST", "LAST", "Courtesy"]

FIRST, LAST = -(1 << 40), 1 << 40
"""Before, and after, all turns."""


class Courtesy:
    """How many packets the heads that are guests have let pass; the twin of hdl.courtesy.

    Parameters
    ----------
    limits : (ports, ports)
        The packets of others after which a head comes before them, by port of arrival and output
        port; until then it comes after them. With 0 it is no guest.
    queues, outputs : int
        Of all nodes.

    Attributes
    ----------
    passed : (queues,)
        Packets of other queues that went where the head of a guest wants to go, since it waits.
    through : (outputs,)
        The queue of the packet whose tail crosses to the output in this cycle; -1 if none does.
    """

    def __init__(self, limits: IntArray, queues: int, outputs: int) -> None:
        self.limits, self.ports = limits, len(limits)
        self.passed = np.zeros(queues, np.int64)
        self.through = np.full(outputs, -1)

    def limit(self, port: IntArray, output: IntArray) -> IntArray:
        """Return how many packets heads let pass, by their ports of arrival and their outputs."""
        limit: IntArray = self.limits[port, output % self.ports]
        return limit

    def rank(self, queue: IntArray, limit: IntArray) -> IntArray:
        """Return where fronts come: with a limit of 0 in their turn, as what is no head."""
        insists = self.passed[queue] >= limit
        return np.where(limit > 0, np.where(insists, FIRST, LAST), 0)

    def step(
        self, queue: IntArray, output: IntArray, rank: IntArray, sent: IntArray, tails: IntArray
    ) -> None:
        """Count what passes; `tails` are those of `sent` that are tails."""
        through = self.through[output]
        waits = (rank == LAST) & (through >= 0) & (through != queue)
        waits[sent] = False
        self.passed[queue[waits]] += 1
        self.passed[queue[sent[rank[sent] != 0]]] = 0
        self.through[:] = -1
        self.through[output[tails]] = queue[tails]
