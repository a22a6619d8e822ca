"""The topology files of BookSim 2."""

from pathlib import Path

import numpy as np
import pytest

from fingerpost.formats import graphs
from fingerpost.golden.network.network import Network
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.double_loop import DoubleLoop
from fingerpost.golden.topology.edge_list import EdgeList
from tests.fingerpost.graph_files import DIRECTED, UNDIRECTED, Parallel, links


def booksim(text: str) -> tuple[dict[int, set[int]], dict[int, int]]:
    """Read an anynet file as BookSim 2's AnyNet::readFile does.

    Returns the routers that each router has a channel to, and the router of each node.
    """
    routers: dict[int, set[int]] = {}
    node_at: dict[int, int] = {}
    for line in text.splitlines():
        words = line.split(" ")
        pairs = [(words[i], int(words[i + 1])) for i in range(0, len(words), 2)]
        (kind, head), *rest = pairs
        assert kind == "router"
        routers.setdefault(head, set())
        for what, number in rest:
            if what == "node":
                assert number not in node_at
                node_at[number] = head
            else:
                assert what == "router"
                routers[head].add(number)
                routers.setdefault(number, set()).add(head)  # the way back is implied
    assert sorted(routers) == list(range(len(routers)))
    assert sorted(node_at) == list(range(len(node_at)))  # or its traffic manager stops
    return routers, node_at


@pytest.mark.parametrize("topology", UNDIRECTED.values(), ids=UNDIRECTED)
def test_booksim_reads_the_same_network(tmp_path: Path, topology: Topology) -> None:
    graphs.write_anynet(topology, tmp_path / "net")
    routers, node_at = booksim((tmp_path / "net").read_text(encoding="ascii"))
    assert {(u, v) for u, others in routers.items() for v in others} == links(topology)
    assert node_at == {node: node for node in range(topology.nodes)}


def test_booksim_numbers_terminals_without_gaps(tmp_path: Path) -> None:
    star = EdgeList(links=[(0, 1), (0, 2), (0, 3)], nodes=4)
    star.terminals = np.array([1, 3])
    graphs.write_anynet(star, tmp_path / "net")
    assert (tmp_path / "net").read_text() == (
        "router 0 router 1 router 2 router 3\n"
        "router 1 node 0 router 0\n"
        "router 2 router 0\n"
        "router 3 node 1 router 0\n"
    )


def test_booksim_takes_pairs_of_one_way_links(tmp_path: Path) -> None:
    graphs.write_anynet(DoubleLoop(nodes=5, a=1, b=4), tmp_path / "net")
    routers, _ = booksim((tmp_path / "net").read_text())
    assert routers == {i: {(i + 1) % 5, (i - 1) % 5} for i in range(5)}


def test_booksim_has_no_one_way_links(tmp_path: Path) -> None:
    message = "Anynet needs links that go both ways, not one from 0 to 1 alone"
    with pytest.raises(ValueError, match=f"^{message}$"):
        graphs.write_anynet(DIRECTED["daisy chain"], tmp_path / "net")
    assert not (tmp_path / "net").exists()


def test_booksim_has_no_parallel_links(tmp_path: Path) -> None:
    message = "Anynet needs at most one link between two routers, not two from 0 to 1"
    with pytest.raises(ValueError, match=f"^{message}$"):
        graphs.write_anynet(Parallel(), tmp_path / "net")


def test_booksim_of_a_large_network(borel1081: Network, tmp_path: Path) -> None:
    graphs.write_anynet(borel1081.topology, tmp_path / "net")
    routers, _ = booksim((tmp_path / "net").read_text())
    assert {(u, v) for u, others in routers.items() for v in others} == links(borel1081.topology)
