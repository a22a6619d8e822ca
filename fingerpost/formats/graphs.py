"""Networks from and for other tools: edge lists, GraphML, BookSim 2."""

import re
import warnings
from collections import Counter
from collections.abc import Iterable
from math import isfinite
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, NamedTuple
from xml.parsers.expat import ErrorString, ExpatError, ParserCreate

import numpy as np

from fingerpost.formats.shown import shown
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.edge_list import EdgeList
from fingerpost.jobs import files

__all__ = [
    "GraphFileError",
    "read",
    "resolve",
    "topology",
    "write",
    "write_anynet",
    "write_graphml",
]

GRAPHML = (".graphml", ".xml")
"""File names that end so are GraphML; all others are plain lists of links."""

ANYNET = ".anynet"
"""The end of the name of a file for BookSim 2."""


NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")
"""Text that is meant as a number."""

NODE = re.compile(r"0|[1-9][0-9]{0,17}")
"""The numbers that nodes can have."""

DIRECTIONS = "directed", "undirected"
"""What a graph of GraphML says of its edges."""

LONGEST = 100
"""Characters of a name: it is part of messages and pictures."""


class GraphFileError(ValueError):
    """A file that is no network, in one line: file, line if there is one, and what it needs."""


class _Link(NamedTuple):
    start: str
    end: str
    where: str
    """File and line."""


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
        and "\0" not in file
        and not PurePosixPath(file).is_absolute()
        and not PureWindowsPath(file).anchor
        and ".." not in parts
        and (directory / file).resolve().is_relative_to(directory)
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

    A plain list has a link in every line, ``u v`` both ways or ``u -> v`` one way, and comments
    behind ``#``. Data of a link in braces, as networkx writes them, are not looked at. Nodes are
    numbers 0..n-1, or names, which are numbered in the order in which they appear. In GraphML nodes
    go by their ``label``, if all of them differ and none is a number, and otherwise by their id;
    if all have ``x`` and ``y``, pictures show them there.

    Raises
    ------
    GraphFileError
        If it cannot be read, or is not such a file; with file and line.
    """
    try:
        return _graphml(path) if path.suffix.lower() in GRAPHML else _plain(path)
    except UnicodeDecodeError:
        raise GraphFileError(f"{path}: not text in UTF-8, so not a list of links") from None
    except OSError as error:
        raise GraphFileError(f"{path}: cannot be read: {error.strerror or error}") from None


def _plain(path: Path) -> dict[str, Any]:
    links: list[_Link] = []
    directed: bool | None = None
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), start=1):
        where = f"{path}:{number}"
        words = _without_data(line).split()
        if not words:
            continue
        one_way = len(words) == 3 and words[1] == "->"
        ends = words[::2] if one_way else words
        if len(ends) != 2 or "->" in ends:
            raise GraphFileError(
                f"{where}: a link needs two nodes, u v or u -> v, not {shown(line)}"
            )
        for node in ends:
            if NUMBER.fullmatch(node) and not NODE.fullmatch(node):
                raise GraphFileError(
                    f"{where}: a node needs a number 0..n-1, or a name with a letter, "
                    f"not {shown(node)}"
                )
        if directed is not None and directed != one_way:
            raise GraphFileError(f"{where}: all links need one form, u v or u -> v, not both")
        directed = one_way
        links.append(_Link(ends[0], ends[1], where))
    if not links:
        raise GraphFileError(f"{path}: a network needs links, one a line, not an empty file")
    return _arguments(path, (), links, bool(directed))


def _without_data(line: str) -> str:
    """Return a line without its comment and without data in braces, which may have a # in them."""
    link, _, comment = line.partition("#")
    before, _, data = link.partition(" {")
    _, closed, after = f"{data}#{comment}".rpartition("}")
    is_data = len(before.split()) > 1 and closed and not after.partition("#")[0].strip()
    return before if is_data else link


def _graphml(path: Path) -> dict[str, Any]:
    _Graphml(path).check()
    import networkx as nx  # it takes longer than all else that `info` does

    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)  # networkx warns of what it leaves out
        try:
            graph = nx.read_graphml(path)
        except (nx.NetworkXException, KeyError, ValueError, UserWarning) as error:
            message = " ".join(str(error).split())
            raise GraphFileError(f"{path}: not GraphML as networkx reads it: {message}") from None
    labels = {node: str(label) for node, label in graph.nodes(data="label", default="")}
    some = set(labels.values()) - {""}
    if len(some) < len(graph) or any(map(str.isdecimal, some)):
        labels = {node: node for node in graph}
    links = [_Link(labels[start], labels[end], str(path)) for start, end in graph.edges()]
    if not links:
        raise GraphFileError(f"{path}: a network needs links, not a graph without edges")
    arguments = _arguments(path, labels.values(), links, graph.is_directed())
    places = {labels[node]: place for node, place in _places(graph).items()}
    order = arguments.get("names", map(str, range(arguments["nodes"])))
    return arguments | ({"places": [places[name] for name in order]} if places else {})


class _Graphml:
    """Reads a file of GraphML for what networkx would take as it comes, and tells no line of.

    That are graphs without a direction, nodes without an id of their own, and edges whose ends are
    no nodes.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.parser = path, ParserCreate(namespace_separator=" ")
        self.parser.StartElementHandler = self._start
        self.nodes: set[str] = set()
        self.ends: list[tuple[str, int]] = []

    def check(self) -> None:
        """Refuse what is not XML, or not GraphML as it is wanted here."""
        try:
            with self.path.open("rb") as file:
                self.parser.ParseFile(file)
        except ExpatError as error:
            raise self._refused(f"not XML: {ErrorString(error.code)}", error.lineno) from None
        for node, line in self.ends:
            if node not in self.nodes:
                needs = "an edge needs ends that are nodes of the graph"
                raise self._refused(f"{needs}, not {shown(node)}", line)

    def _start(self, element: str, given: dict[str, str]) -> None:
        line, kind = self.parser.CurrentLineNumber, element.rpartition(" ")[2]
        if kind == "graph":
            direction = given.get("edgedefault")
            if direction not in DIRECTIONS:
                needs = f"edgedefault: a graph needs {' or '.join(DIRECTIONS)}"
                raise self._refused(f"{needs}, not {shown(direction)}", line)
        elif kind == "node":
            node = self._needed(given, "id", "node")
            if node in self.nodes:
                raise self._refused(f"id: a node needs an id of its own, not {shown(node)}", line)
            self.nodes.add(node)
        elif kind == "edge":
            self.ends += [(self._needed(given, key, "edge"), line) for key in ("source", "target")]

    def _needed(self, given: dict[str, str], key: str, what: str) -> str:
        if key not in given:
            line = self.parser.CurrentLineNumber
            raise self._refused(f"{key}: the key is missing; {what}s need it", line)
        return given[key]

    def _refused(self, message: str, line: int) -> GraphFileError:
        return GraphFileError(f"{self.path}:{line}: {message}")


def _places(graph: Any) -> dict[Any, tuple[float, float]]:
    """Return the coordinates that nodes have as ``x`` and ``y``; none unless all of them do."""
    places = {}
    for node, data in graph.nodes(data=True):
        try:
            places[node] = float(data["x"]), float(data["y"])
        except (KeyError, TypeError, ValueError):
            return {}
    apart = len(set(places.values())) == len(places)
    return places if apart and all(isfinite(c) for at in places.values() for c in at) else {}


def _arguments(
    path: Path, nodes: Iterable[str], links: list[_Link], directed: bool
) -> dict[str, Any]:
    """Return the arguments of `EdgeList`; refuse what can be blamed on a line."""
    names = list(dict.fromkeys([*nodes, *(end for link in links for end in link[:2])]))
    for name in names:
        if len(name) > LONGEST:
            raise GraphFileError(
                f"{path}: a node needs a name of at most {LONGEST} characters, not {shown(name)}"
            )
    numbered = all(map(NODE.fullmatch, names))
    if numbered:
        _check_numbers(path, {int(name) for name in names}, links)
        names = [str(node) for node in range(len(names))]
    number = {name: node for node, name in enumerate(names)}
    seen: dict[frozenset[str] | tuple[str, str], _Link] = {}
    for link in links:
        if link.start == link.end:
            raise GraphFileError(
                f"{link.where}: a link needs two nodes, not one from {link.start} to itself"
            )
        ends = (link.start, link.end) if directed else frozenset(link[:2])
        if ends in seen:
            first = seen[ends].where
            raise GraphFileError(
                f"{link.where}: at most one link can join {link.start} and {link.end}, not two"
                + (f", the other in {first}" if first != link.where else "")
            )
        seen[ends] = link
    arguments = {
        "links": [(number[link.start], number[link.end]) for link in links],
        "nodes": len(names),
        "directed": directed,
    }
    return arguments if numbered else arguments | {"names": names}


def _check_numbers(path: Path, numbers: set[int], links: list[_Link]) -> None:
    """Refuse numbers that are not 0..n-1: on the command line they would be other nodes."""
    if max(numbers) == len(numbers) - 1:
        return
    missing = next(node for node in range(len(numbers)) if node not in numbers)
    highest = str(max(numbers))
    where = next((link.where for link in links if highest in link[:2]), str(path))
    raise GraphFileError(
        f"{where}: node numbers need to be 0..n-1 without gaps; there is {highest} but "
        f"no {missing} (names need a letter)"
    )


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
        label = topology.name(node)
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
