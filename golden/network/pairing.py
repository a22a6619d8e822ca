"""Which ports share a switch of a deflection router: searched for, by trial with random flits.

On a torus this is worth 40 % of the throughput (0.126 to 0.179 flits per cycle on 32 x 32), on
Borel graphs 2 %.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.network.destinations import Destinations
from fingerpost.golden.network.switches import RANKS, Passage, passages, reach
from fingerpost.golden.topology.base import NodeType, Topology

TRIALS = 4000
"""Routers full of random flits on which a pairing is tried."""

MOST_NODES = 64
"""Nodes of a type whose flits are drawn."""


class Pairing(NamedTuple):
    """The ports of each slot.

    Attributes
    ----------
    inputs, outputs : tuple of int
        By slot, the input port whose flit starts there, and the output port by which it leaves.
    """

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]

    @property
    def passages(self) -> tuple[tuple[Passage, ...], ...] | None:
        """Return how a flit from each input leaves by the output of the same number, all at once.

        None if the switches cannot do that.
        """
        slots = tuple(map(self.inputs.index, self.outputs))
        return passages(len(slots)).get(slots)


def crosses(first: BoolArray, a: Sequence[BoolArray], b: Sequence[BoolArray]) -> BoolArray:
    """Return whether switches exchange their flits.

    The flit of higher priority decides if it prefers a side, else the other one.

    Parameters
    ----------
    first : array of bool
        Whether the flit in the first slot has the higher priority.
    a, b : pairs of arrays of bool
        Whether the flit in the first and in the second slot can get nearer on the first side, and
        on the second side. It prefers a side if it can on that side only.
    """
    (a_first, a_second), (b_first, b_second) = a, b
    a_stays, a_goes = a_first & ~a_second, a_second & ~a_first
    b_stays, b_goes = b_second & ~b_first, b_first & ~b_second
    return np.where(first, a_goes | (~a_stays & b_goes), b_goes | (~b_stays & a_goes))


@dataclass(frozen=True)
class Trial:
    """Random flits in all inputs of some routers, in the order of their priority by input.

    Attributes
    ----------
    productive : (trials, inputs, outputs) array of bool
        The ports that bring each flit nearer.
    rank : (trials, inputs) array
        The rank of each flit by priority; 0 is the highest.
    """

    productive: BoolArray
    rank: IntArray

    @classmethod
    def of(cls, topology: Topology, known: Destinations, node_type: NodeType) -> "Trial":
        """Draw flits for nodes of a type, the destinations as shortest paths bring them there."""
        rng = np.random.default_rng(0)
        nodes = np.array([v for v, kind in enumerate(topology.node_type) if kind == node_type])
        nodes = nodes[:1] if topology.vertex_transitive else nodes[:MOST_NODES]
        origin = topology.origin
        shape = TRIALS, len(node_type.inputs), len(node_type.outputs)
        productive = np.empty(shape, np.bool_)
        ports = np.array(node_type.outputs)
        for place, port in enumerate(node_type.inputs):
            masks = []
            for node in nodes.tolist():
                before = known.distance[origin[node, port]].astype(np.int64)
                came = (known.distance[node] == before - 1) & (known.distance[node] > 0)
                masks.append(known.productive[node, came])
            drawn = np.concatenate(masks)
            drawn = rng.choice(drawn, TRIALS) if len(drawn) else np.zeros(TRIALS, np.uint8)
            productive[:, place] = drawn[:, None] >> ports & 1
        rank = rng.random(shape[:2]).argsort(axis=1)
        return cls(productive, rank)

    def score(self, inputs: tuple[int, ...], outputs: tuple[int, ...]) -> float:
        """Return how many flits leave by a productive port, the mean; places by slot."""
        links = len(inputs)
        productive = self.productive[:, list(inputs)][:, :, list(outputs)]
        rank = self.rank[:, list(inputs)]
        for switches, sides in zip(RANKS[links], reach(links), strict=True):
            for (a, b), side in zip(switches, sides, strict=True):
                wants: list[list[BoolArray]] = [
                    [np.any(productive[:, slot] & where, axis=1) for where in side]
                    for slot in (a, b)
                ]
                swap = np.flatnonzero(crosses(rank[:, a] < rank[:, b], *wants))
                for array in (productive, rank):
                    array[swap, a], array[swap, b] = array[swap, b], array[swap, a]
        return float(np.einsum("tss->", productive.astype(np.int64))) / len(rank)


def search(
    topology: Topology, known: Destinations, node_type: NodeType, *, passable: bool = False
) -> Pairing:
    """Return the pairing under which most flits of a `Trial` leave by a productive port.

    A descent by exchanges of two inputs or two outputs, from the natural order. It draws from one
    seed, so the same topology has the same pairing. If it is to be `passable` it has `passages`.
    """
    links = len(node_type.outputs)
    trial = Trial.of(topology, known, node_type)
    natural = tuple(range(links))
    best = Pairing(natural, natural)
    score = trial.score(natural, natural)
    while True:
        tried = [
            (trial.score(other.inputs, other.outputs), other)
            for other in _neighbours(best)
            if not passable or _named(other, node_type).passages is not None
        ]
        top = max(tried, key=lambda each: each[0], default=(score, best))
        if top[0] <= score:
            break
        score, best = top
    return _named(best, node_type)


def _named(places: Pairing, node_type: NodeType) -> Pairing:
    """Return a pairing of ports, given one of their places in the node type."""
    return Pairing(
        tuple(node_type.inputs[place] for place in places.inputs),
        tuple(node_type.outputs[place] for place in places.outputs),
    )


def _neighbours(pairing: Pairing) -> list[Pairing]:
    """Return the pairings that differ by an exchange of two inputs or two outputs."""
    found = []
    for side in ("inputs", "outputs"):
        ports = getattr(pairing, side)
        for i in range(len(ports)):
            for j in range(i):
                other = list(ports)
                other[i], other[j] = other[j], other[i]
                found.append(pairing._replace(**{side: tuple(other)}))
    return found
