"""The routes of packets, found before they are sent, once for all that take them.

A decision depends on the node, the port of arrival, the header and the selection: chance, or which
outputs are free. All that can happen to the headers that are sent is a graph of such states, where
one node stands for its orbit if the routing is relative; each state has a step for every choice.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import Array, IntArray
from fingerpost.golden.jit.bits import INDEX
from fingerpost.golden.jit.compile import called
from fingerpost.golden.network.network import Network
from fingerpost.golden.router.records import STEP

PORTS = 256
"""A port, or its complement, is one of so many."""

SELECTIONS = {"": 0, "free": 1, "random": 2}


class RouteTable:
    """The decisions on all headers that have been asked for; it grows with `first`.

    Parameters
    ----------
    network : Network
    plain : bool
        Whether it is made in plain Python in any case.

    Attributes
    ----------
    steps : array of records
        The decisions. Routes that end alike share their ends, whatever their nodes: they stay in
        the processor's cache.
    """

    def __init__(self, network: Network, *, plain: bool = False) -> None:
        self.network, self.steps = network, np.zeros(0, STEP)
        topology, routing = network.topology, network.routing
        turns = network.used_turns
        self._used_turns = np.stack([turns[kind] for kind in topology.node_type])
        self._node_of = np.arange(topology.nodes)
        if routing.relative:
            self._node_of = np.unique(routing.orbit, return_index=True)[1][routing.orbit]
        self._inputs = topology.all_ports
        self._states, self._ends = Numbers(plain=plain), Numbers(plain=plain)
        self._step_of = np.zeros(0, np.int32)  # of each state the first step

    def first(self, source: IntArray, header: IntArray) -> IntArray:
        """Return the index in `steps` of the first decision on each header that a terminal sends.

        `source` are numbers of terminals. Headers may name no node.

        Raises
        ------
        ValueError
            If a packet goes on for more than n hops.
        """
        topology, states = self.network.topology, self._states
        done, (node, local) = states.known, np.divmod(source, topology.local_ports)
        generated, refused = self.network.routing.generate(node, header)
        begins = self._numbers(node, topology.local + local, generated, refused)
        found = []
        while done < states.known:
            place, headers = states.pairs[:, done:]
            done = states.known
            found.append(self._steps(place, headers))
        if found:
            steps, choices = (np.concatenate(each) for each in zip(*found, strict=True))
            (self._merge if not self.network.routing.selection else self._append)(steps, choices)
        return self._step_of[begins].astype(np.int64)

    def alone(self, node: IntArray, arrival: IntArray, header: IntArray) -> IntArray:
        """Return the index in `steps` of the decision on each header that arrives at a port.

        The decisions that follow on it are not found.
        """
        done, sent = self._states.known, arrival >= self.network.topology.local
        refused = np.zeros(len(node), np.int64)
        generated = header.copy()
        generated[sent], refused[sent] = self.network.routing.generate(node[sent], header[sent])
        asked = self._numbers(node, arrival, generated, refused)
        if done < self._states.known:
            self._append(*self._steps(*self._states.pairs[:, done:], follow=False))
        return self._step_of[asked].astype(np.int64)

    def _numbers(
        self, node: IntArray, arrival: IntArray, header: IntArray, refused: IntArray | int
    ) -> IntArray:
        """Return the numbers of states; those that are new get the next ones."""
        return self._states.of((self._node_of[node] * self._inputs + arrival) * 2 + refused, header)

    def _steps(
        self, place: IntArray, header: IntArray, *, follow: bool = True
    ) -> tuple[Array, IntArray]:
        """Return the steps of new states, and how many each has; `next` is a state, if any."""
        topology = self.network.topology
        (node, arrival), bad = np.divmod(place >> 1, self._inputs), place & 1
        packet, selection = self.network.routing.selections_of(node, arrival, header)
        if selection is not None:  # of a refused header the first
            some = np.diff(packet, prepend=-1).astype(np.bool_) | (bad[packet] == 0)
            packet, selection = packet[some], selection[some]
        choices = np.bincount(packet, minlength=len(node))
        node, arrival = node[packet], arrival[packet]
        decision = self.network.routing.route(node, arrival, header[packet], selection)
        error = (decision.error | bad[packet] | (decision.port >= topology.all_ports)).astype(
            np.bool_
        )
        port = np.where(error, topology.local, decision.port)
        discarded = error | ~self._used_turns[node, arrival, port]
        steps = np.zeros(len(packet), STEP)
        steps["port"] = np.where(discarded, ~port, port)
        steps["header"], steps["choices"], steps["next"] = decision.header, choices[packet], -1
        away = ~discarded & (port < topology.local) & follow
        link, onward = (node[away], port[away]), decision.header[away]
        there, by = topology.neighbour[link], topology.arrival_port[link]
        steps["next"][away] = self._numbers(there, by, onward, 0)
        return steps, choices

    def _append(self, steps: Array, choices: IntArray) -> None:
        """Add the steps of new states."""
        first = len(self.steps) + choices.cumsum() - choices
        self._step_of = np.concatenate([self._step_of, first.astype(np.int32)])
        on = steps["next"] >= 0
        steps["next"][on] = self._step_of[steps["next"][on]]
        self.steps = np.concatenate([self.steps, steps])

    def _merge(self, steps: Array, choices: IntArray) -> None:
        """Add the steps of new states, each with one, that end unlike all others."""
        del choices
        known, onward = len(self._step_of), steps["next"]
        left = self._steps_left(np.where(onward < known, -1, onward - known))
        # The last is behind the end of a route.
        same = np.concatenate([self._step_of, np.full(len(steps) + 1, -1, np.int32)])
        before = self._ends.known
        ends, samples = np.cumsum(np.bincount(left)), [self.steps]
        for some in np.split(np.argsort(left, kind="stable"), ends[:-1]):
            port = steps["port"][some].astype(np.int64)
            then = (same[onward[some]].astype(np.int64) + 1) * PORTS + (port & (PORTS - 1))
            number = self._ends.of(then, steps["header"][some])
            same[known + some] = number
            fresh, sample = number >= before, np.zeros(self._ends.known - before, STEP)
            sample[number[fresh] - before] = steps[some[fresh]]
            sample["next"] = same[sample["next"]]
            samples.append(sample)
            before = self._ends.known
        self.steps, self._step_of = np.concatenate(samples), same[:-1]

    def _steps_left(self, onward: IntArray) -> IntArray:
        """Return how many steps follow each one, given the next; by doubling the jumps.

        Raises
        ------
        ValueError
            If there is no end to them.
        """
        jump = np.append(onward, -1)
        left = (jump >= 0).astype(np.int64)
        for _ in range(len(jump).bit_length() + 1):  # the last looks at what doubling made
            if (jump < 0).all():
                return left[:-1]
            left, jump = left + left[jump], jump[jump]
        n = self.network.topology.nodes
        raise ValueError(f"{self.network.routing.algorithm} needs more than n = {n} hops")


FEWEST = 1 << 10
"""Slots of the smallest hash table, a power of two."""

LOW, HIGH = 0x1E3779B97F4A7C15, 0x42B2AE3D27D4EB4F
"""Odd numbers that spread neighbouring pairs over the upper bits of a product."""

MOST = (1 << 63) - 1
"""The largest number of 64 bits: a product has no bits beyond."""


class Numbers:
    """A hash table of pairs with open addressing, at most half full; in plain Python if asked."""

    def __init__(self, *, plain: bool = False) -> None:
        self.known, self._plain = 0, plain
        self._slots: NDArray[np.int32] = np.full(FEWEST, -1, np.int32)
        self._pairs: IntArray = np.empty((2, FEWEST // 2), np.int64)

    @property
    def pairs(self) -> IntArray:
        """Return all pairs by their numbers, (2, known)."""
        return self._pairs[:, : self.known]

    def of(self, first: IntArray, second: IntArray) -> IntArray:
        """Return the numbers of pairs. New ones get the next numbers, in their order here."""
        most = self.known + len(first)
        if 2 * most > len(self._slots):
            before = self.pairs
            self._slots = np.full(1 << (2 * most).bit_length(), -1, np.int32)
            self._pairs = np.empty((2, len(self._slots) // 2), np.int64)
            self._number(before[0], before[1], 0)
        found, self.known = self._number(first, second, self.known)
        return found

    def _number(self, first: IntArray, second: IntArray, known: int) -> tuple[IntArray, int]:
        found = np.empty(len(first), np.int64)
        table = self._slots, self._pairs
        return found, _number(first, second, *table, known, found, plain=self._plain)


@called
def _number(first: Any, second: Any, slots: Any, pairs: Any, known: int, found: Any) -> int:
    """Fill in `found`, the numbers of some pairs; return how many are known then."""
    mask = len(slots) - 1 & INDEX
    for entry in range(len(first)):
        one, two = first[entry], second[entry]
        spread = (one * LOW + two) * HIGH & MOST
        slot = (spread ^ spread >> 32) & mask
        while slots[slot] >= 0 and (pairs[0, slots[slot]] != one or pairs[1, slots[slot]] != two):
            slot = slot + 1 & mask
        if slots[slot] < 0:
            slots[slot] = known
            pairs[0, known], pairs[1, known] = one, two
            known += 1
        found[entry] = slots[slot]
    return known
