"""Graphs whose nodes have data: networkx, and its formats GML, node-link JSON and GraphML."""

import io
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from xml.parsers.expat import ErrorString, ExpatError, ParserCreate

import numpy as np

from fingerpost.formats.graph import DATA, Graph, GraphFileError, Link, links, shown
from fingerpost.golden.topology import Topology
from fingerpost.hdl.lib.text import printable


def identifier(node: object) -> str:
    """Return how a node is called; that of a grid by its coordinates.

    Examples
    --------
    >>> identifier(7), identifier("x"), identifier((0, 2))
    ('7', 'x', '0,2')
    """
    if isinstance(node, tuple | list):
        return ",".join(map(identifier, node))
    return str(node)


def of_networkx(given: Any, where: Path | str) -> Graph:
    """Return what a graph of networkx says, with labels, places and terminals by `DATA`.

    Raises
    ------
    GraphFileError
        If two nodes have one name.
    """
    graph = _graph(given.nodes(data=True), given.edges(), where, directed=given.is_directed())
    graph.parallel = given.is_multigraph()
    return graph


def _graph(
    nodes: Iterable[tuple[object, Mapping[str, Any]]],
    edges: Iterable[tuple[object, ...]],
    where: Path | str,
    *,
    directed: bool,
) -> Graph:
    graph = Graph(where, directed=directed)
    for node, data in nodes:
        name = identifier(node)
        if name in graph.nodes:
            raise graph.refused(f"a node needs a name of its own, and {shown(name)} is that of two")
        graph.nodes[name] = None
        graph.describe(name, data)
    known = set(graph.nodes)
    for edge in edges:
        start, end = map(identifier, edge[:2])
        for node in (start, end):
            if node not in known:
                needs = "an edge needs ends that are nodes of the graph"
                raise graph.refused(f"{needs}, not {shown(node)}")
        graph.join(start, end)
    return graph


def read_gml(path: Path, content: bytes) -> Graph:
    """Return what a GML file says, by networkx.

    Raises
    ------
    GraphFileError
        If it is not GML, or not one graph.
    UnicodeDecodeError
        If it is no text.
    """
    import networkx as nx

    text = content.decode("utf-8-sig").encode("ascii", "xmlcharrefreplace").decode()
    try:
        found = nx.parse_gml(text, label="id")
    except nx.NetworkXError as error:
        what = re.sub(r" at \((\d+), \d+\)$", "", said := str(error).partition("\n")[0])
        place = re.search(r" at \((\d+), \d+\)$", said)
        line = None if place is None else int(place[1])
        raise Graph(path).malformed(f"not GML: {what}", line) from None
    except (AttributeError, LookupError, RecursionError, StopIteration, TypeError, ValueError):
        raise Graph(path).malformed("not GML") from None
    return of_networkx(found, path)


def gml(topology: Topology, name: str) -> str:
    """Return a network as GML, with what `to_networkx` says of nodes and links."""
    import networkx as nx

    graph = to_networkx(topology, name)
    # GML has the keys of nodes for labels.
    graph = nx.relabel_nodes(graph, {node: data.pop("label") for node, data in graph.nodes.items()})
    return "\n".join(nx.generate_gml(graph)) + "\n"


NODE_LINK = 'JSON needs node-link data, {"nodes": [{"id": 0}, ...], "edges": [{"source": 0, ...}]}'


def read_json(path: Path, content: bytes) -> Graph:
    """Return what node-link JSON says, as networkx and D3 write it: links are `edges` or `links`.

    Raises
    ------
    GraphFileError
        If it is not JSON, or none of that.
    UnicodeDecodeError
        If it is no text.
    """
    graph = Graph(path)
    try:
        data = json.loads(content.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise graph.malformed(f"not JSON: {error.msg}", error.lineno) from None
    except (RecursionError, ValueError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise
        raise graph.malformed("not JSON of a graph") from None
    if not isinstance(data, dict):
        raise graph.malformed(f"{NODE_LINK}, not {shown(data)}")
    edges: Any = data.get("edges", data.get("links"))
    for part, keys in ((data.get("nodes"), ("id",)), (edges, ("source", "target"))):
        if not isinstance(part, list):
            raise graph.malformed(f"{NODE_LINK}, not {shown(part)}")
        for item in part:
            if not (isinstance(item, dict) and all(key in item for key in keys)):
                raise graph.malformed(f"{NODE_LINK}, not {shown(item)}")
    found = _graph(
        [(node["id"], node) for node in data["nodes"]],
        [(edge["source"], edge["target"]) for edge in edges],
        path,
        directed=data.get("directed") is True,
    )
    found.parallel = data.get("multigraph") is True
    return found


def node_link(topology: Topology, name: str) -> str:
    """Return a network as node-link JSON, with what `to_networkx` says of nodes and links."""
    graph = to_networkx(topology, name)
    data = {
        "directed": graph.is_directed(),
        "multigraph": graph.is_multigraph(),
        "graph": graph.graph,
        "nodes": [{"id": node, **data} for node, data in graph.nodes(data=True)],
        "edges": [{"source": u, "target": v, **data} for u, v, data in graph.edges(data=True)],
    }
    return json.dumps(data, indent=1) + "\n"


def graphml(topology: Topology, name: str) -> str:
    """Return a network as GraphML, with what `to_networkx` says of nodes and links."""
    import networkx as nx

    written = io.BytesIO()
    nx.write_graphml_xml(to_networkx(topology, name), written, named_key_ids=True)
    return written.getvalue().decode()


def to_networkx(topology: Topology, name: str) -> Any:
    """Return a network as a graph of networkx, of a kind without parallel links if it has none.

    A node has its ``label``, its ``orbit``, and whether it has a ``terminal``, or how many; a link
    the names of its ``port`` at the source and its ``arrival_port`` at the target.
    """
    import networkx as nx

    directed = topology.directed
    graph: Any = nx.MultiDiGraph(name=name) if directed else nx.MultiGraph(name=name)
    several = topology.local_ports > 1
    terminal = topology.terminals_at.astype(np.int64 if several else np.bool_).tolist()
    for node, orbit in enumerate(topology.orbit.tolist()):
        label = printable(topology.name(node))
        graph.add_node(node, label=label, orbit=orbit, terminal=terminal[node])
    for node, port, other, arrival in links(topology):
        if directed or (node, port) < (other, arrival):
            names = {
                "port": topology.port_name(port),
                "arrival_port": topology.port_name(arrival),
            }
            graph.add_edge(node, other, **names)
    simple = nx.DiGraph(graph) if directed else nx.Graph(graph)
    if len(simple.edges) == len(graph.edges):
        graph = simple  # without parallel links, edges need no key
    return graph


SCHEMA = "http://graphml.graphdrawing.org/"
"""The beginning of the namespaces of GraphML; without one it is read, too."""

DIRECTIONS = {"undirected": "false", "directed": "true"}
"""What a graph says of its edges, and what an edge may repeat."""


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
            self.graph.describe(node, data)
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
        if self.key in DATA:
            self.node[self.key] = self.node.get(self.key, "") + text
