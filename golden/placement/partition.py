"""Simulated annealing of a partition: equal parts of a network with few links between them.

A move swaps two nodes of different parts: one, and any of a part in which it has a neighbour. The
energy is the number of links between parts. The temperature falls geometrically (Johnson, Aragon,
McGeoch and Schevon 1989); the best of several starts counts.
"""

from collections.abc import Callable
from math import exp
from typing import Any, NamedTuple

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.jit.compile import called, compiled
from fingerpost.golden.topology.base import Topology

STARTS, TEMPERATURES, QUENCHED = 3, 100, 5
"""Searches from random partitions; temperatures of each, of which the last are 0."""

HOTTEST, COLDEST = 0.45, 0.2
"""Temperatures, in links. Found by measurement, of tori and Borel graphs."""

MOVES, MOST_MOVES = 150_000, 200_000_000
"""Moves of a search: of each node, in the mean; and of all at most."""


class Parts(NamedTuple):
    """Which nodes are in which part, and the nodes that links of either direction join.

    Attributes
    ----------
    part : (nodes,)
        The part of each node.
    members : (nodes,)
        The nodes of part i are ``members[start[i]:start[i + 1]]``.
    place : (nodes,)
        The index of each node in `members`.
    start : (parts + 1,)
    first, joined
        Node v is joined with `joined[first[v]:first[v + 1]]`.
    """

    part: IntArray
    members: IntArray
    place: IntArray
    start: IntArray
    first: IntArray
    joined: IntArray


def links_between(topology: Topology, part: IntArray) -> IntArray:
    """Return the links between each two parts [a, b], a < b, shape (parts, parts).

    A link of both directions counts once.
    """
    node, port = np.nonzero(topology.neighbour >= 0)
    ends = np.sort(part[np.stack([node, topology.neighbour[node, port]])], axis=0)
    parts = int(part.max()) + 1
    found = np.bincount(ends[0] * parts + ends[1], minlength=parts**2).reshape(parts, parts)
    return np.triu(found, 1) // (1 if topology.directed else 2)


def partition(
    topology: Topology,
    parts: int,
    *,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> IntArray:
    """Return the part of each node, 0..parts-1, shape (nodes,); their sizes differ by at most 1.

    Parts are numbered by their first nodes. The same network always gives the same parts.

    Parameters
    ----------
    progress
        Called with (temperatures done, temperatures to do).

    Examples
    --------
    >>> from fingerpost.golden.topology import Grid
    >>> partition(Grid(sizes=[2, 4]), 2).tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    """
    found = [_search(topology, parts, seed, progress) for seed in range(STARTS)]
    best = min(found, key=lambda part: int(links_between(topology, part).sum()))
    _, first = np.unique(best, return_index=True)
    return np.argsort(np.argsort(first))[best]


def _search(
    topology: Topology, parts: int, seed: int, progress: Callable[[int, int], None]
) -> IntArray:
    rng, nodes = np.random.default_rng(seed), topology.nodes
    state = _start(topology, rng.permutation(nodes), parts)
    each = min(MOVES * nodes, MOST_MOVES) // TEMPERATURES
    for step in range(TEMPERATURES):
        progress(seed * TEMPERATURES + step, STARTS * TEMPERATURES)
        temperature = HOTTEST * (COLDEST / HOTTEST) ** (step / (TEMPERATURES - 1))
        if step >= TEMPERATURES - QUENCHED:
            temperature = 0.0
        _try_swaps(rng.integers(nodes, size=each), rng.random((3, each)), temperature, state)
    return state.part


def _start(topology: Topology, members: IntArray, parts: int) -> Parts:
    """Return the parts into which an order of the nodes falls."""
    node, port = np.nonzero(topology.neighbour >= 0)
    there, nodes = topology.neighbour[node, port], topology.nodes
    begin, end = node, there
    if topology.directed:
        begin, end = np.concatenate([[node, there], [there, node]], axis=1)
    first = np.concatenate([[0], np.bincount(begin, minlength=nodes).cumsum()])
    start = np.arange(parts + 1) * nodes // parts
    part = np.empty(nodes, np.int64)
    part[members] = np.repeat(np.arange(parts), np.diff(start))
    joined = end[np.argsort(begin, kind="stable")].astype(np.int64)
    return Parts(part, members, np.argsort(members), start, first, joined)


@compiled
def _gain(node: int, to: int, other: int, state: Parts) -> int:
    """Return the links of a node to part `to` less those to its own, but for those to `other`."""
    gain, own = 0, state.part[node]
    for at in range(state.first[node], state.first[node + 1]):
        end = state.joined[at]
        if end != other:
            gain += (state.part[end] == to) - (state.part[end] == own)
    return gain


@called
def _try_swaps(moved: Any, chance: Any, temperature: float, state: Parts) -> None:
    """Try to swap nodes with others; keep swaps that cut fewer links, and some others."""
    for move in range(len(moved)):
        node = moved[move]
        links = state.first[node + 1] - state.first[node]
        if links == 0:
            continue
        neighbour = state.joined[state.first[node] + int(chance[0, move] * links)]
        own, to = state.part[node], state.part[neighbour]
        if own == to:
            continue
        size = state.start[to + 1] - state.start[to]
        other = state.members[state.start[to] + int(chance[1, move] * size)]
        rise = -_gain(node, to, other, state) - _gain(other, own, node, state)
        if rise <= 0 or (temperature > 0 and chance[2, move] < exp(-rise / temperature)):
            state.part[node], state.part[other] = to, own
            here, there = state.place[node], state.place[other]
            state.members[here], state.members[there] = other, node
            state.place[node], state.place[other] = there, here
