"""Networks from and for other tools: edge lists, GraphML, BookSim 2."""

import re
from collections import Counter
from contextlib import suppress
from os.path import realpath
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any
from xml.parsers.expat import ErrorString, ExpatError, ParserCreate

import numpy as np

from fingerpost.formats.graph import Graph, GraphFileError, Link, shown
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.edge_list import EdgeList
from fingerpost.hdl.lib.text import printable
from fingerpost.jobs import files

GRAPHML = (".graphml", ".xml")
"""File names that end so are GraphML; all others are plain lists of links."""

ANYNET = ".anynet"
"""The end of the name of a file for BookSim 2."""


LARGEST = 1 << 28
"""Bytes of a file: ten times those of the largest network that is taken."""


def resolve(network_file: Path, file: str) -> Path:
    """Return the path of a file that a network file names.

    Raises
    ------
    ValueError
        If it is not inside the directory of the network file.
    """
    directory = network_file.resolve().parent
    parts = PurePosixPath(file).parts + PureWindowsPath(file).parts
    inside = (
        file.strip() != ""
        and file.isprintable()
        and not PurePosixPath(file).is_absolute()
        and not PureWindowsPath(file).anchor
        and ".." not in parts
        and Path(realpath(directory / file)).is_relative_to(directory)
    )
    if not inside:
        raise ParameterError(
            "file",
            f"Edge-list needs a file in the directory of the network file or below, not {file!r}",
            section="topology",
        )
    return network_file.parent / file


def topology(path: Path) -> EdgeList:
    """Return the network that a file holds.

    Raises
    ------
    GraphFileError
        If it cannot be read, or is no network.
    """
    arguments = read(path)
    try:
        return EdgeList(**arguments)
    except ValueError as error:
        raise GraphFileError(f"{path}: {error}") from None


def read(path: Path) -> dict[str, Any]:
    """Return what a file holds, as the arguments of `EdgeList`.

    The end of its name tells GraphML from edge lists. Nodes go by their labels, if all of them
    differ and none is a number, and otherwise by their identifiers.

    Raises
    ------
    GraphFileError
        If it cannot be read, or is no network; with file and line.
    """
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise GraphFileError(f"{path}: a graph needs at most {LARGEST} bytes, not more")
        read_graph = read_graphml if path.suffix.lower() in GRAPHML else read_edge_list
        return read_graph(path, content).arguments()
    except UnicodeDecodeError:
        raise GraphFileError(f"{path}: not text in UTF-8, so not a list of links") from None
    except OSError as error:
        raise GraphFileError(f"{path}: cannot be read: {error.strerror or error}") from None


def write(topology: Topology, path: Path, *, name: str) -> None:
    """Write a network in the format of the file's suffix.

    Raises
    ------
    ValueError
        If there is no such format, or it cannot express this network.
    """
    suffix = path.suffix.lower()
    if suffix in GRAPHML:
        write_graphml(topology, path, name=name)
    elif suffix == ANYNET:
        write_anynet(topology, path)
    else:
        raise ValueError(
            f"export needs a file name that ends in .graphml or {ANYNET}, not {str(path)!r}"
        )


def write_graphml(topology: Topology, path: Path, *, name: str) -> None:
    """Write a network as GraphML.

    A node has its ``label``, its ``orbit``, and whether it has a ``terminal``; a link the names of
    its ``port`` at the source and its ``arrival_port`` at the target.
    """
    import networkx as nx

    directed = topology.directed
    graph: Any = nx.MultiDiGraph(name=name) if directed else nx.MultiGraph(name=name)
    terminal = np.isin(np.arange(topology.nodes), topology.terminals)
    for node, orbit in enumerate(topology.orbit.tolist()):
        label = printable(topology.name(node))
        graph.add_node(node, label=label, orbit=orbit, terminal=bool(terminal[node]))
    for node, port, other, arrival in _links(topology):
        if directed or (node, port) < (other, arrival):
            names = {
                "port": topology.port_name(port),
                "arrival_port": topology.port_name(arrival),
            }
            graph.add_edge(node, other, **names)
    simple = nx.DiGraph(graph) if directed else nx.Graph(graph)
    if len(simple.edges) == len(graph.edges):
        graph = simple  # without parallel links, edges need no key
    files.write(path, lambda scratch: nx.write_graphml_xml(graph, scratch, named_key_ids=True))


def write_anynet(topology: Topology, path: Path) -> None:
    """Write a network as BookSim 2's `anynet` reads it.

    A line ``router r node t router s ...`` for each router. BookSim numbers its nodes, which are
    the terminals, from 0 without gaps; links take a cycle unless a number after them says more.

    Raises
    ------
    ValueError
        If it has links that BookSim cannot tell: one-way links, to each of which it would add the
        way back, or parallel links, of which it would keep one.
    """
    links = Counter((node, other) for node, _, other, _ in _links(topology))
    for (start, end), times in links.items():
        what = f"from {topology.name(start)} to {topology.name(end)}"
        if (end, start) not in links:
            raise ValueError(f"Anynet needs links that go both ways, not one {what} alone")
        if times > 1:
            raise ValueError(f"Anynet needs at most one link between two routers, not two {what}")
    rows = [f"router {node}" for node in range(topology.nodes)]
    for number, node in enumerate(topology.terminals.tolist()):
        rows[node] += f" node {number}"
    for start, end in links:
        rows[start] += f" router {end}"
    text = "\n".join(rows) + "\n"
    files.write_text(path, text)


def _links(topology: Topology) -> list[tuple[int, int, int, int]]:
    """Return every link as (node, port, neighbour, port of arrival)."""
    node, port = np.nonzero(topology.neighbour >= 0)
    other, arrival = topology.neighbour[node, port], topology.arrival_port[node, port]
    return list(zip(*(x.tolist() for x in (node, port, other, arrival)), strict=True))


MARKS = "_.:/+@~-"
"""Beside letters and digits, the ASCII characters that names may have."""

NAME = r"[^\s!-/:-@\[-^`{-~](?:[^\s!-*,;-?\[-^`{|}]*[^\s!-/:-@\[-^`{-~])?"
"""A name: letters and digits at its ends, other characters than separators and brackets within."""

LINE = re.compile(
    rf"({NAME})(?:\s*(->|,)\s*|\s+)({NAME})"
    r"(?:(?:\s*,\s*|\s+)\{.*\}\s*(?:#.*)?|\s+#.*)?"
)
"""A link; data in braces, as networkx writes them; a comment."""

REST = (
    f"names have letters, digits and {MARKS}, comments a #; "
    "GraphML needs a file that ends in .graphml or .xml"
)


def read_edge_list(path: Path, content: bytes) -> Graph:
    """Return what an edge list says.

    A line has a link, ``u v`` both ways or ``u -> v`` one way, also ``u, v``, and a comment behind
    ``#``. Data of a link in braces, as networkx writes them, are not looked at.

    Raises
    ------
    GraphFileError
        If a line is no link.
    UnicodeDecodeError
        If it is no text.
    """
    graph, arrows = Graph(path), set()
    lines = content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        found = LINE.fullmatch(text)
        if found is None:
            raise graph.refused(
                f"a link needs two nodes, u v or u -> v, not {shown(text)}; {REST}", number
            )
        start, join, end = found.groups()
        arrows.add(join == "->")
        if len(arrows) > 1:
            raise graph.refused("all links need one form, u v or u -> v, not both", number)
        graph.join(start, end, number)
    graph.directed = True in arrows
    _check_head(graph)
    return graph


def _check_head(graph: Graph) -> None:
    """Refuse a first line that may say how many nodes and links follow."""
    if graph.links:
        start, end, line = graph.links[0]
        others = {node for link in graph.links[1:] for node in link[:2]}
        if (start, end) == (str(len(others)), str(len(graph.links) - 1)) and start not in others:
            raise graph.refused(
                f"{start} {end} may be a link, or say that {start} nodes and {end} links follow; "
                "remove it, or move it to the end",
                line,
            )


SCHEMA = "http://graphml.graphdrawing.org/"
"""The beginning of the namespaces of GraphML; without one it is read, too."""

DIRECTIONS = {"undirected": "false", "directed": "true"}
"""What a graph says of its edges, and what an edge may repeat."""

READ = "label", "x", "y"
"""The data of nodes that are read."""

FARTHEST = 1e9
"""The greatest coordinate of a place."""


def read_graphml(path: Path, content: bytes) -> Graph:
    """Return what a GraphML file says, with labels and places, also as yEd has them.

    Raises
    ------
    GraphFileError
        If it is not XML, or not one graph of nodes and edges that all go one way or both ways.
    """
    return _Reader(path).read(content)


class _Reader:
    def __init__(self, path: Path) -> None:
        self.graph, self.parser = Graph(path), ParserCreate(namespace_separator=" ")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.inside: list[str] = []
        self.direction = ""
        self.keys: dict[str, str] = {}
        self.data: dict[str, dict[str, str]] = {}
        self.node: dict[str, str] = {}
        self.key = ""

    def read(self, content: bytes) -> Graph:
        try:
            self.parser.Parse(content, True)
        except GraphFileError:
            raise
        except ExpatError as error:
            raise self.graph.refused(f"not XML: {ErrorString(error.code)}", error.lineno) from None
        except (LookupError, ValueError) as error:
            raise self.graph.refused(f"not XML in a known encoding: {error}", 1) from None
        for node, data in self.data.items():
            self.graph.labels[node] = data.get("label", "")
            with suppress(KeyError, ValueError):
                place = float(data["x"]), float(data["y"])
                if all(abs(at) <= FARTHEST for at in place):
                    self.graph.places[node] = place
        return self.graph

    def _refused(self, message: str) -> GraphFileError:
        return self.graph.refused(message, self.parser.CurrentLineNumber)

    def _doctype(self, *_: object) -> None:
        raise self._refused("GraphML needs no document type; remove <!DOCTYPE>")

    def _start(self, element: str, given: dict[str, str]) -> None:
        space, _, kind = element.rpartition(" ")
        foreign = space != "" and not space.startswith(SCHEMA)
        if not self.inside and (kind != "graphml" or foreign):
            where = f" of {space}" if foreign else ""
            raise self._refused(f"GraphML needs to begin with <graphml>, not <{kind}>{where}")
        self.inside.append(kind)
        self.key = ""
        if foreign:
            if kind == "NodeLabel" and "label" not in self.node:  # yEd's; of several the first
                self.key = "label"
            elif kind == "Geometry":
                self.node |= {key: given[key] for key in ("x", "y") if key in given}
            return
        match kind:
            case "graph":
                self._graph(given)
            case "node":
                self._node(given)
            case "edge":
                self._edge(given)
            case "hyperedge" | "locator":
                raise self._refused(f"a graph needs nodes and edges alone; remove <{kind}>")
            case "key" if given.get("for", "all") in ("node", "all"):
                self.keys[given.get("id", "")] = given.get("attr.name", "")
            case "data" if self.inside[-2] == "node":
                self.key = self.keys.get(given.get("key", ""), "")
                self.node.pop(self.key, None)

    def _graph(self, given: dict[str, str]) -> None:
        if self.direction:
            raise self._refused("a file needs one graph, not a second")
        self.direction = given.get("edgedefault", "")
        if self.direction not in DIRECTIONS:
            needs = f"edgedefault: a graph needs {' or '.join(DIRECTIONS)}"
            raise self._refused(f"{needs}, not {shown(given.get('edgedefault'))}")
        self.graph.directed = self.direction == "directed"

    def _node(self, given: dict[str, str]) -> None:
        node = self._needed(given, "id", "node")
        if node in self.data:
            raise self._refused(f"id: a node needs an id of its own, not {shown(node)}")
        self.node = self.data[node] = {}
        self.graph.nodes[node] = self.parser.CurrentLineNumber

    def _edge(self, given: dict[str, str]) -> None:
        start, end = (self._needed(given, key, "edge") for key in ("source", "target"))
        if given.get("directed", DIRECTIONS[self.direction]) != DIRECTIONS[self.direction]:
            raise self._refused(
                f"directed: an edge needs to be {self.direction}, as edgedefault says, "
                f"not {shown(given['directed'])}"
            )
        self.graph.links.append(Link(start, end, self.parser.CurrentLineNumber))

    def _needed(self, given: dict[str, str], key: str, what: str) -> str:
        if self.inside[-2] != "graph":
            raise self._refused(f"<{what}> needs to be in <graph>, not in <{self.inside[-2]}>")
        if key not in given:
            raise self._refused(f"{key}: the key is missing; {what}s need it")
        return given[key]

    def _end(self, element: str) -> None:
        if self.inside.pop() == "node":
            self.node = {}
        self.key = ""

    def _text(self, text: str) -> None:
        if self.key in READ:
            self.node[self.key] = self.node.get(self.key, "") + text
