"""Tables of next hops improved by one choice at a time, until no link carries too much.

The search minimises the maximum load: it looks for a table in which no link carries more than a
target. A choice is the next hop of one node for one destination. A random choice is changed if
the excess over the target does not grow, and seldom otherwise. When a target is reached, the next
one is lower.
"""

import random
from bisect import bisect
from math import exp

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import BoolArray, IntArray

ENTRIES = 20_000
"""Larger tables are not searched: it would take longer than all else."""

TRIALS, MOST_TRIALS = 800, 300_000
"""Changes that are tried for each choice that there is, and in all."""

TEMPERATURE = 0.3
"""A change for the worse by d is made with probability exp(-d / TEMPERATURE)."""

Row = list[int]


class Exchange:
    """A table whose choices are changed, and the loads that it leaves on the links.

    Parameters
    ----------
    onward, node
        See `fingerpost.golden.routing.balance.Ways`.
    sent : (states,)
        The packets that begin in each state, for every destination.
    """

    def __init__(self, onward: IntArray, node: IntArray, sent: IntArray) -> None:
        self.onward, self.sent = onward, sent
        self.degree = onward.shape[1]
        self.ahead: list[Row] = onward.tolist()
        self.first_link: Row = (node * self.degree).tolist()
        self.load: Row = [0] * ((int(node.max()) + 1) * self.degree)
        self.ports: list[Row] = []
        self.passing: list[Row] = []
        self.left: list[Row] = []
        self.choices: list[tuple[int, int, Row]] = []

    def add(self, port: NDArray[np.int8], layers: list[IntArray], mask: BoolArray) -> None:
        """Add a destination, with its ports, its states at distance 1, 2, ... and what they may."""
        row, passing, left = len(self.ports), self.sent.copy(), np.zeros_like(self.sent)
        for distance, layer in reversed(list(enumerate(layers, 1))):
            left[layer] = distance
            np.add.at(passing, self.onward[layer, port[layer]], passing[layer])
            for state in layer.tolist():
                self.load[self.first_link[state] + int(port[state])] += int(passing[state])
        some = np.concatenate([np.zeros(0, np.int64), *layers])
        for state in np.sort(some[mask[some].sum(axis=1) > 1]).tolist():
            self.choices.append((row, state, np.flatnonzero(mask[state]).tolist()))
        self.ports.append(port.tolist())
        self.passing.append(passing.tolist())
        self.left.append(left.tolist())

    def search(self, least: int) -> list[Row] | None:
        """Return the ports of the best table, if one is better; end where the load is `least`."""
        if not self.choices or max(self.load) <= least:
            return None
        rng, best = random.Random(0), None
        chances = [exp(-worse / TEMPERATURE) for worse in range(30, 0, -1)]
        above, excess = self._aim()
        for _ in range(min(MOST_TRIALS, TRIALS * len(self.choices))):
            row, state, options = self.choices[int(rng.random() * len(self.choices))]
            port, old = options[int(rng.random() * len(options))], self.ports[row][state]
            if port == old:
                continue
            worse = self._move(row, state, port, above)
            if worse > 0 and len(chances) - bisect(chances, rng.random()) < worse:
                self._move(row, state, old, above)
                continue
            excess += worse
            if excess == 0:
                best = [ports.copy() for ports in self.ports]
                if max(self.load) <= least:
                    break
                above, excess = self._aim()
        return best

    def _aim(self) -> tuple[Row, int]:
        """Return for each load the square of what is above the next target, and the sum."""
        target = max(self.load) - 1
        above = [max(0, load - target) ** 2 for load in range(sum(self.load) + 1)]
        return above, sum(above[load] for load in self.load)

    def _move(self, row: int, state: int, port: int, above: Row) -> int:
        """Send by `port` what passes a state; return by how much the squares grow."""
        ports, passing, left, load = self.ports[row], self.passing[row], self.left[row], self.load
        packets, worse = passing[state], 0
        old, new = self.first_link[state] + ports[state], self.first_link[state] + port
        one, other = self.ahead[state][ports[state]], self.ahead[state][port]
        ports[state] = port
        while packets:
            worse += above[load[old] - packets] - above[load[old]]
            load[old] -= packets
            worse += above[load[new] + packets] - above[load[new]]
            load[new] += packets
            if one == other:
                break
            passing[one] -= packets
            passing[other] += packets
            if not left[one]:
                break
            old, new = self.first_link[one] + ports[one], self.first_link[other] + ports[other]
            one, other = self.ahead[one][ports[one]], self.ahead[other][ports[other]]
        return worse
