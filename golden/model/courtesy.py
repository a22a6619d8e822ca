"""Heads from the terminal that let others pass, but not for ever."""

import numpy as np

from golden.arrays import BoolArray, IntArray

__all__ = ["FIRST", "LAST", "Courtesy"]

FIRST, LAST = -(1 << 40), 1 << 40
"""Before, and after, all turns."""


class Courtesy:
    """How many packets the heads at the terminals have let pass.

    Parameters
    ----------
    limit : int
        The packets of others after which a head comes before them; until then it comes after them.
    nodes, ports : int

    Attributes
    ----------
    passed : (nodes,)
        Packets that went where the terminal's head wants to go, since it waits.
    through : (outputs,)
        Whether the tail of a packet of a neighbour crosses to the output in this cycle.
    """

    def __init__(self, limit: int, nodes: int, ports: int) -> None:
        self.limit, self.ports = limit, ports
        self.passed = np.zeros(nodes, np.int64)
        self.through = np.zeros(nodes * ports, np.bool_)

    def rank(self, guests: IntArray, output: IntArray) -> IntArray:
        """Return where heads from the terminals come, by their outputs; `guests` are their places.

        Those of `output` that are not among them come in their turn.
        """
        rank = np.zeros(len(output), np.int64)
        insists = self.passed[output[guests] // self.ports] >= self.limit
        rank[guests] = np.where(insists, FIRST, LAST)
        return rank

    def step(self, rank: IntArray, output: IntArray, sent: IntArray, tails: BoolArray) -> None:
        """Count what passes; `tails` tells which of `sent` are tails of packets of neighbours."""
        waits = (rank == LAST) & self.through[output]
        waits[sent] = False
        self.passed[output[waits] // self.ports] += 1
        self.passed[output[sent[rank[sent] != 0]] // self.ports] = 0
        self.through[:] = False
        self.through[output[sent[tails]]] = True
