from typing import Any

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.header import Field
from fingerpost.golden.routing.table import Table
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology import Topology
from tests.golden.borel_group import EXAMPLE
from tests.golden.graphs import Edges

CHOICES = st.sampled_from(["balanced", "first"])


@st.composite
def graphs(draw: st.DrawFn) -> "nx.Graph[int]":
    n = draw(st.integers(2, 15))
    graph = nx.gnp_random_graph(n, 0.2, seed=draw(st.integers(0, 10_000)))
    nx.add_path(graph, range(n))
    return graph


def ring(n: int, terminals: list[int] | None = None) -> Topology:
    """A directed ring: one out-port, one in-port."""
    node = np.arange(n)[:, None]
    chosen = None if terminals is None else np.array(terminals)
    return Topology((node + 1) % n, np.zeros_like(node), ("+1",), chosen)


@given(graphs(), CHOICES)
def test_delivers_all_pairs_by_shortest_paths(graph: "nx.Graph[int]", choice: Any) -> None:
    routing = Table(Edges(graph), choice=choice)
    start, goal = np.divmod(np.arange(len(graph) ** 2), len(graph))
    away = dict(nx.all_pairs_shortest_path_length(graph))
    expected = [away[i][j] for i, j in zip(start.tolist(), goal.tolist(), strict=True)]
    assert walk(routing, start, goal).hops.tolist() == expected


@given(st.integers(2, 12), CHOICES)
def test_delivers_in_directed_networks(n: int, choice: Any) -> None:
    routing = Table(ring(n), choice=choice)
    start, goal = np.repeat(np.arange(n), n), np.tile(np.arange(n), n)
    assert walk(routing, start, goal).hops.tolist() == ((goal - start) % n).tolist()


def test_delivers_to_terminals_only() -> None:
    routing = Table(ring(6, [1, 3, 4]))
    assert walk(routing, np.array([1, 4]), np.array([4, 3])).hops.tolist() == [3, 5]
    error = routing.decide(np.array(0), np.array(0), np.arange(4)).error
    assert error.tolist() == [0, 0, 0, 1]


def test_routes_of_the_default_are_in_balance() -> None:
    topology = EXAMPLE.topology()
    default, balanced, first = (
        Table(topology), Table(topology, choice="balanced"), Table(topology, choice="first"),
    )  # fmt: skip
    assert (default.next_hop == balanced.next_hop).all()
    assert (default.next_hop != first.next_hop).any()


def test_header_is_the_number_of_the_destination() -> None:
    routing = Table(EXAMPLE.topology())
    meaning = "number of the destination, counting terminals only"
    assert dict(routing.header) == {"destination": Field(0, 5, meaning)}
    assert routing.encode(np.array([3, 4]), np.array([16, 0])).tolist() == [16, 0]


def test_every_node_has_a_table_of_its_own() -> None:
    # Whatever the symmetries of the network are.
    routing = Table(EXAMPLE.topology())
    assert routing.orbit.tolist() == list(range(21))
    assert not routing.relative


def test_a_router_holds_a_port_for_each_terminal() -> None:
    assert Table(EXAMPLE.topology()).table_bits() == {"next hops": 3 * 21}
    assert Table(ring(6, [1, 4])).table_bits() == {"next hops": 2}


def test_terminals_are_counted_among_themselves() -> None:
    routing = Table(ring(6, [1, 4]))
    assert routing.encode(np.array([4, 1]), np.array([1, 4])).tolist() == [0, 1]
    assert list(routing.straps) == ["hop0", "hop1"]
    assert routing.straps.value("hop1").tolist() == [0, 0, 0, 0, 1, 0]


# Refusals.
