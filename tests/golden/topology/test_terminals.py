"""Terminals anywhere, several at a node, and parallel links: judged by networkx and brute force."""

from collections import Counter
from itertools import product
from typing import Any

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.analysis.loads import loads
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.topology import FAMILIES, Grid, Kyklos, Star, Topology
from fingerpost.golden.topology.base import summary
from fingerpost.golden.topology.terminals import placed
from tests.networks import only

FAMILY_ALGORITHMS = {
    "grid": "dimension-order",
    "star": "greedy",
    "borel": "two-phase",
    "kautz": "shift",
    "kyklos": "m",
}
GENERAL = "table", "adaptive-table", "up-down", "acyclic"


@pytest.mark.parametrize(
    ("topology", "given", "terminals"),
    [
        (Grid(sizes=[2, 2]), "all", [0, 1, 2, 3]),
        (Grid(sizes=[2, 2]), 2, [0, 1, 2, 3, 4, 5, 6, 7]),
        (Grid(sizes=[2, 2]), [3, "1,0"], [1, 3]),
        (Grid(sizes=[3]), {0: 2, "2": 1, 1: 0}, [0, 1, 4]),
        (Kyklos(m=2, r=1, n=2), "all", list(range(7))),
        (Kyklos(m=2, r=1, n=2), 3, list(range(12))),
        (Kyklos(m=2, r=1, n=2), ["L0", "1.0"], None),
    ],
)
def test_a_file_places_terminals(topology: Topology, given: Any, terminals: Any) -> None:
    if terminals is None:
        with pytest.raises(
            ParameterError, match=r"Topology needs terminals all, a number in 1\.\.8"
        ):
            placed(topology, given)
        return
    found = placed(topology, given)
    assert found.terminals.tolist() == terminals
    for terminal in terminals:
        assert found.terminal(found.terminal_name(terminal)) == terminal


def test_uneven_terminals_break_symmetries() -> None:
    star = Star(n=3)
    for even in (star, placed(star, 2)):
        assert even.vertex_transitive
        assert even.orbit.max() == 1
    uneven = placed(star, {0: 2, 1: 1, 2: 1})
    assert not uneven.vertex_transitive
    assert uneven.orbit.tolist() == list(range(6))


def described(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a network: a family or links, some of them parallel, terminals anywhere, a routing."""
    directed, algorithm = bool(rng.integers(2)), str(rng.choice(GENERAL))
    if rng.integers(3) == 0:
        family = str(rng.choice([*FAMILY_ALGORITHMS]))
        examples: dict[str, dict[str, Any]] = {
            "grid": {"sizes": [3, 3], "wrap": bool(rng.integers(2))},
            "star": {"n": 3},
            "borel": {"p": 7, "a": 2, "A": (0, 1), "B": (1, 1)},
            "kautz": {"degree": 2, "diameter": 2},
            "kyklos": {"m": 2, "r": 1, "n": 2},
        }
        topology: dict[str, Any] = {"family": family, **examples[family]}
        nodes = FAMILIES[family](**examples[family]).nodes
        ends = 4 if family == "kyklos" else nodes
        if rng.integers(2):
            algorithm = FAMILY_ALGORITHMS[family]
        directed = family == "kautz"
    else:
        nodes = ends = int(rng.integers(2, 9))
        order = rng.permutation(nodes)
        links = [(int(u), int(v)) for u, v in zip(order, np.roll(order, 1), strict=True)]
        more = rng.integers(nodes, size=(int(rng.integers(0, 2 * nodes)), 2)).tolist()
        links += [(u, v) for u, v in [*more, *more[:3]] if u != v]
        topology = {"family": "edge-list", "links": links, "nodes": nodes, "directed": directed}
    if directed and algorithm in ("up-down", "acyclic"):
        algorithm = "table"
    count = rng.integers(0, 4, size=ends)
    count[rng.permutation(ends)[:2]] = 1 + rng.integers(3, size=2)
    topology["terminals"] = {int(node): int(many) for node, many in enumerate(count)}
    return {"name": "net", "topology": topology, "routing": {"algorithm": algorithm}}


class Judge:
    """All packets of a network between terminals, one by one, by any decision."""

    def __init__(self, network: Network) -> None:
        self.network, self.topology = network, network.topology
        self.load, self.waits = Counter[tuple[int, int]](), set[Any]()
        self.longest = dict[tuple[int, int], int]()
        for pair in product(self.topology.terminals.tolist(), repeat=2):
            self.follow(*pair)

    def follow(self, source: int, destination: int) -> None:
        """Follow a packet by all its routes; the load is that of the first choice."""
        topology, routing, k = self.topology, self.network.routing, self.topology.local_ports
        header = int(routing.addresses(np.array([source]), np.array([destination]))[0])
        first = (source // k, topology.local + source % k, header, 0, None, True, 0)
        waiting, seen = list[Any]([first]), set[Any]()
        while waiting:
            node, arrival, header, channel, held, usual, hops = waiting.pop()
            which, decision = routing.alternatives(
                *(np.array([x]) for x in (node, arrival, header))
            )
            assert not decision.error.any()
            assert hops <= topology.nodes
            for number in range(len(which)):
                port, onward = int(decision.port[number]), int(decision.header[number])
                if port >= topology.local:
                    assert (node, port - topology.local) == divmod(destination, k)
                    self.longest[source, destination] = hops
                    continue
                link = node, port
                self.load[link] += usual and number == 0
                after = channel + bool(
                    held and self.network.channels.vc_increments[node, arrival, port]
                )
                if held:
                    self.waits.add(((*held, channel), (*link, after)))
                there, by = topology.neighbour[link], topology.arrival_port[link]
                state = int(there), int(by), onward, after, link
                if (*state, usual and number == 0) not in seen:
                    seen.add((*state, usual and number == 0))
                    waiting.append((*state, usual and number == 0, hops + 1))

    def is_acyclic(self, channels: int) -> bool:
        """Return whether no channel of so many waits for itself; the last takes all later turns."""
        least = [[(u, p, min(c, channels - 1)) for u, p, c in pair] for pair in self.waits]
        return nx.is_directed_acyclic_graph(nx.DiGraph(least))


@pytest.mark.parametrize("seed", only(range(25), range(100)))
def test_random_networks(seed: int) -> None:
    """Distances, routes, channel dependencies and loads of 100 networks."""
    network = build(described(np.random.default_rng(seed)))
    topology, k = network.topology, network.topology.local_ports
    graph = nx.DiGraph(
        (int(u), int(v)) for u in range(topology.nodes) for v in topology.neighbour[u] if v >= 0
    )
    away, judge = dict(nx.all_pairs_shortest_path_length(graph)), Judge(network)
    hops = {(s, d): away[s // k][d // k] for s, d in judge.longest}
    count = len(topology.terminals)
    assert len(hops) == count**2
    mean = sum(hops.values()) / count / (count - 1)
    diameter, mean_hops = summary(topology, among_terminals=True)
    assert diameter == max(hops.values())
    assert mean_hops == pytest.approx(mean)
    if network.algorithm in ("table", "adaptive-table", "dimension-order", "greedy"):
        assert judge.longest == hops

    needed = network.channels.needed
    assert judge.is_acyclic(needed)
    named = {(v, i) for v in network.routing.destinations for i in range(topology.terminals_at[v])}
    if needed > 1 and len({v for v, _ in named}) == len(network.routing.destinations):
        assert not judge.is_acyclic(needed - 1)

    found = loads(network.routing)
    load = np.zeros_like(found.load)
    for link, packets in judge.load.items():
        load[link] = packets / (count - 1)
    assert found.load == pytest.approx(load)
    crossed = network.channels.crossings
    if len(crossed.every) == load.size:
        assert crossed.every.reshape(load.shape) == pytest.approx(load * (count - 1))
