"""Routes of one's own, and those of dense graphs: followed, and judged by networkx."""

import random
import re
from collections.abc import Mapping
from itertools import pairwise, product
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerpost.golden.network.network import DeadlockError, Network, build
from fingerpost.golden.parameters import ParameterError
from tests.golden.graphs import distances, links_of

RING = {"family": "circulant", "nodes": 6, "jumps": [1]}
"""Port 0 leads up, port 1 down."""

Rows = list[tuple[int, ...]]


def made(topology: Mapping[str, Any], algorithm: str, routes: Any = None, **router: Any) -> Network:
    routing = {"algorithm": algorithm} | ({} if routes is None else {"routes": routes})
    return build({"name": "x", "topology": topology, "routing": routing, "router": router})


def upwards(date_line: int | None = None) -> Rows:
    """All go up; with a date line they rise to channel 1 where they leave that node."""
    rows: Rows = []
    for source, end in product(range(6), repeat=2):
        node, channel = source, 0
        while node != end:
            channel += node == date_line != source
            rows.append((node, end, 0, source, *([channel] if date_line is not None else [])))
            node = (node + 1) % 6
    return rows


TABLE = [(node, end, 0) for node, end in product(range(6), repeat=2) if node != end]


@pytest.mark.parametrize(
    ("algorithm", "rows", "needed"),
    [
        *(("table", TABLE, 2), ("source-table", TABLE, 2), ("source-table", upwards(), 2)),
        *(("source-table", upwards(0), 2), ("source-table", upwards(4), 2)),
    ],
)
def test_routes_are_those_given(algorithm: str, rows: Rows, needed: int) -> None:
    network = made(RING, algorithm, rows)
    assert network.channels.needed == needed
    for source, end in product(range(6), repeat=2):
        expected = [(source + hop) % 6 for hop in range((end - source) % 6 + 1)]
        assert [node for node, *_ in walked(network, source, end)] == expected
    judge(network)


def test_channels_change_where_rows_say() -> None:
    increments = made(RING, "source-table", upwards(4)).channels.vc_increments
    assert np.argwhere(increments).tolist() == [[4, 1, 0]]


WAYS, FOUND = "Source-table routing needs ", "; without channels they are found"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "rows of routes, not none"),
        (TABLE[1:], "a row for every node on the way, and the route from 0 to 1 ends: 0"),
        (
            [(*row[:2], 1) if row[:2] == (3, 5) else row for row in TABLE],
            "routes that arrive, and that from 0 to 5 goes round: 0, 1, 2, 3, 2",
        ),
        (
            [(*row[:4], 1) for row in upwards(0)],
            "channels that begin with 0 and stay or rise by 1 at a hop, "
            "and those from 0 to 1 do not" + FOUND,
        ),
        (
            [(*r[:4], 0 if (r[3], r[1]) == (5, 2) else r[4]) for r in upwards(0)],
            "channels that follow from the turn; at node 0, -1 to +1, that from 5 to 1 rises, and "
            "that from 5 to 2 does not" + FOUND,
        ),
    ],
)
def test_routes_that_go_wrong_are_refused(rows: Rows, message: str) -> None:
    with pytest.raises(ParameterError) as refused:
        made(RING, "source-table", rows)
    assert (str(refused.value), refused.value.key) == (WAYS + message, "routes")
    if len(rows) and len(rows[0]) == 3:
        with pytest.raises(ParameterError, match="^Table routing needs " + message):
            made(RING, "table", rows)


def test_tables_have_no_sources() -> None:
    with pytest.raises(ParameterError, match=r"take algorithm: source-table$"):
        made(RING, "table", upwards())


def test_long_routes_do_not_fit_in_a_header() -> None:
    """Six ports take three bits a hop; 20 of these fit in 62, beside the 1 at the end."""
    ring = {"family": "circulant", "nodes": 33, "jumps": [1, 2, 3]}
    rows = [(node, end, 0) for node, end in product(range(33), repeat=2) if node != end]
    with pytest.raises(ParameterError, match="of at most 20 hops, for the header, and that from 0"):
        made(ring, "source-table", rows)


def test_cycles_of_channels_are_shown() -> None:
    """Without a date line that all cross, the ring of links is closed."""
    round_it = ", ".join(f"+1 from node {node} on channel 0" for node in range(6))
    with pytest.raises(DeadlockError, match=rf"of links: {re.escape(round_it)}$") as one:
        made(RING, "source-table", upwards(), virtual_channels=1)
    assert sorted(one.value.cycle) == [(node, 0, 0) for node in range(6)]
    with pytest.raises(ParameterError, match=r"any number of virtual channels: .* shortest cycle"):
        made(RING, "source-table", [(*row[:4], 0) for row in upwards(0)])


def walked(network: Network, source: int, end: int) -> list[tuple[int, int, int]]:
    """The nodes of a route, with the port and the channel of the link after each; -1 at its end."""
    topology, routing = network.topology, network.routing
    header, way = routing.encode(np.array([source]), np.array([end])), list[tuple[int, int, int]]()
    node, arrival, channel = source, topology.local, 0
    while True:
        decision = routing.decide(np.array([node]), np.array([arrival]), header)
        assert not decision.error.any()
        port, header = int(decision.port[0]), decision.header
        if port == topology.local:
            return [*way, (node, -1, -1)]
        channel += bool(network.channels.vc_increments[node, arrival, port])
        way.append((node, port, channel))
        arrival, node = (int(x[node, port]) for x in (topology.arrival_port, topology.neighbour))
        assert len(way) <= topology.nodes


def judge(network: Network, expected: Any = None) -> None:
    """Assert that routes arrive by the nodes expected, and that channels are needed and enough."""
    terminals = network.topology.terminals.tolist()
    waits: list[set[tuple[Any, Any]]] = [set(), set()]
    needed = network.channels.needed
    for source, end in product(terminals, repeat=2):
        way = walked(network, source, end)
        nodes = [node for node, *_ in way]
        assert nodes[-1] == end
        assert expected is None or expected(source, end, nodes)
        for i, last in enumerate((needed - 1, needed - 2)):
            links = [(node, port, min(channel, last)) for node, port, channel in way[:-1]]
            waits[i] |= set(pairwise(links))
    assert nx.is_directed_acyclic_graph(nx.DiGraph([*waits[0]]))
    assert needed == 1 or not nx.is_directed_acyclic_graph(nx.DiGraph([*waits[1]]))


FAMILIES = st.one_of(
    st.builds(lambda q: {"family": "polarfly", "q": q}, st.sampled_from([2, 3, 4])),
    st.just({"family": "slim-fly", "q": 3}),
    st.just({"family": "slim-fly", "q": 4}),
    st.builds(lambda r: {"family": "hexamesh", "radius": r}, st.integers(1, 2)),
    st.builds(
        lambda kind, nodes, d: {"family": f"generalized-{kind}", "nodes": nodes, "d": d},
        *(st.sampled_from(["de-bruijn", "kautz"]), st.integers(4, 24), st.integers(2, 4)),
    ),
    st.builds(
        lambda nodes, jumps: {"family": "circulant", "nodes": nodes, "jumps": sorted({1, *jumps})},
        *(st.integers(6, 24), st.sets(st.integers(2, 3), max_size=2)),
    ),
    st.builds(
        lambda half, degree, seed: {
            "family": "random-regular",
            "nodes": 2 * half,
            "degree": degree,
            "seed": seed,
        },
        *(st.integers(4, 12), st.integers(3, 5), st.integers(0, 1000)),
    ),
)


@given(
    FAMILIES,
    st.sampled_from(["table", "source-table", "up-down", "own", "own-source"]),
    st.randoms(),
)
@settings(max_examples=6)
def test_random_descriptions(family: dict[str, Any], algorithm: str, chance: random.Random) -> None:
    """Ours are shortest but up-down; own ones are random trees, or paths of random weights."""
    network = made(family, "table")
    topology = network.topology
    away = distances(topology)
    ports = {
        (u, v): port
        for u, row in enumerate(topology.neighbour.tolist())
        for port, v in enumerate(row)
        if v >= 0
    }
    graph = nx.DiGraph(links_of(topology))
    ways: dict[tuple[int, int], list[int]] = {}
    rows: Rows = []
    for end in range(topology.nodes if algorithm.startswith("own") else 0):
        for source in range(topology.nodes):
            if (
                source == 0 or algorithm == "own-source"
            ):  # for each destination a tree, or for each pair
                nx.set_edge_attributes(graph, {e: chance.random() for e in graph.edges}, "weight")
                trees = nx.single_source_dijkstra_path(graph.reverse(), end)
            ways[source, end] = way = trees[source][::-1]
            if algorithm == "own-source":
                rows += [(u, end, ports[u, v], source) for u, v in pairwise(way)]
            elif source != end:
                rows.append((source, end, ports[source, way[1]]))
    if algorithm.startswith("own"):
        kind = (
            "source-table"
            if algorithm == "own-source"
            else chance.choice(["table", "source-table"])
        )
        judge(made(family, kind, rows), lambda u, v, nodes: nodes == ways[u, v])
    elif algorithm == "up-down":
        judge(made(family, algorithm), lambda u, v, nodes: len(nodes) > away[u][v])
    else:
        judge(made(family, algorithm), lambda u, v, nodes: len(nodes) == away[u][v] + 1)
