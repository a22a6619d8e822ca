"""Shortest paths in Borel graphs; adaptive routing there, and by tables in any network."""

from itertools import product
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.network.base import topology as topology_of
from fingerpost.golden.network.network import build
from fingerpost.golden.routing import Routing
from fingerpost.golden.routing.table import AdaptiveTable, Table
from fingerpost.golden.routing.vertex_transitive import Adaptive, VertexTransitive
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology import DoubleLoop, Topology
from tests.golden.borel_group import EXAMPLE, Group, times, valid_groups
from tests.golden.graphs import (
    Edges,
    all_routes,
    check_shortest,
    crossed,
    shortest_ports,
    topologies,
)

A, B, A_INVERSE, B_INVERSE, LOCAL = range(5)

OPTIONS: list[dict[str, Any]] = [
    {"table": table, **way}
    for table, way in product(
        ("balanced", "first"), ({"path": "hop"}, {"path": "source"}, {"address": "absolute"})
    )
]


@pytest.fixture(scope="module")
def hop() -> VertexTransitive:
    return VertexTransitive(EXAMPLE.topology(), table="first", path="hop")


@pytest.fixture(scope="module")
def source() -> VertexTransitive:
    return VertexTransitive(EXAMPLE.topology(), table="first", path="source")


@pytest.fixture(scope="module")
def absolute() -> VertexTransitive:
    return VertexTransitive(EXAMPLE.topology(), table="first", address="absolute")


# Against other methods.


@given(valid_groups(largest=13, most=200), st.sampled_from(OPTIONS))
def test_delivers_all_pairs_by_shortest_paths(group: Group, options: dict[str, Any]) -> None:
    routing = VertexTransitive(group.topology(), **options)
    check_shortest(routing)


@given(valid_groups(most=1000))
def test_mask_marks_the_links_of_shortest_paths(group: Group) -> None:
    routing = VertexTransitive(group.topology(), table="first")
    for v, label in group.label.items():
        onward = [times(group.inverse(g), v, group.p) for g in group.links]
        nearer = [group.away[group.label[w]] < group.away[label] for w in onward]
        c, x = routing.locate(label)
        assert routing.mask[c, x] == sum(1 << link for link in range(4) if nearer[link])
        assert routing.distance[c, x] == group.away[label]


@given(valid_groups(most=1000))
def test_first_is_the_first_of_the_shortest_paths(group: Group) -> None:
    routing = VertexTransitive(group.topology(), table="first")
    goal = np.array([0, 1, group.nodes // 2, group.nodes - 1])
    ports = walk(routing, np.array(0), goal).ports.tolist()
    words = [[port for port in row if port >= 0] for row in ports]
    assert words == [group.first_word(label) for label in goal.tolist()]


@given(valid_groups(largest=13, most=200), st.sampled_from(["balanced", "first"]))
def test_all_headers_take_the_same_routes(group: Group, table: Any) -> None:
    ways: list[dict[str, Any]] = [{"path": "hop"}, {"path": "source"}, {"address": "absolute"}]
    one, *others = (
        all_routes(routing).ports
        for routing in (VertexTransitive(group.topology(), table=table, **way) for way in ways)
    )
    for other in others:
        assert (one == other).all()


@given(valid_groups(largest=13, most=200), st.sampled_from(["balanced", "first"]))
def test_load_is_that_of_every_link(group: Group, table: Any) -> None:
    routing = VertexTransitive(group.topology(), table=table)
    assert (crossed(routing) == routing.load).all()
    names = ("A", "B", "A^-1", "B^-1")
    assert routing.constants()["link_load"] == dict(zip(names, routing.load.tolist(), strict=True))


# Headers and decisions.


def test_absolute_address_stays_as_it_is(absolute: VertexTransitive) -> None:
    node, arrival, header = (part.ravel() for part in np.indices((21, 5, 2**6)))
    decision = absolute.decide(node, arrival, header)
    assert (decision.header == header % 2**5).all()
    wrong = [h % 4 == 3 or h >> 2 & 7 == 7 for h in header.tolist()]
    assert decision.error.tolist() == wrong
    generated_headers, refused = absolute.generate_header(node, header)
    assert (generated_headers == header).all()
    assert not refused.any()


def test_link_headers_in_error(hop: VertexTransitive, source: VertexTransitive) -> None:
    for arrival in range(4):
        for routing, wrong in (
            (hop, [h & 3 == 3 or h >> 2 == 7 for h in range(2**5)]),
            (source, [h == 0 for h in range(2**7)]),
        ):
            header = np.arange(len(wrong))
            decision = routing.decide(np.array(0), np.array(arrival), header)
            assert decision.error.tolist() == wrong


# Forms of the same routes.

MEASURED = yaml.safe_load(Path(__file__).with_name("forms.yaml").read_text(encoding="utf-8"))
FORMS: dict[str, dict[str, Any]] = {
    "hop": {"path": "hop"},
    "absolute": {"address": "absolute"},
    "source": {"path": "source"},
}


def routing_on(topology: dict[str, Any], **options: Any) -> VertexTransitive:
    return VertexTransitive(topology_of({"topology": topology}), **options)


@pytest.mark.parametrize("row", MEASURED, ids=lambda row: str(row["topology"].values()))
def test_estimates_are_near_what_was_measured(row: dict[str, Any]) -> None:
    near: dict[str, dict[str, Any]] = {
        "hop": {"rel": 0.15},
        "absolute": {"rel": 0.25},
        "source": {"abs": 80},
    }
    for name, options in FORMS.items():
        form = routing_on(row["topology"], **options).form
        assert form is not None
        assert form.block_rams == row[name]["block_rams"]
        assert form.sites == pytest.approx(row[name]["sites"], **near[name])


@pytest.mark.parametrize("row", MEASURED, ids=lambda row: str(row["topology"].values()))
def test_auto_takes_the_path_that_measures_cheaper(row: dict[str, Any]) -> None:
    """A block RAM counts as 400 sites, and the cycle more of a path as 200."""
    cost = {path: row[path]["sites"] + 400 * row[path]["block_rams"] for path in ("hop", "source")}
    cheaper = "source" if cost["source"] + 200 < cost["hop"] else "hop"
    routing = routing_on(row["topology"])
    assert (routing.diameter, routing.path) == (row["diameter"], cheaper)
    assert routing_on(row["topology"], address="absolute").path == "hop"


OF_57 = {"family": "borel", "p": 19, "a": 7, "A": [0, 1], "B": [1, 1]}
"""A path has up to 4 hops, so 9 bits; the number of a node has 6."""

OF_465 = {"family": "borel", "p": 31, "a": 7, "A": [4, 1], "B": [7, 1]}
"""A path has 13 bits; the number of a node has 9, and so has an address."""


@pytest.mark.parametrize(
    ("topology", "flit_width", "more", "path"),
    [
        (OF_57, 32, {}, "source"),
        (OF_57, 9, {}, "source"),
        (OF_57, 8, {}, "hop"),
        (OF_57, 24, {"link": {"kind": "os-link"}}, "hop"),
        (OF_57, 32, {"link": {"kind": "os-link"}}, "source"),
        (OF_57, 16, {"terminal": {"kind": "axi-stream"}}, "source"),
        (OF_465, 16, {"terminal": {"kind": "axi-stream"}}, "hop"),
        (OF_465, 24, {"terminal": {"kind": "axi-stream"}}, "source"),
    ],
)
def test_auto_takes_a_path_that_fits_into_a_flit(
    topology: dict[str, Any], flit_width: int, more: dict[str, Any], path: str
) -> None:
    routing = {"algorithm": "vertex-transitive"}
    router = {"flit_width": flit_width}
    network = build(
        {"name": "x", "topology": topology, "routing": routing, "router": router, **more}
    )
    assert isinstance(network.routing, VertexTransitive)
    assert network.routing.path == path


def test_auto_takes_no_path_of_more_than_31_hops() -> None:
    graph = {"family": "borel", "p": 67, "a": 2, "A": [0, 1], "B": [1, 0]}
    assert routing_on(graph).path == "hop"


LOCAL = 4

small_groups = valid_groups(largest=13, most=200)


@given(small_groups, st.integers(0, 2**32))
def test_any_selections_leave_the_path_shortest(group: Group, seed: int) -> None:
    routing = Adaptive(group.topology())
    rng = np.random.default_rng(seed)
    goal = rng.permutation(group.nodes)
    node, arrival = np.zeros_like(goal), np.full_like(goal, LOCAL)
    header, hops = routing.encode(node, goal), np.zeros_like(goal)
    for _ in range(max(group.away) + 1):
        decision = routing.decide(node, arrival, header, rng.integers(32, size=len(goal)))
        away = decision.port != LOCAL
        port = np.where(away, decision.port, 0)
        assert not decision.error.any()
        arrival = np.where(away, routing.topology.arrival_port[node, port], arrival)
        node = np.where(away, routing.topology.neighbour[node, port], node)
        header = decision.header
        hops += away
    assert (node == goal).all()
    assert hops.tolist() == [group.away[label] for label in goal.tolist()]


CUBE = Edges(nx.convert_node_labels_to_integers(nx.hypercube_graph(3)))
"""Up to three shortest ways."""

OTHERS = [
    AdaptiveTable(CUBE),
    AdaptiveTable(DoubleLoop(nodes=9, a=1, b=2)),
    AdaptiveTable(DoubleLoop(nodes=10, a=1, b=4)),
    Adaptive(EXAMPLE.topology()),
]


def check_ways(routing: Routing) -> int:
    """Alternatives are the balanced port and then all others on shortest paths, ascending.

    The first of them that is free is taken: `test_every_algorithm`. Return the most of a node.
    """
    topology, terminals, most = routing.topology, routing.topology.terminals, 0
    balanced = Table(topology) if isinstance(routing, AdaptiveTable) else VertexTransitive(topology)
    ports = shortest_ports(topology)
    for node in terminals.tolist():
        at = np.full_like(terminals, node), np.full_like(terminals, topology.local)
        packet, found = routing.alternatives(*at, routing.encode(at[0], terminals))
        first = balanced.decide(*at, balanced.encode(at[0], terminals)).port.tolist()
        assert not found.error.any()
        for number, (own, end) in enumerate(zip(first, terminals.tolist(), strict=True)):
            others = [port for port in ports[node, end] if port != own]
            assert found.port[packet == number].tolist() == [own, *others]
            most = max(most, 1 + len(others))
    return most


@given(topologies())
def test_alternatives_are_all_shortest_ways_the_balanced_one_first(topology: Topology) -> None:
    check_ways(AdaptiveTable(topology))


@pytest.mark.parametrize("routing", OTHERS, ids=["cube", "loop", "wide-loop", "borel"])
def test_alternatives_of_several_and_of_one_way_links(routing: Routing) -> None:
    assert check_ways(routing) > 1


@given(small_groups)
def test_alternatives_in_borel_graphs(group: Group) -> None:
    check_ways(Adaptive(group.topology()))


def test_ways_are_straps() -> None:
    routing = AdaptiveTable(Edges(nx.petersen_graph()))
    first = routing.straps.value("ways5")
    assert first[5] == 0
    assert first[0] == 1 << 2  # of 0 the neighbours are 1, 4, 5
    assert np.bitwise_count(first).sum() == 9  # in the Petersen graph shortest ways are unique
