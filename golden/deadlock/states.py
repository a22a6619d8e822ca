"""All states that packets can be in, and where the decision in each of them leads.

A decision depends on the node, the port of arrival, the header and the selection. So packets that
agree in the first three are one from there on, and routes are a graph of such states. A state has
one step for each decision that can be taken in it: a single one, unless decisions depend on chance
or on what is free.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import IntArray, SmallArray, once
from fingerpost.golden.deadlock.numbers import Numbers
from fingerpost.golden.routing.base import Routing
from fingerpost.golden.routing.walk import walk


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
    """Return all (node, port of arrival, header) of packets from `sources` to all terminals.

    They are sorted. If decisions are relative, one node stands for its orbit.
    """
    node, arrival, header, _ = found(routing, routing.orbit, sources, routing.topology.terminals)
    order = np.lexsort((header, arrival, node))
    return node[order], arrival[order], header[order]
