from collections import Counter
from typing import Any

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.faults import faulty
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.routing import ALGORITHMS
from fingerpost.golden.topology import Borel, DoubleLoop, EdgeList, Scc, Topology
from tests.golden.graphs import Edges, channel_dependencies, check_shortest

PETERSEN = Edges(nx.petersen_graph())
BOREL = Borel(p=7, a=2, A=(0, 1), B=(1, 1))


def failed(topology: Topology, text: str) -> set[tuple[int, int]]:
    """Return the links that failed, by the nodes that they join."""
    found = faulty(topology, text)
    at = np.argwhere(found.failed_links).tolist()
    return {(node, int(topology.neighbour[node, port])) for node, port in at}


def test_listed_links_fail_both_ways() -> None:
    assert failed(PETERSEN, "link:0-5, link: 2 - 1 ,node:7") == {(0, 5), (5, 0), (1, 2), (2, 1)}
    assert faulty(PETERSEN, "link:0-5,node:7,node:3").failed_nodes.tolist() == [3, 7]


def test_directed_links_fail_one_way() -> None:
    loop = DoubleLoop(nodes=9, a=1, b=2)
    assert failed(loop, "link:3-4") == {(3, 4)}
    with pytest.raises(ParameterError, match=r"not 4-3; 4 is linked to 5 6$"):
        faulty(loop, "link:4-3")


def test_labels_may_hold_what_stands_between_items() -> None:
    scc = Scc(n=4)
    assert failed(scc, "link:3:3412-4:3412,node:2:1234") == {
        (scc.node("3:3412"), scc.node("4:3412")),
        (scc.node("4:3412"), scc.node("3:3412")),
    }
    assert faulty(BOREL, "node:1,5,node:0,0").failed_nodes.tolist() == sorted(
        [BOREL.node("1,5"), 0]
    )
    names = EdgeList(links=[(0, 1), (1, 2), (2, 0)], nodes=3, names=["a-b", "c", "x,node:y"])
    assert failed(names, "link:a-b-c") == {(0, 1), (1, 0)}


def test_a_link_of_names_with_dashes_is_the_one_that_is_there() -> None:
    names = ["a", "b-c", "a-b", "c"]
    for links in ([(0, 1), (1, 2), (2, 0), (0, 3)], [(2, 3), (3, 0), (0, 2), (2, 1)]):
        found = EdgeList(links=links, nodes=4, names=names)
        assert failed(found, "link:a-b-c") == {links[0], links[0][::-1]}
    both = EdgeList(links=[(0, 1), (2, 3), (1, 2)], nodes=4, names=names)
    message = "^Faults need one link, not a-b-c of several; write link:0-1 or link:2-3$"
    with pytest.raises(ParameterError, match=message):
        faulty(both, "link:a-b-c")
    assert failed(both, "link:2-3") == {(2, 3), (3, 2)}
    ring = EdgeList(links=[(0, 3), (3, 1), (1, 2), (2, 0)], nodes=4, names=names)
    with pytest.raises(ParameterError, match=r"not a-b-c; a is linked to a-b c$"):
        faulty(ring, "link:a-b-c")


def test_all_parallel_links_fail_alone_by_chance_and_together_by_name() -> None:
    neighbour, arrival = np.array([[1, 1, 2], [0, 0, 2], [0, 1, -1]]), np.array(
        [[0, 1, 0], [0, 1, 1], [2, 2, -1]]
    )  # fmt: skip
    twice = Topology(neighbour, arrival, ("x", "y", "z"))
    twice.family = "twice"
    assert np.argwhere(faulty(twice, "link:0-1").failed_links).tolist() == [
        [0, 0], [0, 1], [1, 0], [1, 1],
    ]  # fmt: skip
    one = faulty(twice, "links=1,seed=0").failed_links
    assert np.count_nonzero(one) == 2


@pytest.mark.parametrize(
    ("text", "links", "nodes"),
    [
        ("links=3", 3, 0),
        ("links=5%", 1, 0),  # of 15, rounded up
        ("links=20%", 3, 0),  # 3 exactly
        ("links = 0.1 %", 1, 0),
        ("nodes=2,seed=9", 0, 2),
        ("nodes=10%,links=1", 1, 1),
        ("link:0-1,links=2", 3, 0),
        ("links=0", 0, 0),
    ],
)
def test_draws_as_many_as_it_says(text: str, links: int, nodes: int) -> None:
    found = faulty(PETERSEN, text)
    assert np.count_nonzero(found.failed_links) == 2 * links
    assert len(found.failed_nodes) == nodes


def test_drawn_links_join_nodes_that_live() -> None:
    for seed in range(20):
        text = f"node:0,node:6,links=4,seed={seed}"
        assert not {0, 6} & {node for link in failed(PETERSEN, text) for node in link}


def test_draws_every_link_alike() -> None:
    drawn = Counter(min(failed(PETERSEN, f"links=1,seed={seed}")) for seed in range(600))
    assert len(drawn) == 15
    assert all(15 < count < 75 for count in drawn.values())  # 40 on average, 4 sigma 25


def network(faults: str, algorithm: str = "table", **topology: Any) -> Network:
    topology = topology or {"family": "borel", "p": 7, "a": 2, "A": (0, 1), "B": (1, 1)}
    return build(
        {
            "name": "damaged",
            "topology": topology,
            "routing": {"algorithm": algorithm},
            "faults": faults,
        }
    )


CASES: list[tuple[str, str, dict[str, Any]]] = [
    *((f"links=10%,nodes=2,seed={seed}", "table", {}) for seed in range(3)),
    *((f"links=10%,nodes=2,seed={seed}", "up-down", {}) for seed in range(3)),
    ("links=8,seed=1", "table", {"family": "kyklos", "m": 2, "r": 2, "n": 4}),
    ("links=8,seed=1", "up-down", {"family": "kyklos", "m": 2, "r": 2, "n": 4}),
    ("links=4,nodes=1,seed=2", "table", {"family": "rotator", "n": 4}),
    ("links=10%,nodes=2,seed=1", "adaptive-table", {}),
    ("link:1,0-1,1,node:2,2,node:0,3", "up-down", {"family": "grid", "sizes": [4, 4]}),
]


@pytest.mark.parametrize(("faults", "algorithm", "topology"), CASES)
def test_routes_and_proof_are_made_for_what_is_left(
    faults: str, algorithm: str, topology: dict[str, Any]
) -> None:
    """Routes are walks of the damaged graph, and their channels cannot wait in a circle."""
    found = network(faults, algorithm, **topology)
    routing, channels = found.routing, found.channels
    if algorithm != "up-down":
        check_shortest(routing)
    depends = channel_dependencies(routing, channels.vc_increments, found.virtual_channels)
    assert nx.is_directed_acyclic_graph(depends)
    assert len(depends) > 10
    graph = found.channels.dependencies(found.virtual_channels)
    proven = nx.DiGraph(zip(graph.start.tolist(), graph.end.tolist(), strict=True))
    assert nx.is_directed_acyclic_graph(proven)
    if not found.routing.selection:  # else the proof has more ways than one for each pair
        assert proven.number_of_edges() == depends.number_of_edges()


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_an_algorithm_of_a_family_needs_all_of_it(name: str) -> None:
    if not ALGORITHMS[name].families:
        assert network("links=1", name).virtual_channels >= 1
        return
    with pytest.raises(ParameterError) as caught:
        network("links=1", name)
    assert str(caught.value).startswith(
        "Routing needs an algorithm for any network where there are faults, acyclic, source-table, "
        f"up-down, table or adaptive-table, not {name}, which needs a whole "
    )
    assert (caught.value.section, caught.value.key) == ("routing", "algorithm")
