"""Switches by brute force: all settings of all ranks."""

from collections.abc import Iterator
from itertools import product

import pytest

from fingerpost.golden.deflection.switches import (
    MAX_LINKS,
    RANKS,
    compared,
    first_sides,
    in_cycles,
    reach,
)

LINKS = range(MAX_LINKS + 1)


def passed(links: int, start: int = 0) -> Iterator[list[tuple[int, ...]]]:
    """For all settings from a rank on: which flit is in each slot before, and behind each rank."""
    switches = [
        (rank, pair) for rank in range(start, len(RANKS[links])) for pair in RANKS[links][rank]
    ]
    for setting in product((False, True), repeat=len(switches)):
        place, history = list(range(links)), [tuple(range(links))]
        for i, ((rank, (a, b)), swap) in enumerate(zip(switches, setting, strict=True)):
            if swap:
                place[a], place[b] = place[b], place[a]
            if i + 1 == len(switches) or switches[i + 1][0] != rank:
                history.append(tuple(place))
        yield history


@pytest.mark.parametrize("links", LINKS)
def test_every_input_reaches_every_output(links: int) -> None:
    ends = {history[-1] for history in passed(links)}
    assert all(sorted(end) == list(range(links)) for end in ends)
    assert {(slot, flit) for end in ends for slot, flit in enumerate(end)} == set(
        product(range(links), repeat=2)
    )


@pytest.mark.parametrize("links", range(2, MAX_LINKS + 1))
def test_what_lies_behind_each_side(links: int) -> None:
    for rank, (switches, sides) in enumerate(zip(RANKS[links], reach(links), strict=True)):
        ends: list[set[int]] = [set() for _ in range(links)]
        for history in passed(links, rank + 1):
            for slot, flit in enumerate(history[-1]):
                ends[flit].add(slot)
        for (a, b), side in zip(switches, sides, strict=True):
            assert set(side.first.nonzero()[0].tolist()) == ends[a]
            assert set(side.second.nonzero()[0].tolist()) == ends[b]


@pytest.mark.parametrize("links", range(2, MAX_LINKS + 1))
def test_the_first_switches_have_the_same_sides_where_it_is_said(links: int) -> None:
    sides = {(tuple(s.first), tuple(s.second)) for s in reach(links)[0]}
    met = {slot for pair in RANKS[links][0] for slot in pair}
    same = first_sides(links)
    assert (same is not None) == (len(sides) == 1 and len(met) == links)
    if same is not None:
        assert (tuple(same.first), tuple(same.second)) in sides


@pytest.mark.parametrize("links", range(2, MAX_LINKS + 1))
def test_compared_are_those_that_can_meet_later_and_no_others(links: int) -> None:
    found = compared(links)
    assert len(found) == len(RANKS[links]) + 1
    for rank in range(len(RANKS[links])):
        meet = {
            (min(x, y), max(x, y))
            for history in passed(links, rank)
            for later, switches in enumerate(RANKS[links][rank:])
            for a, b in switches
            for x, y in [(history[later][a], history[later][b])]
        }
        assert found[rank] == meet
    assert found[-1] == set()


@pytest.mark.parametrize("cycles", [1, 2])
@pytest.mark.parametrize("links", LINKS)
def test_cycles_have_all_ranks_in_turn(links: int, cycles: int) -> None:
    parts = in_cycles(links, cycles)
    assert sum(parts, ()) == RANKS[links]
    assert len(parts) == cycles
    assert len(parts[0]) <= len(parts[-1])
