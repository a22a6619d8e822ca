from math import gcd

import networkx as nx
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fingerpost.golden.topology.distance import summary
from fingerpost.golden.topology.double_loop import DoubleLoop


@st.composite
def valid(draw: st.DrawFn) -> DoubleLoop:
    nodes = draw(st.integers(3, 40))
    a, b = draw(st.integers(1, nodes - 1)), draw(st.integers(1, nodes - 1))
    assume(a != b and gcd(nodes, a, b) == 1)
    return DoubleLoop(nodes=nodes, a=a, b=b)


@given(valid())
def test_links_are_the_papers(loop: DoubleLoop) -> None:
    n = loop.nodes
    expected = [[(i + loop.a) % n, (i + loop.b) % n] for i in range(n)]
    assert loop.neighbour.tolist() == expected
    assert loop.port_names == ("a", "b")


@given(valid())
def test_is_directed_and_strongly_connected(loop: DoubleLoop) -> None:
    assert loop.directed
    graph = nx.DiGraph((u, v) for u, row in enumerate(loop.neighbour.tolist()) for v in row)
    assert nx.is_strongly_connected(graph)
    away = dict(nx.all_pairs_shortest_path_length(graph))
    lengths = [length for row in away.values() for length in row.values()]
    pairs = loop.nodes * (loop.nodes - 1)
    diameter, mean = summary(loop)
    assert diameter == max(lengths)
    assert mean == pytest.approx(sum(lengths) / pairs)


@given(st.integers(3, 25), st.integers(1, 24), st.integers(1, 24))
def test_accepts_just_what_is_connected(nodes: int, a: int, b: int) -> None:
    assume(a < nodes and b < nodes and a != b)
    links = [(i, (i + step) % nodes) for i in range(nodes) for step in (a, b)]
    if nx.is_strongly_connected(nx.DiGraph(links)):
        assert DoubleLoop(nodes=nodes, a=a, b=b).nodes == nodes
    else:
        with pytest.raises(ValueError, match=r"^Double-loop needs gcd\(nodes, a, b\) = 1 "):
            DoubleLoop(nodes=nodes, a=a, b=b)


@pytest.mark.parametrize(
    ("nodes", "a", "b", "known"),
    [
        (7, 1, 6, {"known_as": "DDLCN"}),
        (7, 6, 1, {"known_as": "DDLCN"}),
        (7, 1, 5, {"known_as": "daisy chain"}),
        (7, 1, 2, {"known_as": "braided ring"}),
        (4, 1, 2, {"known_as": "daisy chain, braided ring"}),
        (3, 1, 2, {"known_as": "DDLCN, braided ring"}),
        (7, 1, 3, {}),
    ],
)
def test_names_of_figure_1(nodes: int, a: int, b: int, known: dict[str, str]) -> None:
    assert DoubleLoop(nodes=nodes, a=a, b=b).constants() == {"a": a, "b": b} | known
