"""Graphs of dependencies, and the numbers of their vertices."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.deadlock.channels import Dependencies
from fingerpost.golden.deadlock.states import Numbers


def dependencies(graph: "nx.DiGraph[int]") -> Dependencies:
    pairs = np.array(sorted(graph.edges), np.int64).reshape(-1, 2)
    return Dependencies(len(graph), pairs[:, 0], pairs[:, 1])


@given(st.integers(1, 9), st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=24))
def test_cycles_are_those_of_networkx(vertices: int, pairs: set[tuple[int, int]]) -> None:
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(vertices))
    graph.add_edges_from((a, b) for a, b in pairs if max(a, b) < vertices)
    found = dependencies(graph)
    assert found.edges == graph.number_of_edges()
    assert found.is_acyclic() == nx.is_directed_acyclic_graph(graph)
    if found.is_acyclic():
        ranks = found.ranks()
        assert all(ranks[a] < ranks[b] for a, b in graph.edges)
        assert ranks.max() == nx.dag_longest_path_length(graph)
    else:
        with pytest.raises(ValueError, match=r"^Ranks need dependencies without a cycle$"):
            found.ranks()
    cycle = found.shortest_cycle()
    lengths = [len(other) for other in nx.simple_cycles(graph)]
    if cycle is None:
        assert not lengths
        return
    assert len(cycle) == min(lengths)
    assert len(set(cycle)) == len(cycle)
    assert all(graph.has_edge(a, b) for a, b in zip(cycle, cycle[1:] + cycle[:1], strict=True))


@pytest.mark.parametrize("closed", [False, pytest.param(True, marks=pytest.mark.regress)])
def test_long_chain(closed: bool) -> None:
    size = 3000
    chain = Dependencies(size, np.arange(size - 1 + closed), np.arange(1, size + closed) % size)
    assert chain.is_acyclic() != closed
    cycle = chain.shortest_cycle()
    assert cycle == (list(range(size)) if closed else None)


PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2**62)), max_size=40)
FEW = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=40)


@given(st.lists(PAIRS | FEW, max_size=5))
def test_numbers_are_those_of_a_dictionary(asked: list[list[tuple[int, int]]]) -> None:
    numbers, known = Numbers(1), dict[tuple[int, int], int]()
    for pairs in asked:
        first, second = (np.array([pair[i] for pair in pairs], np.int64) for i in range(2))
        found = numbers.of(first, second).tolist()
        for pair, number in zip(pairs, found, strict=True):
            assert known.setdefault(pair, number) == number
    assert sorted(known.values()) == list(range(numbers.known))
    kept = zip(numbers.first.tolist(), numbers.second.tolist(), strict=True)
    assert list(kept)[: numbers.known] == sorted(known, key=known.__getitem__)
