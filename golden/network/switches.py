"""The switches of a deflection router: ranks of 2 x 2 switches on slots.

A router with so many links has as many slots. The flit of an input port starts in one slot, each
switch exchanges two slots or does not, and the flit that ends in a slot leaves by one output port.
So every flit leaves, whatever the switches do.

Which ports share a switch is searched for, by trial with random flits. On a torus this is worth
40 % of the throughput (0.126 to 0.179 flits per cycle on 32 x 32), on Borel graphs 2 %.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.network.destinations import Destinations
from fingerpost.golden.topology.base import NodeType, Topology

Rank = tuple[tuple[int, int], ...]
"""The pairs of slots that the switches of a rank may exchange."""

RANKS: tuple[tuple[Rank, ...], ...] = (
    (),
    (),
    (((0, 1),),),
    (((0, 1),), ((1, 2),), ((0, 1),)),
    (((0, 1), (2, 3)), ((0, 2), (1, 3))),
    (((0, 1), (2, 3)), ((1, 2), (3, 4)), ((1, 3), (2, 4)), ((0, 1), (3, 4))),
    (((0, 1), (2, 3), (4, 5)), ((0, 2), (1, 4), (3, 5)), ((0, 1), (2, 3), (4, 5))),
    (
        ((0, 1), (2, 3), (4, 5)),
        ((1, 2), (3, 4), (5, 6)),
        ((1, 3), (2, 5), (4, 6)),
        ((0, 2), (1, 4), (3, 6)),
    ),
    (
        ((0, 1), (2, 3), (4, 5), (6, 7)),
        ((0, 2), (1, 3), (4, 6), (5, 7)),
        ((0, 4), (1, 5), (2, 6), (3, 7)),
    ),
)
"""The ranks for each number of links: the fewest from which every input reaches every output.

For 2, 4 and 8 links they are a butterfly. Found by exhaustive search.
"""

MAX_LINKS = len(RANKS) - 1
"""Links of a router in each direction."""


class Reach(NamedTuple):
    """The slots in which a flit can still end, by the side of the switch by which it leaves."""

    first: BoolArray
    second: BoolArray
    """Shape (links,), array of bool. For the side of the first slot of the switch, and of the
    second."""


def ejection_port(slot: Any, links: Any, ports: int) -> Any:
    """Return the ejection port of a slot, or of an array of slots: each serves its share."""
    return slot * ports // links


def in_cycles(links: int, cycles: int) -> tuple[tuple[Rank, ...], ...]:
    """Return the ranks of each of `cycles` cycles, the longer part last.

    Examples
    --------
    >>> [len(ranks) for ranks in in_cycles(3, 2)]
    [1, 2]
    """
    ranks = RANKS[links]
    cuts = [len(ranks) * cycle // cycles for cycle in range(cycles + 1)]
    return tuple(ranks[start:end] for start, end in pairwise(cuts))


def reach(links: int) -> list[list[Reach]]:
    """Return what lies behind each side of each switch, in the order of `RANKS`.

    Examples
    --------
    >>> reach(4)[0][1].first.tolist()  # behind slot 2 of the first rank: slots 0 and 2
    [True, False, True, False]
    """
    behind = np.eye(links, dtype=np.bool_)
    found = []
    for rank in reversed(RANKS[links]):
        found.append([Reach(behind[a].copy(), behind[b].copy()) for a, b in rank])
        for a, b in rank:
            behind[a] = behind[b] = behind[a] | behind[b]
    return found[::-1]


def first_sides(links: int) -> Reach | None:
    """Return what lies behind the sides of the first switch, if that is the same for all slots.

    Examples
    --------
    >>> first_sides(4).first.tolist(), first_sides(3)
    ([True, False, True, False], None)
    """
    if not RANKS[links]:
        return None
    one, *others = reach(links)[0]
    alike = all(np.array_equal(other, one) for other in others)
    return one if alike and 2 * len(RANKS[links][0]) == links else None


def compared(links: int) -> list[set[tuple[int, int]]]:
    """Return the pairs of slots whose flits are compared before each rank, or after it.

    Before a rank are compared the slots of its switches, and those from which flits come to slots
    that are compared later. The lower slot comes first. The last set is empty: behind all ranks.

    Examples
    --------
    >>> compared(4)[1] == {(0, 2), (1, 3)}, len(compared(4)[0])
    (True, 6)
    """
    later: set[tuple[int, int]] = set()
    found = [later]
    for rank in reversed(RANKS[links]):
        partner = {slot: slot for slot in range(links)}
        for a, b in rank:
            partner[a], partner[b] = b, a
        before = {
            (min(x, y), max(x, y))
            for first, second in later
            for x in (first, partner[first])
            for y in (second, partner[second])
            if x != y
        }
        later = before | set(rank)
        found.append(later)
    return found[::-1]


class Passage(NamedTuple):
    """A switch through which the slots of two failed links would pass, each to its own output."""

    a: int
    b: int
    """The slots in which they start; that of `a` comes to the first slot of the switch."""
    crosses: bool
    """Whether the switch exchanges them."""


@lru_cache
def passages(links: int) -> Mapping[tuple[int, ...], tuple[tuple[Passage, ...], ...]]:
    """Return a setting of all switches, by rank, for each order of the slots that they can make.

    The key has the slot in which each starts, by that in which it ends.

    Examples
    --------
    >>> passages(2)[1, 0]
    ((Passage(a=0, b=1, crosses=True),),)
    >>> len(passages(4)), (0, 1, 2, 3) in passages(4)
    (16, True)
    """
    ranks = RANKS[links]
    found: dict[tuple[int, ...], tuple[tuple[Passage, ...], ...]] = {}
    for bits in product((False, True), repeat=sum(map(len, ranks))):
        crosses, slots, setting = iter(bits), list(range(links)), []
        for rank in ranks:
            row = []
            for a, b in rank:
                row.append(Passage(slots[a], slots[b], next(crosses)))
                if row[-1].crosses:
                    slots[a], slots[b] = slots[b], slots[a]
            setting.append(tuple(row))
        found.setdefault(tuple(slots), tuple(setting))
    return found


TRIALS = 4000
"""Routers full of random flits on which a pairing is tried."""

MOST_NODES = 64
"""Nodes of a type whose flits are drawn."""


class Pairing(NamedTuple):
    """The ports of each slot."""

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    """By slot, the input port whose flit starts there, and the output port by which it leaves."""

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
    """Random flits in all inputs of some routers, in the order of their priority by input."""

    productive: BoolArray
    """Shape (trials, inputs, outputs), array of bool. The ports that bring each flit nearer."""
    rank: IntArray
    """Shape (trials, inputs). The rank of each flit by priority; 0 is the highest."""

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
