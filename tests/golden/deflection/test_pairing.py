"""Distances, productive ports, pairing of ports, and switches by brute force."""

from collections.abc import Iterator
from itertools import product

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.network.deflection import build_deflection
from fingerpost.golden.network.switches import (
    MAX_LINKS,
    RANKS,
    Pairing,
    Trial,
    compared,
    crosses,
    first_sides,
    in_cycles,
    reach,
)
from tests.networks import TOPOLOGIES, deflection


def test_the_winner_decides_or_else_the_other() -> None:
    for first, *wants in product((False, True), repeat=5):
        a, b = wants[:2], wants[2:]
        # The side that each asks for, if only one will do.
        asks = [None if side[0] == side[1] else side.index(True) for side in (a, b)]
        crossed = [asks[0] == 1, asks[1] == 0]
        order = (0, 1) if first else (1, 0)
        decides = next((i for i in order if asks[i] is not None), None)
        expected = decides is not None and crossed[decides]
        found = crosses(np.array([first]), *(tuple(np.array([x]) for x in y) for y in (a, b)))
        assert found.tolist() == [expected], (first, a, b)


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_the_pairing_that_is_found_is_a_permutation_and_no_worse_than_the_natural(
    name: str,
) -> None:
    network = deflection(name)
    for node_type, pairing in network.pairings.items():
        assert sorted(pairing.inputs) == sorted(node_type.inputs)
        assert sorted(pairing.outputs) == sorted(node_type.outputs)
        trial = Trial.of(network.topology, network.destinations, node_type)
        natural = tuple(range(len(node_type.outputs)))
        found = Pairing(
            *(tuple(ports.index(port) for port in side) for ports, side in zip(
                (node_type.inputs, node_type.outputs), pairing, strict=True
            ))
        )  # fmt: skip
        assert trial.score(*found) >= trial.score(natural, natural)


def test_a_torus_gains_from_another_pairing() -> None:
    topology = {"family": "grid", "sizes": [8, 8], "wrap": True}
    router = {"kind": "deflection"}
    network = build_deflection({"name": "torus", "topology": topology, "router": router})
    (node_type,), natural = network.topology.node_types, (0, 1, 2, 3)
    trial = Trial.of(network.topology, network.destinations, node_type)
    pairing = network.pairings[node_type]
    assert trial.score(pairing.inputs, pairing.outputs) > 1.03 * trial.score(natural, natural)


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_distances_and_productive_ports_are_those_of_networkx(name: str) -> None:
    network = deflection(name)
    topology, known = network.topology, network.destinations
    graph = nx.DiGraph(
        (node, there)
        for node, row in enumerate(topology.neighbour.tolist())
        for there in row
        if there >= 0
    )
    hops = dict(nx.all_pairs_shortest_path_length(graph))
    terminals = topology.terminals.tolist()
    assert known.diameter == max(hops[v][t] for v in graph for t in terminals)
    for node in graph:
        productive, distance = network.entries(node)
        pairing = network.pairings[topology.node_type[node]]
        for number, terminal in enumerate(terminals):
            assert known.distance[node, number] == distance[number] == hops[node][terminal]
            nearer = {
                port
                for port, there in enumerate(topology.neighbour[node].tolist())
                if there >= 0 and hops[there][terminal] < hops[node][terminal]
            }
            assert {p for p in range(8) if known.productive[node, number] >> p & 1} == nearer
            slots = np.flatnonzero(productive[number] >> np.arange(8) & 1)
            assert {pairing.outputs[slot] for slot in slots} == nearer
        assert not productive[len(terminals) :].any()
        assert not distance[len(terminals) :].any()


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
