import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.topology.directed_chordal_ring import DirectedChordalRing


@st.composite
def valid(draw: st.DrawFn) -> DirectedChordalRing:
    half = draw(st.integers(2, 20))
    return DirectedChordalRing(nodes=2 * half, w=2 * draw(st.integers(1, half - 1)) + 1)


def test_links_of_the_smallest() -> None:
    ring = DirectedChordalRing(nodes=6, w=3)
    assert ring.neighbour.tolist() == [[1, -1], [2, 4], [3, -1], [4, 0], [5, -1], [0, 2]]
    assert ring.arrival_port.tolist() == [[0, -1], [0, 1], [0, -1], [0, 1], [0, -1], [0, 1]]
    assert ring.origin.tolist() == [[5, 3], [0, -1], [1, 5], [2, -1], [3, 1], [4, -1]]
    assert ring.port_names == ("ring", "chord")
    assert ring.constants() == {"w": 3}


@given(valid())
def test_links_are_those_of_the_definition(ring: DirectedChordalRing) -> None:
    n = ring.nodes
    expected = {(i, (i + 1) % n) for i in range(n)} | {
        (i, (i + ring.w) % n) for i in range(1, n, 2)
    }
    links = [
        (node, other, port, ring.arrival_port[node, port])
        for node, row in enumerate(ring.neighbour.tolist())
        for port, other in enumerate(row)
        if other >= 0
    ]
    assert {link[:2] for link in links} == expected
    assert len(links) == len(expected) == 3 * n // 2
    assert all(out == into for _, _, out, into in links)
    assert ring.directed
    assert nx.is_strongly_connected(nx.DiGraph(expected))
