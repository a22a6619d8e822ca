"""Files of graphs: plain lists of links, GraphML, and the topology files of BookSim 2."""

import re
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerpost.formats import graphs
from fingerpost.formats.graph import GraphFileError
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.digraphs import DirectedChordalRing, DoubleLoop
from fingerpost.golden.topology.edge_list import EdgeList
from tests.fingerpost.common import REFUSALS
from tests.golden.borel_group import EXAMPLE

DIRECTED: dict[str, Topology] = {
    "daisy chain": DoubleLoop(nodes=7, a=1, b=5),
    "chordal ring": DirectedChordalRing(nodes=8, w=3),
}
UNDIRECTED: dict[str, Topology] = {
    "borel": EXAMPLE.topology(),
    "names": EdgeList(links=[(0, 1), (2, 1)], nodes=3, names=["x y", "<&>", "\u00e9"]),
    "terminals": EdgeList(links=[(0, 1), (1, 2)], nodes=3),
}
UNDIRECTED["terminals"].terminals = np.array([0, 2])
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


class Parallel(Topology):
    """Two nodes, two links."""

    family = "parallel"

    def __init__(self) -> None:
        arrival_port = np.array([[0, 1], [0, 1]])
        super().__init__(np.array([[1, 1], [0, 0]]), arrival_port, ("L0", "L1"))


LISTS: list[tuple[str, list[tuple[int, int]], bool, str]] = [
    ("# a star\n2 0\n\n1 2 # and on\n 2\t3\n", [(2, 0), (1, 2), (2, 3)], False, "0123"),
    ("\ufeffleft middle\r\nmiddle x\r\n", [(0, 1), (1, 2)], False, "left middle x"),
    ("0 -> 1\n1 -> 2\n2 -> 0\n", [(0, 1), (1, 2), (2, 0)], True, "012"),
    *((f"a b{rest}", [(0, 1)], False, "ab")  # data in braces are not looked at
      for rest in (" {}", " {} # c", " # {", " # {}", " {'#': 0}#")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected", "directed", "names"), LISTS)
def test_lists(
    tmp_path: Path, text: str, expected: list[tuple[int, int]], directed: bool, names: str
) -> None:
    """Names are numbered as they appear; arrows are one way."""
    path = file(tmp_path, text)
    topology = graphs.topology(path)
    assert graphs.read(path)["links"] == expected
    back = set() if directed else {(v, u) for u, v in expected}
    assert (links(topology), topology.directed) == ({*expected} | back, directed)
    listed = [topology.name(node) for node in range(topology.nodes)]
    assert listed == (names.split() if " " in names else [*names])


SAID = {
    "{LINK}": "a link needs two nodes, u v or u -> v",
    "{REST}": "names have letters, digits and _.:/+@~-, comments a #; "
    "GraphML needs a file that ends in .graphml or .xml",
    "{NAME}": "a node needs a name of 1 to 100 printable characters",
    "{NUMBER}": "a node needs a number 0..n-1, or a name with a letter",
    "{MIX}": "nodes need to be numbers 0..n-1 or names with a letter, not both",
    "{ROW}": "is one of them in a head line?",
    "{HEAD}": '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n',
}


@pytest.mark.parametrize(
    ("name", "line"),
    [(name, line) for name, table in (("a.txt", "lists"), ("a.graphml", "graphml"))
     for line in REFUSALS[table].splitlines()],
)  # fmt: skip
def test_refuses_files(tmp_path: Path, name: str, line: str) -> None:
    for short, said in SAID.items():
        line = line.replace(short, said)
    text, message = line.split(" | ")
    text = text.encode("ascii", "backslashreplace").decode("unicode_escape")
    assert refusal(file(tmp_path, text, name)) == message


K5 = [(u, v) for v in range(5) for u in range(v)]


@pytest.mark.parametrize("join", [" ", "\t", ",", ", ", " ,", ",\t", "\u00a0"])
@pytest.mark.parametrize("behind", ["", " {}", ", {}", "\t{'weight': 1e308}", " # {", " #", "\r"])
@pytest.mark.parametrize("names", [False, True])
def test_separators_make_no_nodes(tmp_path: Path, join: str, behind: str, names: bool) -> None:
    """The complete graph of 5 nodes, however its links are written."""
    name = "n{}".format if names else str
    text = "".join(f"{name(u)}{join}{name(v)}{behind}\n" for u, v in reversed(K5))
    topology = graphs.topology(file(tmp_path, text))
    assert (topology.nodes, topology.degree) == (5, 4)
    assert {(topology.name(u), topology.name(v)) for u, v in links(topology)} == {
        (name(u), name(v)) for u, v in [*K5, *((v, u) for u, v in K5)]
    }
    if not names:
        assert links(topology) == {*K5, *((v, u) for u, v in K5)}  # and none is renumbered


def test_refuses_files_numbers_and_lines_of_any_size(tmp_path: Path) -> None:
    with (tmp_path / "a.txt").open("wb") as sparse:
        sparse.truncate(1 << 40)
    assert refusal(tmp_path / "a.txt") == "FILE: a graph needs at most 268435456 bytes, not more"
    for line in ("x" * 300_000, "a " * 150_000, f"a {'x' * 300_000}"):
        assert re.search(r"not '[^']{10,40}\.\.\.[^']{10,40}'(;|$)", refusal(file(tmp_path, line)))
    for number in ("9" * 5000, "9" * 17):
        message = refusal(file(tmp_path, f"0 {number}\n"))
        assert message.startswith("FILE:1: ")
        assert len(message) < 200


def test_refuses_what_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"\xff\xfe\x00")
    assert refusal(tmp_path / "b") == "FILE: not text in UTF-8, so not a list of links"
    assert refusal(tmp_path / "none") == "FILE: cannot be read: No such file or directory"
    assert refusal(tmp_path / "none.graphml") == "FILE: cannot be read: No such file or directory"
    assert refusal(tmp_path) == "FILE: cannot be read: Is a directory"


@pytest.mark.parametrize(
    "name",
    ["/etc/passwd", "../list.txt", "sub/../../x", "sub/../x", "..\\x", "C:\\x", "C:x", "\\x", "",
     " ", "a\0b"],
)  # fmt: skip
def test_files_do_not_leave_the_directory(tmp_path: Path, name: str) -> None:
    message = f"Edge-list needs a file in the directory of the network file or below, not {name!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        graphs.resolve(tmp_path / "net.yaml", name)
    home = tmp_path / "home"
    home.mkdir()
    (home / "out").symlink_to(tmp_path)
    (home / "in").symlink_to(home)
    with pytest.raises(ValueError, match=r"^Edge-list needs a file in the directory"):
        graphs.resolve(home / "net.yaml", "out/list.txt")
    assert graphs.resolve(home / "net.yaml", "in/list.txt") == home / "in" / "list.txt"
    assert graphs.resolve(Path("net.yaml"), "list.txt") == Path("list.txt")


def test_a_long_list_is_read_in_order(tmp_path: Path) -> None:
    text = "\n".join(f"v{u} v{v}" for u, v in pairwise(range(20_000)))
    read = graphs.read(file(tmp_path, text))
    assert read["nodes"] == 20_000
    assert read["links"] == list(pairwise(range(20_000)))


@pytest.mark.parametrize("name", NETWORKS)
def test_graphml_and_back(tmp_path: Path, name: str) -> None:
    topology, path = NETWORKS[name], tmp_path / "net.graphml"
    graphs.write_graphml(topology, path, name=name)
    back = graphs.topology(path)
    assert links(back) == links(topology)
    assert (back.nodes, back.directed) == (topology.nodes, topology.directed)
    names = [topology.name(node) for node in range(topology.nodes)]
    assert [back.name(node) for node in range(back.nodes)] == names
    # And as networkx reads it.
    graph = nx.read_graphml(path, node_type=int)
    assert graph.graph["name"] == name
    assert graph.is_directed() == (name in DIRECTED)
    assert not graph.is_multigraph()
    assert dict(graph.nodes(data="label")) == {i: topology.name(i) for i in graph}
    assert dict(graph.nodes(data="orbit")) == {i: topology.orbit[i] for i in graph}
    assert dict(graph.nodes(data="terminal")) == {i: i in topology.terminals for i in graph}
    port = {name: number for number, name in enumerate(topology.port_names)}
    for u, v, data in graph.edges(data=True):
        out, into = port[data["port"]], port[data["arrival_port"]]
        assert topology.neighbour[u, out] == v
        assert topology.arrival_port[u, out] == into


def test_parallel_links_are_written_and_not_read(tmp_path: Path) -> None:
    path = tmp_path / "net.graphml"
    graphs.write_graphml(Parallel(), path, name="two")
    assert len(nx.read_graphml(path).edges) == 2
    assert "at most one link can join 0 and 1, and line 20 has one" in refusal(path)


@settings(max_examples=30)
@given(st.integers(3, 12), st.booleans(), st.integers(0, 1000))
def test_graphml_of_others(
    tmp_path_factory: pytest.TempPathFactory, nodes: int, directed: bool, seed: int
) -> None:
    graph = nx.gnp_random_graph(nodes, 0.3, seed=seed, directed=directed)
    nx.add_cycle(graph, range(nodes))
    path = tmp_path_factory.mktemp("graphs") / "g.graphml"
    nx.write_graphml(graph, path)
    expected = set(graph.edges) | (set() if directed else {(v, u) for u, v in graph.edges})
    assert links(graphs.topology(path)) == expected
    nx.set_edge_attributes(graph, {(0, 1): {"weight": 2.5, "colour": "#ff {x} #}"}})
    for data in (True, False) if not directed else ():
        nx.write_edgelist(graph, path.with_name("list.txt"), data=data)
        assert links(graphs.topology(path.with_name("list.txt"))) == expected


@pytest.mark.parametrize("labels", [["u", "u", "v"], ["u", "", "v"], ["u", "7", "v"], []])
def test_labels_that_name_no_node_are_not_names(tmp_path: Path, labels: list[str]) -> None:
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, dict(enumerate(labels)), "label")
    nx.write_graphml(graph, tmp_path / "g.graphml")
    assert "names" not in graphs.read(tmp_path / "g.graphml")


YED = """\
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
<key for="node" id="d0" yfiles.type="nodegraphics"/><graph edgedefault="directed" id="G">
{}<edge id="e0" source="n0" target="n1"/><edge id="e1" source="n1" target="n0"/></graph>
</graphml>"""
YED_NODE = """<node id="n{}"><data key="d0"><y:ShapeNode><y:Geometry height="30" x="{}.5" y="-2"/>
<y:NodeLabel>{}<y:LabelModel>free</y:LabelModel></y:NodeLabel><y:NodeLabel>more</y:NodeLabel>
</y:ShapeNode></data></node>"""


def test_graphml_of_yed(tmp_path: Path) -> None:
    """yEd wraps labels; its ports and their data are no nodes'."""
    nodes = [
        YED_NODE.format(0, 1, " Gulf of\n Oman&#13;"),
        YED_NODE.format(1, 3, "B &amp; C\u00a0"),
    ]
    port = '<port name="p"><data key="d0"><y:NodeLabel>x</y:NodeLabel></data></port></node>'
    nodes[1] = nodes[1].removesuffix("</node>") + port
    assert graphs.read(file(tmp_path, YED.format("".join(nodes)), "a.graphml")) == {
        "links": [(0, 1), (1, 0)],
        "nodes": 2,
        "directed": True,
        "names": ["Gulf of Oman", "B & C"],
        "places": [(1.5, -2.0), (3.5, -2.0)],
    }


def test_graphml_of_any_encoding_namespace_and_order(tmp_path: Path) -> None:
    """Nodes whose ids are numbers have these numbers, in whatever order they and labels stand."""
    head = '<?xml version="1.0" encoding="{}"?><graphml><key id="k" for="node" attr.name="label"/>'
    text = "".join(f'<node id="{i}"><data key="k"> \u00e9{i} </data></node>' for i in (2, 0, 1))
    edges = "".join(f'<edge source="{i}" target="{j}"/>' for i, j in ((2, 0), (1, 2)))
    text = f'{head}<graph edgedefault="undirected">{edges}{text}</graph></graphml>'
    for encoding in ("utf-8-sig", "utf-16", "latin-1"):
        path = tmp_path / "a.xml"
        path.write_bytes(text.format(encoding.removesuffix("-sig")).encode(encoding))
        assert graphs.read(path) == {
            "links": [(2, 0), (1, 2)],
            "nodes": 3,
            "directed": False,
            "names": ["\u00e90", "\u00e91", "\u00e92"],
        }


@pytest.mark.parametrize("far", ["nan", "inf", "1e308", "x", "", "0"])
def test_places_that_no_picture_has_are_none(tmp_path: Path, far: str) -> None:
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, {0: "0", 1: "1", 2: far}, "x")
    nx.set_node_attributes(graph, "0", "y")
    nx.write_graphml(graph, tmp_path / "g.graphml")
    assert "places" not in graphs.read(tmp_path / "g.graphml")


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


@pytest.mark.parametrize("name", ["borel", "names", "pairs of one-way links"])
def test_booksim_reads_the_same_network(tmp_path: Path, name: str) -> None:
    topology = UNDIRECTED.get(name, DoubleLoop(nodes=5, a=1, b=4))
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


@pytest.mark.parametrize(
    ("topology", "needs"),
    [
        (DIRECTED["daisy chain"], "links that go both ways, not one from 0 to 1 alone"),
        (Parallel(), "at most one link between two routers, not two from 0 to 1"),
    ],
)
def test_booksim_has_neither_one_way_nor_parallel_links(
    tmp_path: Path, topology: Topology, needs: str
) -> None:
    with pytest.raises(ValueError, match=f"^Anynet needs {needs}$"):
        graphs.write_anynet(topology, tmp_path / "net")
    assert not (tmp_path / "net").exists()
