"""Routes for a given number of channels: they arrive, no channels wait for each other, few detours.

Everything is judged by networkx and by hand: of the routing only words and the order of links are
read.
"""

from collections import Counter
from collections.abc import Iterator

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.deadlock.channels import Channels
from fingerpost.golden.network.base import topology as built
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.routing.acyclic import Acyclic
from fingerpost.golden.topology import Topology
from fingerpost.netfile.source import read
from tests.golden.graphs import Edges
from tests.networks import NETWORKS, only

Channel = tuple[int, int, int]

BOREL_21 = {"topology": {"family": "borel", "p": 7, "a": 2, "A": [0, 1], "B": [1, 1]}}
BOREL_55 = {"topology": {"family": "borel", "p": 11, "a": 3, "A": [1, 1], "B": [2, 1]}}


def random_graph(number: int) -> "nx.Graph[int]":
    """Return a connected graph of 8 to 200 nodes: regular, with hubs, a tree with some more, ..."""
    rng = np.random.default_rng(number)
    n = int(np.exp(rng.uniform(np.log(8), np.log(200))))
    kind, seed = number % 5, int(rng.integers(1 << 30))
    if kind < 2:
        return nx.random_regular_graph(3 + kind, n + n % 2, seed)
    if kind == 2:
        graph = nx.barabasi_albert_graph(n, 2, seed)
    elif kind == 3:
        graph = nx.random_labeled_tree(n, seed=seed)
        graph.add_edges_from(nx.gnm_random_graph(n, n // 2, seed).edges)
    else:
        graph = nx.connected_watts_strogatz_graph(n, 4, 0.3, seed=seed)
    while max(dict(graph.degree).values()) > 15:
        hub = max(graph, key=graph.degree)
        far = max(graph[hub], key=lambda node: len(graph[node]))
        graph.remove_edge(hub, far)
        if not nx.is_connected(graph):
            graph.add_edge(hub, far)
            break
    return graph


def graph_of(topology: Topology) -> "nx.Graph[int]":
    node, port = np.nonzero(topology.neighbour >= 0)
    ends = topology.neighbour[node, port].tolist()
    return nx.Graph(zip(node.tolist(), ends, strict=True))


def followed(routing: Acyclic) -> Iterator[list[Channel]]:
    """Yield all routes as (node, port, channel), by the words and the order alone."""
    topology, order = routing.topology, routing.link_order.tolist()
    place = {link: number for number, link in enumerate(order)}
    degree, terminals = topology.degree, topology.terminals.tolist()
    bits = max(1, (degree - 1).bit_length())
    for source, row in zip(terminals, routing.words.tolist(), strict=True):
        for goal, word in zip(terminals, row, strict=True):
            node, last, channel, route, left = source, -1, 0, [], word
            while left != 1:
                port, left = left & ((1 << bits) - 1), left >> bits
                now = place[int(routing.orbits[node]) * degree + port]
                channel += now <= last
                last = now
                route.append((node, port, channel))
                node = int(topology.neighbour[node, port])
            assert node == goal
            yield route


def judge(routing: Acyclic, graph: "nx.Graph[int] | nx.DiGraph[int]") -> float:
    """Check channels and dependencies; return the hops over those of shortest paths."""
    waits: nx.DiGraph[Channel] = nx.DiGraph()
    hops, longest = 0, 0
    for route in followed(routing):
        hops, longest = hops + len(route), max(longest, len(route))
        assert all(channel < routing.virtual_channels for *_, channel in route)
        nx.add_path(waits, route)
    assert nx.is_directed_acyclic_graph(waits)
    assert longest == routing.longest
    shortest = sum(sum(of.values()) for _, of in nx.all_pairs_shortest_path_length(graph))
    return hops / shortest


SOME = range(0, 100, 20)
"""These are small, or searched for a moment only."""


@pytest.mark.parametrize("number", only(SOME, range(100)))
def test_random_graphs(number: int) -> None:
    graph, steps = random_graph(number), 300 if number in SOME else 0
    topology = Edges(graph)
    two = Acyclic(topology, virtual_channels=2, steps=steps)
    assert judge(two, graph) <= 1.15
    one = Acyclic(topology, virtual_channels=1, steps=steps)
    assert judge(one, graph) >= 1
    both = [Channels(routing, routing.vc_increments()).needed for routing in (one, two)]
    assert both <= [1, 2]


def test_no_link_of_a_large_network_carries_most() -> None:
    """Up and down a tree the links of its root carry four times as much."""
    graph = nx.random_regular_graph(4, 100, seed=1)
    routing = Acyclic(Edges(graph), virtual_channels=1, steps=20)
    assert judge(routing, graph) < 1.25
    load = Counter(channel for route in followed(routing) for channel in route)
    assert 99 / max(load.values()) > 0.55


def test_of_complete_orders_the_one_is_taken_whose_busiest_link_carries_least() -> None:
    """The other is that of annealing: it has the lower energy before routes are balanced."""
    family = {"family": "metacyclic", "m": 7, "k": 9, "r": 2, "A": [1, 0], "B": [1, 1]}
    topology = built({"topology": family})
    routing = Acyclic(topology, virtual_channels=1)
    judge(routing, graph_of(topology))
    load = Counter(channel for route in followed(routing) for channel in route)
    assert 62 / max(load.values()) > 0.86


def test_orbits_share_the_places_of_their_links() -> None:
    """Borel graphs of 55 nodes: 5 orbits of 11, so 20 links in the order and not 220."""
    topology = built(BOREL_55)
    routing = Acyclic(topology, virtual_channels=2, steps=500)
    assert len(routing.link_order) == 20
    assert judge(routing, graph_of(topology)) < 1.2


def test_fewer_orders_than_pairs_need_links_of_their_own() -> None:
    """Of 20 links alike at all nodes of an orbit, no order has paths for one channel."""
    topology = built(BOREL_55)
    routing = Acyclic(topology, virtual_channels=1, steps=100)
    assert routing.symmetric == (len(routing.link_order) == 20)


def ring(n: int) -> Edges:
    return Edges(nx.cycle_graph(n, nx.DiGraph))


def test_links_of_one_direction_need_two_channels() -> None:
    """On a ring of one direction some path passes any place where an order could begin."""
    with pytest.raises(ParameterError, match=r"virtual_channels: 1 here: \d+ pairs"):
        Acyclic(ring(5), virtual_channels=1)
    assert judge(Acyclic(ring(5), virtual_channels=2), nx.cycle_graph(5, nx.DiGraph)) == 1
    assert Acyclic(ring(5)).virtual_channels == 2


def test_takes_the_order_of_the_file() -> None:
    topology = Edges(nx.cycle_graph(4))
    order = Acyclic(topology, virtual_channels=1).link_order.tolist()
    assert Acyclic(topology, virtual_channels=1, order=order).link_order.tolist() == order
    for wrong in (order[1:], order[:-1] + order[:1]):
        with pytest.raises(ParameterError, match="needs an order with each link once"):
            Acyclic(topology, virtual_channels=1, order=wrong)


def test_routes_in_a_given_order_may_be_long() -> None:
    """On a ring of 20 nodes, once round: the way back descends in this order."""
    topology = Edges(nx.cycle_graph(20))
    up = [int(np.flatnonzero(topology.neighbour[v] == (v + 1) % 20)[0]) for v in range(20)]
    ahead = [2 * v + up[v] for v in range(20)]
    back = [2 * v + 1 - up[v] for v in reversed(range(20))]
    routing = Acyclic(topology, virtual_channels=1, order=[*ahead, *back])
    assert judge(routing, nx.cycle_graph(20)) > 1
    assert routing.longest > topology.nodes // 2 + 5


@pytest.mark.parametrize(
    ("sizes", "hops"), [([4, 4], 1), ([5, 3], 1), ([8], 1)], ids=["mesh", "oblong", "row"]
)
def test_one_channel_is_enough_for_shortest_paths_on_meshes(sizes: list[int], hops: float) -> None:
    """As dimension order shows, which is among the orders that the search begins with."""
    topology = built({"topology": {"family": "grid", "sizes": sizes}})
    graph = nx.grid_graph(sizes[::-1])
    assert judge(Acyclic(topology, virtual_channels=1), graph) == hops


def test_the_table_in_ram_has_the_words_of_the_one_in_luts() -> None:
    """Headers are the same, a cycle later; straps are left to those in LUTs."""
    topology = Edges(nx.petersen_graph())
    luts, ram, auto = (
        Acyclic(topology, virtual_channels=1, table=table) for table in ("luts", "ram", "auto")
    )
    assert luts.node_table is None is auto.node_table
    assert ram.node_table is not None
    source, goal = (x.ravel() for x in np.indices((10, 10)))
    for routing in luts, ram:
        header, refused = routing.generate_header(source, routing.encode(source, goal))
        assert (header == luts.words.ravel()).all()
        assert not refused.any()
    assert (ram.node_table.entries.ravel() == luts.words.ravel()).all()
    rows = [int(f"{ram.node_table.at(3):0b}", 2) >> row * 7 & 127 for row in range(10)]
    assert (ram.node_table.width, rows) == (7, luts.words[3].tolist())
    assert (ram.node_table.answers(np.array([3, 3]), np.array([9, 10])) == [rows[9], 0]).all()
    assert (luts.header_cycles, ram.header_cycles) == (1, 2)
    assert (luts.straps.width, ram.straps.width) == (70, 0)


@pytest.mark.regress
def test_two_virtual_channels_suffice_where_shortest_routes_need_four() -> None:
    """The order is that of the file; hops and saturation by `loads` of these words."""
    source = read(NETWORKS / "borel-1081-acyclic.yaml")
    routing = source.routed().routing
    assert isinstance(routing, Acyclic)
    hops = [len(route) for route in followed(routing)]
    assert sum(hops) / (1081 * 1080) < 6.2
    assert source.network().channels.needed == 2
    # In LUTs its 1,081 words of 21 bits would be as large as the rest of a router.
    assert routing.node_table is not None
    assert routing.choices[0].block_rams == 3
