"""All states that packets can be in, and where the decision in each of them leads.

A decision depends on the node, the port of arrival, the header and the selection. So packets that
agree in the first three are one from there on, and routes are a graph of such states. A state has
one step for each decision that can be taken in it: a single one, unless decisions depend on chance
or on what is free.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray, SmallArray, once
from fingerpost.golden.routing.base import Routing
from fingerpost.golden.routing.walk import walk

MULTIPLIERS = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
"""Odd numbers that spread neighbouring pairs over the upper bits of a product."""

Slots = NDArray[np.int32]


class Numbers:
    """A hash table of pairs with open addressing, at most half full.

    The loops of a compiled table are rounds over whole arrays: commands that only prove a network
    need no compiler, whose import takes longer than most proofs.

    Parameters
    ----------
    expected : int
        Pairs for which there is room at first.

    Attributes
    ----------
    known : int
        Pairs that have a number.
    first, second : integer arrays
        Both parts of all pairs by their numbers, with room behind them.
    """

    def __init__(self, expected: int) -> None:
        self.known = 0
        self.first: Slots = np.empty(0, np.int32)
        self.second: IntArray = np.empty(0, np.int64)
        self._resize(max(16, expected))

    def _resize(self, pairs: int) -> None:
        """Make room for so many pairs."""
        width = (2 * pairs - 1).bit_length()
        self._shift = np.uint64(64 - width)
        self._slots: Slots = np.full(1 << width, -1, np.int32)
        first, second, known = self.first, self.second, self.known
        self.first = np.empty(1 << (width - 1), np.int32)
        self.second = np.empty(1 << (width - 1), np.int64)
        self.first[:known], self.second[:known] = first[:known], second[:known]
        slot, left = self._slot(self.first[:known], self.second[:known]), np.arange(known)
        while len(left):
            empty = self._slots[slot] < 0
            self._slots[slot[empty]] = left[empty]
            placed = self._slots[slot] == left
            slot, left = (slot[~placed] + 1) & (len(self._slots) - 1), left[~placed]

    def _slot(self, first: IntArray | Slots, second: IntArray) -> IntArray:
        """Return where the search for each pair begins."""
        low, high = MULTIPLIERS
        spread = (first.astype(np.uint64) * low + second.view(np.uint64)) * high
        return (spread >> self._shift).view(np.int64)

    def of(self, first: IntArray, second: IntArray) -> IntArray:
        """Return the numbers of pairs. New ones get the next numbers.

        `first` has to be less than 2^31.
        """
        if self.known + len(first) > len(self.first):
            self._resize(2 * (self.known + len(first)))
        found = np.empty(len(first), np.int64)
        slot, left = self._slot(first, second), np.arange(len(first))
        while len(left):
            there = self._slots[slot]
            empty = np.flatnonzero(there < 0)
            if len(empty):
                # Of several pairs that ask for one empty slot the last one gets it.
                self._slots[slot[empty]] = empty
                placed = empty[self._slots[slot[empty]] == empty]
                number = np.arange(self.known, self.known + len(placed))
                self._slots[slot[placed]] = number
                self.first[number], self.second[number] = first[left[placed]], second[left[placed]]
                self.known += len(placed)
                there = self._slots[slot]
            here = self.first[there] == first[left]
            here &= self.second[there] == second[left]
            found[left[here]] = there[here]
            slot, left = (slot[~here] + 1) & (len(self._slots) - 1), left[~here]
        return found


class Steps(NamedTuple):
    """The steps of states, which are numbered; the first `sources` are of packets at terminals.

    Each step has its turn, (orbit * ports + port of arrival) * ports + output port, and the state
    to which it leads, -1 if it delivers the packet. The steps of state i are those from `first[i]`
    to `first[i + 1]`; where each state has one step, `first` is None.
    """

    sources: int
    states: int
    turn: SmallArray
    onward: SmallArray
    first: IntArray | None

    def of(self, some: SmallArray) -> SmallArray:
        """Return the steps of some states."""
        if self.first is None:
            return some
        begin, count = self.first[some], self.first[some + 1] - self.first[some]
        skipped = np.repeat(begin - (count.cumsum() - count), count)
        return skipped + np.arange(len(skipped))

    def among(self, some: slice) -> slice:
        """Return the steps of successive states."""
        return some if self.first is None else slice(*self.first[[some.start, some.stop]].tolist())

    def each(self, values: SmallArray, some: slice) -> SmallArray:
        """Return for each step of successive states the value of its state."""
        if self.first is None:
            return values
        return np.repeat(values, np.diff(self.first[some.start : some.stop + 1]))

    def sorted(self, order: SmallArray) -> "Steps":
        """Return the same steps where states are in another order, the sources the first ones."""
        step = self.of(order)
        number = np.empty(self.states + 1, np.int32)
        number[order], number[-1] = np.arange(self.states), -1
        first = self.first
        if first is not None:
            first = np.concatenate([[0], np.cumsum(np.diff(first)[order])])
        return self._replace(turn=self.turn[step], onward=number[self.onward[step]], first=first)

    def levels(self) -> Iterator[SmallArray]:
        """Yield all states, each when all from which a step leads to it have been.

        States on a cycle, and behind one, never come.
        """
        waits = np.bincount(self.onward[self.onward >= 0], minlength=self.states)
        ready: SmallArray = np.arange(self.sources)
        place = np.empty(self.states, np.int64)
        while len(ready):
            yield ready
            after = self.onward[self.of(ready)]
            after = after[after >= 0]
            np.subtract.at(waits, after, 1)
            ready = once(after[waits[after] == 0], place)


NO_STEPS = Steps(0, 0, np.empty(0, np.int32), np.empty(0, np.int32), None)


class Found(NamedTuple):
    """States: node, port of arrival and header of each, at terminals as it is sent; their steps."""

    node: IntArray
    arrival: IntArray
    header: IntArray
    steps: Steps


def found(routing: Routing, orbit: IntArray, sources: IntArray, destinations: IntArray) -> Found:
    """Return the states of packets from all `sources` to all `destinations`, source by source.

    If decisions are relative, behind the first hop a node stands for its `orbit`: the routing's, or
    another one for every node.

    Raises
    ------
    ValueError
        If a packet is refused on its way, or delivered to a wrong node.
    """
    topology = routing.topology
    width, local = topology.degree + 1, topology.local
    is_merged = merged(routing, orbit)
    stands_for = np.unique(orbit, return_index=True)[1][orbit]
    node, goal = np.repeat(sources, len(destinations)), np.tile(destinations, len(sources))
    arrival = np.full(len(node), local)
    begin = Found(node, arrival, np.asarray(routing.encode(node, goal)), NO_STEPS)
    header, refused = routing.generate_header(node, begin.header)
    goals = goal.astype(np.int32)  # of every state
    transit = Numbers(2 * len(node))  # the states behind the first hop
    turns, onwards, choices = [], [], []
    lost = bool(refused.any())
    while len(node) and not lost:
        selection = None
        if routing.selection:
            which, selection = routing.selections(node, arrival, header)
            choices.append(np.bincount(which, minlength=len(node)))
            node, arrival, header, goal = node[which], arrival[which], header[which], goal[which]
        port, onward_header, error = routing.unit(node, arrival, header, selection)
        turns.append(((orbit[node] * width + arrival) * width + port).astype(np.int32))
        is_away = port != local
        away = np.flatnonzero(is_away)
        link = node[away], port[away]
        there, by = topology.neighbour[link], topology.arrival_port[link]
        lost = bool(error.any() or (there < 0).any())
        lost |= not is_merged and bool((node != goal)[~is_away].any())
        if lost:
            break
        if is_merged:
            there = stands_for[there]
        before = transit.known
        number = transit.of(there * width + by, onward_header[away])
        onwards.append(np.full(len(node), -1, np.int32))
        onwards[-1][away] = number + len(begin.node)
        goals = np.concatenate([goals, np.empty(transit.known - before, np.int32)])
        ends = goal[away]
        is_new = number >= before
        goals[number[is_new] + len(begin.node)] = ends[is_new]
        # Packets to two destinations in one state: one of them will be delivered wrongly.
        lost = not is_merged and bool((goals[number + len(begin.node)] != ends).any())
        fresh = slice(before, transit.known)
        node, arrival = np.divmod(transit.first[fresh].astype(np.int64), width)
        header, goal = transit.second[fresh], goals[len(begin.node) + before :].astype(np.int64)
    if lost:
        walk(routing, begin.node, np.tile(destinations, len(sources)))  # says which packet it is
        raise ValueError(f"{routing.algorithm} loses packets")
    there, by = np.divmod(transit.first[: transit.known].astype(np.int64), width)
    first = None
    if routing.selection:
        first = np.concatenate([[0], np.cumsum(np.concatenate(choices))])
    return Found(
        np.concatenate([begin.node, there]),
        np.concatenate([begin.arrival, by]),
        np.concatenate([begin.header, transit.second[: transit.known]]),
        Steps(len(begin.node), len(goals), np.concatenate(turns), np.concatenate(onwards), first),
    )


def merged(routing: Routing, orbit: IntArray) -> bool:
    """Return whether a node stands for all of its orbit: no decision tells them apart."""
    return routing.relative and int(orbit.max()) + 1 < len(orbit)


def states(routing: Routing, sources: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return all (node, port of arrival, header) of packets from `sources`.

    Their headers name all nodes that some can. They are sorted. If decisions are relative, one node
    stands for its orbit.
    """
    node, arrival, header, _ = found(routing, routing.orbit, sources, routing.destinations)
    order = np.lexsort((header, arrival, node))
    return node[order], arrival[order], header[order]
