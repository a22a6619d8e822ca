"""Random routing: any lateral link that brings nearer (star-connected-cycles-1995, Algorithm 1)."""

import numpy as np

from fingerpost.golden.algebra import chance
from fingerpost.golden.algebra.star_cycles import bsymbols
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing.star import StarRouting
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.scc import Scc

CHANCES = 1 << 16
"""A selection is one of so many."""


class Random(StarRouting):
    """Draw the target from B(p) in every supernode, and keep it until it is taken."""

    algorithm = "random"
    selection = "random"
    meaning = "lateral link to take next, less 1; 0: none is drawn yet"

    def __init__(self, topology: Topology) -> None:
        if isinstance(topology, Scc):  # in a star graph every link is taken at once
            self.memory = "target"
        super().__init__(topology)

    def _straps(self) -> dict[str, tuple[int, str, IntArray]]:
        salt = chance.salt(np.arange(self.topology.nodes))
        what = "what sets the node's chance apart; for the router"
        return {**super()._straps(), "salt": (16, what, salt)}

    def target(
        self, i: IntArray, p: IntArray, i_d: IntArray, memory: IntArray, selection: IntArray | None
    ) -> IntArray:
        """Return the target kept, or else element number selection * |B| / 2^16 of B(p), rising."""
        b = bsymbols(p)
        place = (0 if selection is None else np.asarray(selection)) * b.sum(axis=-1) // CHANCES
        drawn = (b.cumsum(axis=-1) > place[..., None]).argmax(axis=-1) + 1
        kept = (memory != 1) & b.any(axis=-1)
        return np.where(kept, memory, drawn)

    def remember(self, memory: IntArray, p: IntArray, t: IntArray, taken: IntArray) -> IntArray:
        """Keep the target on the way to its link."""
        return np.where(taken, 1, t)

    def selections(
        self, node: IntArray, arrival: IntArray, header: IntArray
    ) -> tuple[IntArray, IntArray | None]:
        """Return a selection for every element of B(p), where the target is to be drawn."""
        p, _, memory, _ = self._read(header)
        choices = np.where(memory == 1, np.maximum(bsymbols(p).sum(axis=-1), 1), 1)
        packet = np.repeat(np.arange(len(header)), choices)
        place = np.arange(len(packet)) - np.repeat(choices.cumsum() - choices, choices)
        return packet, -(-place * CHANCES // choices[packet])  # the least that leads there
