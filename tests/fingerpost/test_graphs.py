import re
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerpost import graphs
from fingerpost.graphs import GraphFileError
from golden.network import Network
from golden.topology import Topology
from golden.topology.directed_chordal_ring import DirectedChordalRing
from golden.topology.double_loop import DoubleLoop
from golden.topology.edge_list import EdgeList
from tests.golden.borel_group import EXAMPLE

DIRECTED: dict[str, Topology] = {
    "daisy chain": DoubleLoop(nodes=7, a=1, b=5),
    "chordal ring": DirectedChordalRing(nodes=8, w=3),
}
UNDIRECTED: dict[str, Topology] = {
    "borel": EXAMPLE.topology(),
    "names": EdgeList(links=[(0, 1), (2, 1)], nodes=3, names=["x y", "<&>", "\u00e9"]),
}
NETWORKS = DIRECTED | UNDIRECTED


def links(topology: Topology) -> set[tuple[int, int]]:
    node, port = np.nonzero(topology.neighbour >= 0)
    return set(zip(node.tolist(), topology.neighbour[node, port].tolist(), strict=True))


def file(directory: Path, text: str, name: str = "list.txt") -> Path:
    path = directory / name
    path.write_text(text, encoding="utf-8")
    return path


def refusal(path: Path) -> str:
    with pytest.raises(GraphFileError) as caught:
        graphs.topology(path)
    return str(caught.value).replace(str(path), "FILE")


# Plain lists of links


def test_numbers(tmp_path: Path) -> None:
    path = file(tmp_path, "# a star\n2 0\n\n1 2 # and on\n 2\t3\n")
    assert graphs.read(path) == {"links": [(2, 0), (1, 2), (2, 3)], "nodes": 4, "directed": False}
    topology = graphs.topology(path)
    assert links(topology) == {(2, 0), (2, 1), (2, 3), (0, 2), (1, 2), (3, 2)}
    assert topology.name(3) == "3"


def test_names_are_numbered_as_they_appear(tmp_path: Path) -> None:
    path = file(tmp_path, "\ufeffleft middle\r\nmiddle right\r\n")
    assert graphs.read(path) == {
        "links": [(0, 1), (1, 2)],
        "nodes": 3,
        "directed": False,
        "names": ["left", "middle", "right"],
    }


def test_arrows_are_one_way(tmp_path: Path) -> None:
    topology = graphs.topology(file(tmp_path, "0 -> 1\n1 -> 2\n2 -> 0\n2 -> 1\n"))
    assert topology.directed
    assert links(topology) == {(0, 1), (1, 2), (2, 0), (2, 1)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 1\n2\n", "FILE:2: a link needs two nodes, u v or u -> v, not '2'"),
        ("0 1 2\n", "FILE:1: a link needs two nodes, u v or u -> v, not '0 1 2'"),
        ("0 -- 1\n", "FILE:1: a link needs two nodes, u v or u -> v, not '0 -- 1'"),
        ("0 -> 1\n1 0\n", "FILE:2: all links need one form, u v or u -> v, not both"),
        ("# nothing\n", "FILE: a network needs links, one a line, not an empty file"),
        ("0 1\n1 1\n", "FILE:2: a link needs two nodes, not one from 1 to itself"),
        (
            "0 1\n1 2\n2 1\n",
            ("FILE:3: at most one link can join 2 and 1, not two, the other in FILE:2"),
        ),
        (
            "a -> b\nb -> a\na -> b\n",
            ("FILE:3: at most one link can join a and b, not two, the other in FILE:1"),
        ),
        (
            "1 2\n2 3\n",
            (
                "FILE:2: node numbers need to be 0..n-1 without gaps; there is 3 but no 0 "
                "(names need a letter)"
            ),
        ),
        (
            "0 1\n1 4000000000\n",
            (
                "FILE:2: node numbers need to be 0..n-1 without gaps; there is "
                "4000000000 but no 2 (names need a letter)"
            ),
        ),
        (
            "0 1\n2 3\n",
            ("FILE: Edge-list needs a way from every node to every other, not none from 0 to 2"),
        ),
        (
            "a 7\n7 b\n",
            ("FILE: Edge-list needs names that are no numbers of other nodes, not '7' for node 1"),
        ),
        ("-> 1\n", "FILE:1: a link needs two nodes, u v or u -> v, not '-> 1'"),
        ("0 ->\n", "FILE:1: a link needs two nodes, u v or u -> v, not '0 ->'"),
        ("a -> ->\n", "FILE:1: a link needs two nodes, u v or u -> v, not 'a -> ->'"),
        ("0 1 {\n", "FILE:1: a link needs two nodes, u v or u -> v, not '0 1 {'"),
        ("0 1 {} 2\n", "FILE:1: a link needs two nodes, u v or u -> v, not '0 1 {} 2'"),
    ],
)
def test_refuses_lists(tmp_path: Path, text: str, message: str) -> None:
    assert refusal(file(tmp_path, text)) == message


@pytest.mark.parametrize("node", ["02", "-1", "1.5", "+2", "1e5", ".5"])
def test_refuses_numbers_that_nodes_do_not_have(tmp_path: Path, node: str) -> None:
    message = f"FILE:2: a node needs a number 0..n-1, or a name with a letter, not {node!r}"
    assert refusal(file(tmp_path, f"0 1\n1 {node}\n")) == message


def test_refuses_a_number_of_any_length(tmp_path: Path) -> None:
    message = refusal(file(tmp_path, f"0 {'9' * 5000}\n"))
    assert message.startswith("FILE:1: a node needs a number 0..n-1, or a name with a letter, not ")
    assert len(message) < 200


@pytest.mark.parametrize("line", ["x" * 300_000, "a " * 150_000, f"a {'x' * 300_000}"])
def test_does_not_repeat_a_line_of_any_length(tmp_path: Path, line: str) -> None:
    message = refusal(file(tmp_path, f"{line}\n"))
    assert "'..." not in message
    assert re.search(r"not '.{10,40}\.\.\..{10,40}'$", message)


def test_reads_what_networkx_writes(tmp_path: Path) -> None:
    graph = nx.cycle_graph(4)
    nx.set_edge_attributes(graph, {(0, 1): {"weight": 2.5, "colour": "#ff {x} #}"}})
    for data in (True, False):
        nx.write_edgelist(graph, tmp_path / "list.txt", data=data)
        assert links(graphs.topology(tmp_path / "list.txt")) == {
            (node, (node + step) % 4) for node in range(4) for step in (1, 3)
        }


@pytest.mark.parametrize("line", ["a b {}", "a b {} # c", "a b # {", "a b # {}", "a b {'#': 0}#"])
def test_data_in_braces_are_not_looked_at(tmp_path: Path, line: str) -> None:
    assert graphs.read(file(tmp_path, line))["names"] == ["a", "b"]


def test_a_name_can_have_braces(tmp_path: Path) -> None:
    assert graphs.read(file(tmp_path, "a{0} {1}b\n"))["names"] == ["a{0}", "{1}b"]


def test_refuses_what_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"\xff\xfe\x00")
    assert refusal(tmp_path / "b") == "FILE: not text in UTF-8, so not a list of links"
    assert refusal(tmp_path / "none") == "FILE: cannot be read: No such file or directory"
    assert refusal(tmp_path / "none.graphml") == "FILE: cannot be read: No such file or directory"
    assert refusal(tmp_path) == "FILE: cannot be read: Is a directory"


# GraphML


@pytest.mark.parametrize("name", NETWORKS)
def test_graphml_and_back(tmp_path: Path, name: str) -> None:
    topology, path = NETWORKS[name], tmp_path / "net.graphml"
    graphs.write_graphml(topology, path, name=name)
    back = graphs.topology(path)
    assert links(back) == links(topology)
    assert (back.nodes, back.directed) == (topology.nodes, topology.directed)
    names = [topology.name(node) for node in range(topology.nodes)]
    assert [back.name(node) for node in range(back.nodes)] == names


@pytest.mark.parametrize("name", NETWORKS)
def test_graphml_as_networkx_reads_it(tmp_path: Path, name: str) -> None:
    topology, path = NETWORKS[name], tmp_path / "net.graphml"
    graphs.write_graphml(topology, path, name=name)
    graph = nx.read_graphml(path, node_type=int)
    assert graph.graph["name"] == name
    assert graph.is_directed() == (name in DIRECTED)
    assert not graph.is_multigraph()
    assert dict(graph.nodes(data="label")) == {i: topology.name(i) for i in graph}
    assert dict(graph.nodes(data="orbit")) == {i: topology.orbit[i] for i in graph}
    assert dict(graph.nodes(data="terminal")) == dict.fromkeys(graph, True)
    port = {name: number for number, name in enumerate(topology.port_names)}
    for u, v, data in graph.edges(data=True):
        out, into = port[data["port"]], port[data["arrival_port"]]
        assert topology.neighbour[u, out] == v
        assert topology.arrival_port[u, out] == into


def test_graphml_says_where_terminals_are(tmp_path: Path) -> None:
    topology = EdgeList(links=[(0, 1), (1, 2)], nodes=3)
    topology.terminals = np.array([0, 2])
    graphs.write_graphml(topology, tmp_path / "net.graphml", name="path")
    graph = nx.read_graphml(tmp_path / "net.graphml", node_type=int)
    assert dict(graph.nodes(data="terminal")) == {0: True, 1: False, 2: True}


class Parallel(Topology):
    """Two nodes, two links."""

    family = "parallel"

    def __init__(self) -> None:
        arrival_port = np.array([[0, 1], [0, 1]])
        super().__init__(np.array([[1, 1], [0, 0]]), arrival_port, ("L0", "L1"))


def test_parallel_links_are_written_and_not_read(tmp_path: Path) -> None:
    path = tmp_path / "net.graphml"
    graphs.write_graphml(Parallel(), path, name="two")
    assert len(nx.read_graphml(path).edges) == 2
    assert refusal(path) == "FILE: at most one link can join 0 and 1, not two"


@settings(max_examples=30)
@given(st.integers(3, 12), st.booleans(), st.integers(0, 1000))
def test_graphml_of_others(
    tmp_path_factory: pytest.TempPathFactory, nodes: int, directed: bool, seed: int
) -> None:
    graph = nx.gnp_random_graph(nodes, 0.3, seed=seed, directed=directed)
    nx.add_cycle(graph, range(nodes))
    path = tmp_path_factory.mktemp("graphs") / "g.graphml"
    nx.write_graphml(graph, path)
    topology = graphs.topology(path)
    expected = set(graph.edges) | (set() if directed else {(v, u) for u, v in graph.edges})
    assert links(topology) == expected


def test_graphml_without_labels_goes_by_id(tmp_path: Path) -> None:
    graph = nx.Graph([("n1", "n0"), ("n1", "n2")])
    nx.write_graphml(graph, tmp_path / "g.graphml")
    assert graphs.read(tmp_path / "g.graphml") == {
        "links": [(0, 1), (0, 2)],
        "nodes": 3,
        "directed": False,
        "names": ["n1", "n0", "n2"],
    }


@pytest.mark.parametrize("labels", [["u", "u", "v"], ["u", "", "v"], ["u", "7", "v"]])
def test_labels_that_name_no_node_are_not_names(tmp_path: Path, labels: list[str]) -> None:
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, dict(enumerate(labels)), "label")
    nx.write_graphml(graph, tmp_path / "g.graphml")
    assert "names" not in graphs.read(tmp_path / "g.graphml")


HEAD = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            HEAD + '<graph edgedefault="undirected">\n<node id="0"/>\n<\n',
            "FILE:4: not XML: not well-formed (invalid token)",
        ),
        ("", "FILE:1: not XML: no element found"),
        (
            "<svg/>",
            "FILE: not GraphML as networkx reads it: file not successfully read as graphml",
        ),
        (
            HEAD + '<graph edgedefault="undirected"><node id="0"/></graph></graphml>',
            "FILE: a network needs links, not a graph without edges",
        ),
        (
            HEAD + '<graph edgedefault="undirected"><node id="0"/><node id="1"/>'
            '<edge source="0" target="1"/><edge source="1" target="1"/></graph></graphml>',
            "FILE: a link needs two nodes, not one from 1 to itself",
        ),
        (
            HEAD + '<graph edgedefault="directed"><node id="0"/><node id="1"/>'
            '<edge source="0" target="1"/></graph></graphml>',
            ("FILE: Edge-list needs a way from every node to every other, not none from 1 to 0"),
        ),
        (
            HEAD + '<graph edgedefault="undirected"><node id="0"/><node id="1"/><node id="2"/>'
            '<edge source="0" target="1"/></graph></graphml>',
            ("FILE: Edge-list needs a way from every node to every other, not none from 0 to 2"),
        ),
        (
            HEAD + '<graph edgedefault="undirected"><hyperedge/></graph></graphml>',
            ("FILE: not GraphML as networkx reads it: GraphML reader doesn't support hyperedges"),
        ),
        *(
            (
                HEAD + f"<graph{given}>\n</graph></graphml>",
                f"FILE:2: edgedefault: a graph needs directed or undirected, not {told}",
            )
            for given, told in {' edgedefault="both"': "'both'", "": "nothing"}.items()
        ),
        (
            HEAD + '<graph edgedefault="directed">\n<edge source="0" target="1"/>\n'
            '<node id="0"/></graph></graphml>',
            "FILE:3: an edge needs ends that are nodes of the graph, not '1'",
        ),
        (
            HEAD
            + '<graph edgedefault="directed">\n<node id="0"/>\n<node id="0"/></graph></graphml>',
            "FILE:4: id: a node needs an id of its own, not '0'",
        ),
        (
            HEAD + '<graph edgedefault="directed">\n<node/></graph></graphml>',
            "FILE:3: id: the key is missing; nodes need it",
        ),
        (
            HEAD + '<graph edgedefault="directed">\n<edge source="0"/></graph></graphml>',
            "FILE:3: target: the key is missing; edges need it",
        ),
    ],
)
def test_refuses_graphml(tmp_path: Path, text: str, message: str) -> None:
    assert refusal(file(tmp_path, text, "g.graphml")) == message


# BookSim 2


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


# File names in network files


def test_files_are_beside_the_network_file(tmp_path: Path) -> None:
    network = tmp_path / "net.yaml"
    assert graphs.resolve(network, "list.txt") == tmp_path / "list.txt"
    assert graphs.resolve(network, "sub/list.txt") == tmp_path / "sub" / "list.txt"
    assert graphs.resolve(Path("net.yaml"), "list.txt") == Path("list.txt")


@pytest.mark.parametrize(
    "name",
    ["/etc/passwd", "../list.txt", "sub/../../x", "sub/../x", "..\\x", "C:\\x", "C:x", "\\x", "",
     " ", "a\0b"],
)  # fmt: skip
def test_files_do_not_leave_the_directory(tmp_path: Path, name: str) -> None:
    message = f"Edge-list needs a file in the directory of the network file or below, not {name!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        graphs.resolve(tmp_path / "net.yaml", name)


def test_links_do_not_leave_the_directory(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "out").symlink_to(tmp_path)
    (home / "in").symlink_to(home)
    with pytest.raises(ValueError, match=r"^Edge-list needs a file in the directory"):
        graphs.resolve(home / "net.yaml", "out/list.txt")
    assert graphs.resolve(home / "net.yaml", "in/list.txt") == home / "in" / "list.txt"


def test_a_long_list_is_read_in_order(tmp_path: Path) -> None:
    text = "\n".join(f"v{u} v{v}" for u, v in pairwise(range(20_000)))
    read = graphs.read(file(tmp_path, text))
    assert read["nodes"] == 20_000
    assert read["links"] == list(pairwise(range(20_000)))
