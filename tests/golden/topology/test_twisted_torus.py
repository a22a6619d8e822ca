"""Twisted tori against the lattice that defines them, and the figures of the paper."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.topology.distance import summary
from fingerpost.golden.topology.grid import Grid
from fingerpost.golden.topology.twisted_torus import TwistedTorus

STEPS = {"d0+": (1, 0), "d0-": (-1, 0), "d1+": (0, 1), "d1-": (0, -1)}
BACK = {"d0+": "d0-", "d0-": "d0+", "d1+": "d1-", "d1-": "d1+"}


@st.composite
def parameters(draw: st.DrawFn) -> tuple[int, int, int]:
    columns = draw(st.integers(3, 7))
    return columns, draw(st.integers(3, 6)), draw(st.integers(0, columns - 1))


def plane(columns: int, rows: int, twist: int) -> dict[tuple[int, int], int]:
    """The node at each point of a piece of the plane, repeated by (columns, 0), (-twist, rows)."""
    return {
        (x + i * columns - j * twist, y + j * rows): x + columns * y
        for x in range(columns)
        for y in range(rows)
        for i in (-2, -1, 0, 1, 2)
        for j in (-1, 0, 1)
    }


@given(parameters())
def test_ports_lead_where_their_names_say_in_the_plane(chosen: tuple[int, int, int]) -> None:
    columns, rows, twist = chosen
    topology = TwistedTorus(columns=columns, rows=rows, twist=twist)
    at = plane(*chosen)
    for node in range(topology.nodes):
        y, x = divmod(node, columns)
        assert topology.name(node) == f"{x},{y}"
        for port, name in enumerate(topology.port_names):
            dx, dy = STEPS[name]
            assert topology.neighbour[node, port] == at[x + dx, y + dy]
            assert topology.port_names[topology.arrival_port[node, port]] == BACK[name]
    assert not topology.directed


@given(parameters())
def test_translations_keep_all_ports(chosen: tuple[int, int, int]) -> None:
    columns, rows, twist = chosen
    topology = TwistedTorus(columns=columns, rows=rows, twist=twist)
    at = plane(*chosen)
    for dx, dy in ((1, 0), (0, 1)):
        image = np.array([at[x + dx, y + dy] for y in range(rows) for x in range(columns)])
        np.testing.assert_array_equal(topology.neighbour[image], image[topology.neighbour])
    assert set(topology.orbit.tolist()) == {0}


@pytest.mark.parametrize("a", [3, 4, 5, 8])
def test_diameter_is_that_of_the_paper(a: int) -> None:
    topology = TwistedTorus(columns=2 * a, rows=a, twist=a)
    links = nx.Graph((u, int(v)) for u in range(topology.nodes) for v in topology.neighbour[u])
    assert summary(topology)[0] == nx.diameter(links) == a
    assert summary(topology)[1] == pytest.approx(nx.average_shortest_path_length(links))
    assert summary(Grid(sizes=[2 * a, a], wrap=True))[0] == a + a // 2


def test_without_a_twist_it_is_a_torus() -> None:
    torus = Grid(sizes=[5, 4], wrap=True)
    same = TwistedTorus(columns=5, rows=4, twist=0)
    np.testing.assert_array_equal(same.neighbour, torus.neighbour)
    np.testing.assert_array_equal(same.arrival_port, torus.arrival_port)
