"""Survival reliability of any network, by samples: 64 damaged copies of it in every word."""

from collections.abc import Callable
from math import sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.reliability.links import chance
from fingerpost.golden.topology.base import Topology

Words = NDArray[np.uint64]
"""One bit for each copy of the network."""


CONFIDENCE = 0.95
"""The share of intervals that hold the true value."""

BATCH = 1 << 22
"""Words of 64 samples that are held at a time: 32 MB."""


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
    terminals = alive[topology.terminal_nodes]
    before = np.bitwise_or.accumulate(terminals, axis=0)
    before = np.concatenate([np.zeros_like(before[:1]), before[:-1]])
    two = np.bitwise_or.reduce(terminals & before, axis=0)

    root = np.zeros_like(alive)
    root[topology.terminal_nodes] = terminals & ~before  # the first surviving terminal
    node, port = np.nonzero(topology.neighbour >= 0)
    leaving = np.full_like(number, -1)
    leaving[node, port] = number[topology.neighbour[node, port], topology.arrival_port[node, port]]
    reached = _reached(root, topology.origin, number, alive, works)
    reaching = _reached(root, topology.neighbour, leaving, alive, works)
    cut_off = terminals & ~(reached & reaching)[topology.terminal_nodes]
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


class Estimate(NamedTuple):
    """How many of the samples survive, and Wilson's interval for the probability."""

    survivors: int
    samples: int
    low: float
    high: float

    @property
    def survival(self) -> float:
        """Return the share of samples that survive."""
        return self.survivors / self.samples


def monte_carlo(
    topology: Topology,
    node_failure: float,
    link_failure: float,
    *,
    samples: int,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Estimate:
    """Return an estimate of the survival reliability; the same seed gives the same estimate.

    Survival means that two or more terminals survive, and all of them reach one another through
    nodes and links that work. A link that goes both ways fails as a whole. `progress` is called
    with (samples done, samples to do) now and then.

    Raises
    ------
    ValueError
        If a probability is not one, or there is no sample.

    Examples
    --------
    >>> from fingerpost.golden.topology import DoubleLoop
    >>> found = monte_carlo(DoubleLoop(nodes=9, a=1, b=2), 0.1, 0, samples=1000)
    >>> found.samples, found.low < found.survival < found.high
    (1000, True)
    """
    chance("node", node_failure)
    chance("link", link_failure)
    if samples < 1:
        raise ValueError(f"Survival needs at least 1 sample, not {samples}")
    rng = np.random.default_rng(seed)
    links, _ = link_numbers(topology)
    most = max(1, BATCH // (topology.nodes * (topology.degree + 4)))  # words at a time
    survivors, done = 0, 0
    while done < samples:
        words = min(most, -(-(samples - done) // 64))
        alive = ~_coins(rng, node_failure, topology.nodes, words)
        works = ~_coins(rng, link_failure, links, words)
        count = min(samples - done, 64 * words)
        survivors += _count(survives(topology, alive, works), count)
        done += count
        progress(done, samples)
    return Estimate(survivors, samples, *wilson(survivors, samples))


def wilson(successes: int, samples: int) -> tuple[float, float]:
    """Return Wilson's score interval for the probability of a success, at `CONFIDENCE`."""
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    share, shrink = successes / samples, 1 + z * z / samples
    middle = share + z * z / (2 * samples)
    half = z * sqrt(share * (1 - share) / samples + (z / (2 * samples)) ** 2)
    return max(0.0, (middle - half) / shrink), min(1.0, (middle + half) / shrink)


def _coins(rng: np.random.Generator, p: float, rows: int, words: int) -> Words:
    """Return rows of bits that are 1 with probability p."""
    coins = np.empty((rows, 8 * words), np.uint8)
    few = max(1, (1 << 20) // (64 * words))  # rows at a time: a coin is 8 bytes before it is a bit
    for row in range(0, rows, few):
        heads = rng.random((min(few, rows - row), 64 * words)) < p
        coins[row : row + few] = np.packbits(heads, axis=1)
    return coins.view(np.uint64)


def _count(survives: Words, samples: int) -> int:
    """Return how many of the first so many samples survive."""
    return int(np.unpackbits(survives.view(np.uint8), count=samples).sum())
