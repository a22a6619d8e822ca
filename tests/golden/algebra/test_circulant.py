import networkx as nx
import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from fingerpost.golden.algebra.gcr import circulant_distances, computed_phase1
from tests.golden.borel_group import circulant


@given(st.integers(2, 60), st.data())
def test_circulant_distances_are_those_of_networkx(k: int, data: st.DataObject) -> None:
    t1, t2 = (data.draw(st.integers(0, k - 1)) for _ in range(2))
    graph = nx.circulant_graph(k, [t1, t2])
    assume(nx.is_connected(graph))
    away = nx.single_source_shortest_path_length(graph, 0)
    distance = circulant_distances(k, np.array([t1, t2, -t1, -t2]))
    assert distance.tolist() == [away[r] for r in range(k)]


@given(st.integers(2, 60), st.data())
def test_computed_phase_1_has_the_fewest_links(k: int, data: st.DataObject) -> None:
    t1, t2 = (data.draw(st.integers(1, k - 1)) for _ in range(2))
    away = circulant(k, t1, t2)
    assume(-1 not in away)
    pairs = computed_phase1(k, t1, t2, max(away)).pairs
    assert ((pairs @ [t1, t2] - np.arange(k)) % k == 0).all()
    assert np.abs(pairs).sum(axis=1).tolist() == away


@given(st.integers(2, 60), st.data())
def test_steps_that_are_taken_are_enough(k: int, data: st.DataObject) -> None:
    t1, t2 = (data.draw(st.integers(1, k - 1)) for _ in range(2))
    away = circulant(k, t1, t2)
    assume(-1 not in away)
    pairs, steps = computed_phase1(k, t1, t2, max(away))
    hi, lo = max(t1, t2), min(t1, t2)
    for r in range(k):
        found = []
        for sign, turn, extra in steps:
            u = r + turn * k if sign > 0 else (turn + 1) * k - r
            m_hi = u // hi - extra
            if (u - m_hi * hi) % lo == 0:
                found.append((sign * m_hi, sign * (u - m_hi * hi) // lo))
        first = min(found, key=lambda pair: abs(pair[0]) + abs(pair[1]))
        assert tuple(pairs[r]) == (first if t1 >= t2 else first[::-1])
    assert len(set(steps)) == len(steps) <= k


def test_steps_of_table_4() -> None:
    # Set 4: (t1, t2) = (1, 2), k = 51, D1 = 13: one step in each direction, of 28.
    assert computed_phase1(51, 1, 2, 13).steps == ((1, 0, 0), (-1, 0, 0))
