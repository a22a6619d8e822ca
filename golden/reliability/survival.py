"""Which of many damaged copies of a network survive: 64 copies in every word."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology.base import Topology

Words = NDArray[np.uint64]
"""One bit for each copy of the network."""


def link_numbers(topology: Topology) -> tuple[int, IntArray]:
    """Return the number of links, and the number of the link at each in-port, -1 for none.

    A link that goes both ways has one number: it fails as a whole.
    """
    origin = topology.origin
    node, port = np.nonzero(origin >= 0)
    name = node * topology.degree + port
    if not topology.directed:
        name = np.minimum(
            name,
            topology.neighbour[node, port] * topology.degree + topology.arrival_port[node, port],
        )
    names, number = np.unique(name, return_inverse=True)
    numbers = np.full_like(origin, -1)
    numbers[node, port] = number
    return len(names), numbers


def survives(topology: Topology, alive: Words, works: Words) -> Words:
    """Return the copies in which two or more terminals live, and all of them reach one another.

    They reach one another over links that work, through nodes that live.

    Parameters
    ----------
    topology : Topology
    alive : (nodes, words)
        The copies in which a node survives.
    works : (links, words)
        The copies in which a link works, by `link_numbers`.
    """
    _, number = link_numbers(topology)
    # A last row, of nodes that never live, is where -1 leads.
    alive = np.concatenate([alive, np.zeros_like(alive[:1])])
    terminals = alive[topology.terminals]
    before = np.bitwise_or.accumulate(terminals, axis=0)
    before = np.concatenate([np.zeros_like(before[:1]), before[:-1]])
    two = np.bitwise_or.reduce(terminals & before, axis=0)

    root = np.zeros_like(alive)
    root[topology.terminals] = terminals & ~before  # the first surviving terminal
    node, port = np.nonzero(topology.neighbour >= 0)
    leaving = np.full_like(number, -1)
    leaving[node, port] = number[topology.neighbour[node, port], topology.arrival_port[node, port]]
    reached = _reached(root, topology.origin, number, alive, works)
    reaching = _reached(root, topology.neighbour, leaving, alive, works)
    cut_off = terminals & ~(reached & reaching)[topology.terminals]
    result: Words = two & ~np.bitwise_or.reduce(cut_off, axis=0)
    return result


def _reached(root: Words, origin: IntArray, number: IntArray, alive: Any, works: Words) -> Words:
    """Return the copies in which each node is reached from the root, link by link."""
    reached = root.copy()
    while True:
        before = reached.copy()
        for port in range(origin.shape[1]):  # each port uses what the one before has reached
            reached[:-1] |= reached[origin[:, port]] & works[number[:, port]] & alive[:-1]
        if (reached == before).all():
            return reached
