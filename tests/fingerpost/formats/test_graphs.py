"""Files of graphs: read, refused, written, and all of these by every format."""

import json
import re
from itertools import pairwise, product
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerpost.formats import attributed, graphs
from fingerpost.formats.graph import GraphFileError
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.digraphs import DirectedChordalRing, DoubleLoop
from fingerpost.golden.topology.edge_list import EdgeList
from fingerpost.golden.topology.kyklos import Kyklos
from fingerpost.netfile.source import read
from tests.fingerpost.common import REFUSALS
from tests.golden.borel_group import EXAMPLE

DIRECTED: dict[str, Topology] = {
    "daisy chain": DoubleLoop(nodes=7, a=1, b=5),
    "chordal ring": DirectedChordalRing(nodes=8, w=3),
}
UNDIRECTED: dict[str, Topology] = {
    "borel": EXAMPLE.topology(),
    "names": EdgeList(links=[(0, 1), (2, 1)], nodes=3, names=["x y", "<&>", "\u00e9"]),
    "terminals": EdgeList(links=[(0, 1), (1, 2)], nodes=3).with_terminals(np.array([0, 2])),
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
    "{REST}": "names have letters, digits and _.:/+@~-, comments a #; {FORMATS}",
    "{FORMATS}": "the end of a name says the format: .txt, .csv, .adjlist, .anynet, .gml, "
    ".graphml, .xml, .dot, .gv or .json",
    "{NAME}": "a node needs a name of 1 to 100 printable characters",
    "{NUMBER}": "a node needs a number 0..n-1, or a name with a letter",
    "{MIX}": "nodes need to be numbers 0..n-1 or names with a letter, not both",
    "{ROW2}": "a row needs two nodes, and perhaps a weight; heads need to be source and target",
    "{ANYNET}": "a line needs routers and nodes, as in router 0 node 0 router 1 router 2",
    "{NODE_LINK}": "JSON needs node-link data, "
    '{"nodes": [{"id": 0}, ...], "edges": [{"source": 0, ...}]}',
    "{ROW}": "is one of them in a head line?",
    "{HEAD}": '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n',
}

KINDS = "graphml", "csv", "adjlist", "anynet", "gml", "dot", "json"


@pytest.mark.parametrize(
    ("name", "line"),
    [(name, line) for name, table in (("a.txt", "lists"), *((f"a.{kind}", kind) for kind in KINDS))
     for line in REFUSALS[table].splitlines()],
)  # fmt: skip
def test_refuses_files(tmp_path: Path, name: str, line: str) -> None:
    for short, said in SAID.items():
        line = line.replace(short, said)
    text, message = line.split(" | ")
    text = text.encode("ascii", "backslashreplace").decode("unicode_escape")
    assert refusal(file(tmp_path, text, name)) == message


K5 = [(u, v) for v in range(5) for u in range(v)]


JOINS = " ", "\t", ",", ", ", " ,", ",\t", "\u00a0"
BEHIND = "", " {}", ", {}", "\t{'weight': 1e308}", " # {", " #", "\r"


@pytest.mark.parametrize("names", [False, True])
def test_separators_make_no_nodes(tmp_path: Path, names: bool) -> None:
    """The complete graph of 5 nodes, however its links are written."""
    name, both_ways = "n{}".format if names else str, {*K5, *((v, u) for u, v in K5)}
    for join, behind in product(JOINS, BEHIND):
        text = "".join(f"{name(u)}{join}{name(v)}{behind}\n" for u, v in reversed(K5))
        topology = graphs.topology(file(tmp_path, text))
        assert (topology.nodes, topology.degree) == (5, 4), text
        named = {(topology.name(u), topology.name(v)) for u, v in links(topology)}
        assert named == {(name(u), name(v)) for u, v in both_ways}, text
        if not names:
            assert links(topology) == both_ways, text  # and none is renumbered


def test_refuses_files_numbers_and_lines_of_any_size(tmp_path: Path) -> None:
    with (tmp_path / "a.txt").open("wb") as sparse:
        sparse.truncate(1 << 40)
    assert (
        refusal(tmp_path / "a.txt") == "FILE: an edge list needs at most 268435456 bytes, not more"
    )
    for line in ("x" * 300_000, "a " * 150_000, f"a {'x' * 300_000}"):
        assert re.search(r"not '[^']{10,40}\.\.\.[^']{10,40}'(;|$)", refusal(file(tmp_path, line)))
    for number in ("9" * 5000, "9" * 17):
        message = refusal(file(tmp_path, f"0 {number}\n"))
        assert message.startswith("FILE:1: ")
        assert len(message) < 200


def test_refuses_what_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"\xff\xfe\x00")
    assert refusal(tmp_path / "b") == "FILE: not text in UTF-8, so not an edge list"
    assert refusal(tmp_path / "none") == "FILE: cannot be read: No such file or directory"
    assert refusal(tmp_path / "none.graphml") == "FILE: cannot be read: No such file or directory"
    assert refusal(tmp_path) == "FILE: cannot be read: Is a directory"


@pytest.mark.parametrize(
    "name",
    ["/etc/passwd", "../list.txt", "sub/../../x", "sub/../x", "..\\x", "C:\\x", "C:x", "\\x", "",
     " ", "a\0b"],
)  # fmt: skip
def test_files_do_not_leave_the_directory(tmp_path: Path, name: str) -> None:
    message = f"Topology needs a file in the directory of the network file or below, not {name!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        graphs.resolve(tmp_path / "net.yaml", name)
    home = tmp_path / "home"
    home.mkdir()
    (home / "out").symlink_to(tmp_path)
    (home / "in").symlink_to(home)
    with pytest.raises(ValueError, match=r"^Topology needs a file in the directory"):
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
    graphs.write(topology, path, name=name)
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


@pytest.mark.parametrize("suffix", [".graphml", ".gml", ".json"])
def test_parallel_links_are_written_and_read_if_they_are_asked_for(
    tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"net{suffix}"
    graphs.write(Parallel(), path, name="two")
    assert graphs.read(path, parallel=True)["links"] == [(0, 1), (0, 1)]
    if suffix == ".graphml":  # which cannot say that it is a multigraph
        assert len(nx.read_graphml(path).edges) == 2
        assert "at most one link can join 0 and 1, and line 20 has one" in refusal(path)
    else:
        assert graphs.read(path)["links"] == [(0, 1), (0, 1)]
    net, links = tmp_path / "net.yaml", tmp_path / "net.txt"
    links.write_text("0 1\n1 0\n1 2\n2 1\n1 2\n")
    net.write_text("name: n\ntopology: {family: edge-list, file: net.txt, parallel: true}\n")
    degree = (read(net).topology().neighbour >= 0).sum(axis=1)
    assert degree.tolist() == [2, 5, 3]


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
    graphs.write(topology, tmp_path / "net.anynet", name="net")
    routers, node_at = booksim((tmp_path / "net.anynet").read_text(encoding="ascii"))
    assert {(u, v) for u, others in routers.items() for v in others} == links(topology)
    assert node_at == {node: node for node in range(topology.nodes)}


def test_booksim_numbers_terminals_without_gaps(tmp_path: Path) -> None:
    star = EdgeList(links=[(0, 1), (0, 2), (0, 3)], nodes=4).with_terminals(np.array([1, 3]))
    graphs.write(star, tmp_path / "net.anynet", name="net")
    assert (tmp_path / "net.anynet").read_text() == (
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
        graphs.write(topology, tmp_path / "net.anynet", name="net")
    assert not (tmp_path / "net.anynet").exists()


SUFFIXES = sorted(graphs.BY_SUFFIX)
BOTH_WAYS_ALONE, NO_NAMES, ALL_TERMINALS = (
    {".adjlist", ".anynet"}, {".anynet"}, {".txt", ".csv", ".adjlist"},
)  # fmt: skip


@st.composite
def networks(draw: st.DrawFn) -> EdgeList:
    """Small connected graphs, by networkx, some with names, one-way links, any terminals."""
    nodes, directed = draw(st.integers(2, 9)), draw(st.booleans())
    graph = nx.gnp_random_graph(nodes, 0.3, seed=draw(st.integers(0, 99)), directed=directed)
    way = draw(st.permutations(range(nodes)))
    nx.add_path(graph, way)
    if directed:
        graph.add_edge(way[-1], way[0])
    letters = st.text("abxyz019_.:/+@~-\u00e9", min_size=1, max_size=5)
    inner = letters.map(lambda text: f"n{text}x")
    some = draw(st.sets(inner, min_size=nodes, max_size=nodes)) if draw(st.booleans()) else None
    usual = st.just([1] * nodes) | st.lists(st.integers(0, 3), min_size=nodes, max_size=nodes)
    count = draw(usual.filter(lambda some: sum(some) > 1))
    topology = EdgeList(
        links=list(graph.edges),
        nodes=nodes,
        directed=directed,
        names=sorted(some) if some else None,
    )
    return topology.with_terminals(np.repeat(range(nodes), count))


def by_name(topology: Topology) -> tuple[set[tuple[str, str]], dict[str, int]]:
    """Links and terminals by the names of nodes."""
    name = topology.name
    count = {name(node): int(many) for node, many in enumerate(topology.terminals_at)}
    return {(name(u), name(v)) for u, v in links(topology)}, count


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(max_examples=25, deadline=None)
@given(topology=networks())
def test_every_format_and_back(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, topology: EdgeList
) -> None:
    """Export, and `file:` of a network file: the same links and terminals, by name."""
    path = tmp_path_factory.mktemp("graphs") / f"g{suffix}"
    one_way = any((v, u) not in links(topology) for u, v in links(topology))
    bare = (topology.terminals_at != 1).any()
    if (one_way and suffix in BOTH_WAYS_ALONE) or (bare and suffix in ALL_TERMINALS):
        with pytest.raises(ValueError, match=r" needs (links that go both|one terminal at every)"):
            graphs.write(topology, path, name="g")
        assert not path.exists()
        return
    graphs.write(topology, path, name="g")
    net = path.with_name("g.yaml")
    net.write_text(f"name: g\ntopology: {{family: edge-list, file: g{suffix}}}\n")
    back = read(net).topology()
    if suffix in NO_NAMES:
        assert links(back) == links(topology)
        assert back.terminals.tolist() == topology.terminals.tolist()
    else:
        assert by_name(back) == by_name(topology)


BY_NETWORKX = {
    ".gml": lambda path: nx.read_gml(path, label="id"),
    ".graphml": lambda path: nx.read_graphml(path, node_type=int),
    ".json": lambda path: nx.node_link_graph(json.loads(path.read_text()), edges="edges"),
    ".adjlist": lambda path: nx.read_adjlist(path, nodetype=int),
    ".txt": lambda path: nx.read_edgelist(path, nodetype=int),
    ".csv": lambda path: nx.parse_edgelist(
        path.read_text().splitlines()[1:], delimiter=",", nodetype=int
    ),
}


@pytest.mark.parametrize("suffix", BY_NETWORKX)
def test_networkx_reads_what_is_written(tmp_path: Path, suffix: str) -> None:
    path, petersen = tmp_path / f"g{suffix}", nx.petersen_graph()
    graphs.write(EdgeList(links=list(petersen.edges), nodes=10), path, name="g")
    found = BY_NETWORKX[suffix](path)
    assert {frozenset(edge) for edge in found.edges} == {*map(frozenset, petersen.edges)}


@pytest.mark.parametrize("directed", [False, True])
def test_what_networkx_writes_is_read(tmp_path: Path, directed: bool) -> None:
    """Names with blanks, and nodes that are tuples, as of its grids."""
    graph = nx.grid_2d_graph(3, 2)
    graph.add_edge((0, 0), "a b", weight=2.5)
    graph = graph.to_directed() if directed else graph
    data = nx.node_link_data(graph, edges="links")
    text = graph.subgraph(set(graph) - {"a b"})
    nx.write_gml(nx.relabel_nodes(graph, str), tmp_path / "g.gml")
    (tmp_path / "g.json").write_text(json.dumps(data))
    called = {str(node): node for node in graph} | {attributed.identifier(v): v for v in graph}
    for name in ("g.gml", "g.json"):
        topology = graphs.topology(tmp_path / name)
        assert {(called[u], called[v]) for u, v in by_name(topology)[0]} == {
            *graph.to_directed().edges
        }
    if not directed:
        nx.write_adjlist(nx.convert_node_labels_to_integers(text), tmp_path / "g.adjlist")
        found = graphs.topology(tmp_path / "g.adjlist")
        assert len(links(found)) == 2 * text.number_of_edges()


DOT = [
    ("graph { a -- b -- c }", "ab bc", False),
    ("strict digraph g { a -> b; a -> b; b -> c -> a }", "ab bc ca", True),
    ('graph "x y" { node [shape=box]; rank = same; a [label="\\N"]; a -- {b; c} [color="red"] }',
     "ab ac", False),
    ("graph{a:n--b:s:w/* -- c */;subgraph cluster_1{b--c};\n# c -- e\nc--d//--e\n}", "ab bc cd",
     False),
    ("GRAPH { subgraph { a b } -- subgraph s { c } }", "ac bc", False),
    ('graph { a [label="x", pos="1,2!"]; b [label=<<b>y</b>>] a -- b }', "x,<<b>y</b>>", False),
    ('graph { "1" -- 0 }', "10", False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "pairs", "directed"), DOT)
def test_dot(tmp_path: Path, text: str, pairs: str, directed: bool) -> None:
    topology = graphs.topology(file(tmp_path, text, "g.gv"))
    expected = {tuple(p.split(",") if "," in p else p) for p in pairs.split(" ")}
    back = set() if directed else {(v, u) for u, v in expected}
    assert (by_name(topology)[0], topology.directed) == (expected | back, directed)


CSV = [
    ("0,1\n1,2\n", "01 12"),
    ("0,1,3.5\n1,2,1e-3\n", "01 12"),  # weights
    (",source,target,weight\n0,a,b,1.5\n1,b,c,2\n", "ab bc"),  # by pandas, with its index
    ("Target;Source;Type\nb;a;Directed\na;b;Directed\n", "ab ba"),  # by Gephi
    ("from,to\nfrom,x\n", "from,to from,x"),  # two nodes of these names
    ("# links\n\"a\",'b'\n", "a,'b'"),
    ("a\tb\nb\tc\n", "ab bc"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CSV)
def test_csv_of_others(tmp_path: Path, text: str, expected: str) -> None:
    topology = graphs.topology(file(tmp_path, text, "a.csv"))
    pairs = [tuple(word.split(",") if "," in word else word) for word in expected.split()]
    assert by_name(topology)[0] == {*pairs, *((v, u) for u, v in pairs)}


def test_one_way_csv_and_weights_are_told_apart(tmp_path: Path) -> None:
    ring = "source,target,type\na,b,Directed\nb,c,directed\nc,a,Directed\n"
    assert graphs.topology(file(tmp_path, ring, "a.csv")).directed
    assert not graphs.topology(file(tmp_path, ring.replace("irected", "ata"), "a.csv")).directed


ANYNET = """\
router 0 router 1 15 router 2
router 1 node 0 router 2 3
router 2 node 1 7 router 0 5
node 2 router 3
router 3 router 0
"""


def test_anynet_of_others_is_read_as_booksim_reads_it(tmp_path: Path) -> None:
    """Latencies, links that stand with both routers, and a router without a node."""
    topology = graphs.topology(file(tmp_path, ANYNET, "a.anynet"))
    assert links(topology) == {
        (u, v) for a, b in ((0, 1), (0, 2), (1, 2), (0, 3)) for u, v in ((a, b), (b, a))
    }
    assert topology.terminals.tolist() == [1, 2, 3]
    text = ANYNET.replace(" 15", "").replace(" 3\nrouter 2", "\nrouter 2").replace(" 7", "")
    text = text.replace("0 5", "0").replace("node 2 router 3\nrouter 3", "router 3 node 2")
    routers, node_at = booksim(text)
    assert {(u, v) for u, others in routers.items() for v in others} == links(topology)
    assert sorted(node_at.values()) == topology.terminals.tolist()


def test_gml_of_a_map_with_names_beyond_ascii(tmp_path: Path) -> None:
    text = 'graph [ node [ id 5 label "S&#227;o" ] node [ id 9 label "K\u00f8b" ] {} ]'
    topology = graphs.topology(file(tmp_path, text.format("edge [ source 5 target 9 ]"), "a.gml"))
    assert by_name(topology)[0] == {("S\u00e3o", "K\u00f8b"), ("K\u00f8b", "S\u00e3o")}


def test_terminals_of_a_tree_survive(tmp_path: Path) -> None:
    """Only leaves of a KYKLOS have terminals; all of its nodes had, once it was read again."""
    kyklos = Kyklos(m=2, r=2, n=2)
    for suffix in {*SUFFIXES} - ALL_TERMINALS:
        graphs.write(kyklos, tmp_path / f"k{suffix}", name="k")
        back = graphs.topology(tmp_path / f"k{suffix}")
        assert back.terminals.tolist() == [0, 1, 2, 3]
        assert links(back) == links(kyklos)
