"""The switches of a deflection router: ranks of 2 x 2 switches on slots.

A router with so many links has as many slots. The flit of an input port starts in one slot, each
switch exchanges two slots or does not, and the flit that ends in a slot leaves by one output port.
So every flit leaves, whatever the switches do.
"""

from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np

from fingerpost.golden.arrays import BoolArray

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
    """The slots in which a flit can still end, by the side of the switch by which it leaves.

    Attributes
    ----------
    first, second : (links,) array of bool
        For the side of the first slot of the switch, and of the second.
    """

    first: BoolArray
    second: BoolArray


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
    """A switch through which the slots of two failed links would pass, each to its own output.

    Attributes
    ----------
    a, b : int
        The slots in which they start; that of `a` comes to the first slot of the switch.
    crosses : bool
        Whether the switch exchanges them.
    """

    a: int
    b: int
    crosses: bool


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
