"""Bypass limits: heads that yield to other inputs, until so many packets have passed them."""

import numpy as np

from fingerpost.golden.arrays import IntArray

PROMOTED, UNPROMOTED = -(1 << 40), 1 << 40
"""Priorities of the heads of yielding inputs: before, and after, all others."""


class BypassLimit:
    """Count the packets that pass heads of yielding inputs; the twin of hdl.router.bypass_limit.

    Parameters
    ----------
    limits : (ports, ports)
        The packets that may pass a head, by port of arrival and output port: the head is
        *unpromoted*, and comes after all others, until so many have passed; then it is *promoted*,
        and comes before all others. An input does not yield where the limit is 0.
    queues, outputs : int
        Of all nodes.

    Attributes
    ----------
    passed : (queues,)
        The packets of other queues that have passed the head of a queue at its output.
    tail_passed : (outputs,)
        The queue of the packet whose tail is in switch traversal to the output; -1 if there is
        none.
    """

    def __init__(self, limits: IntArray, queues: int, outputs: int) -> None:
        self.limits, self.ports = limits, len(limits)
        self.passed = np.zeros(queues, np.int64)
        self.tail_passed = np.full(outputs, -1)

    def limit(self, port: IntArray, output: IntArray) -> IntArray:
        """Return the limits of heads, by their ports of arrival and their outputs."""
        return self.limits[port, output % self.ports]

    def priority(self, queue: IntArray, limit: IntArray) -> IntArray:
        """Return the priorities of flits at the front of queues; 0 where the limit is 0."""
        promoted = self.passed[queue] >= limit
        return np.where(limit > 0, np.where(promoted, PROMOTED, UNPROMOTED), 0)

    def step(
        self,
        queue: IntArray,
        output: IntArray,
        priority: IntArray,
        granted: IntArray,
        tails: IntArray,
    ) -> None:
        """Count the packets that pass; `tails` are those of `granted` that are tails."""
        tail_passed = self.tail_passed[output]
        counts = (priority == UNPROMOTED) & (tail_passed >= 0) & (tail_passed != queue)
        counts[granted] = False
        self.passed[queue[counts]] += 1
        self.passed[queue[granted[priority[granted] != 0]]] = 0
        self.tail_passed[:] = -1
        self.tail_passed[output[tails]] = queue[tails]
