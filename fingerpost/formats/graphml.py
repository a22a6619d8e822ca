"""GraphML, read with its lines, also as yEd writes it."""

from pathlib import Path
from xml.parsers.expat import ErrorString, ExpatError, ParserCreate

from fingerpost.formats.graph import DATA, Graph, GraphFileError, Link, shown

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
