"""What GraphML must say and networkx does not ask for: ends that are nodes, a direction."""

from pathlib import Path
from typing import NamedTuple
from xml.parsers.expat import ErrorString, ExpatError, ParserCreate

from fingerpost.formats.shown import shown

__all__ = ["GraphmlError", "check"]

DIRECTIONS = "directed", "undirected"


class GraphmlError(ValueError):
    """Text that is not GraphML as it is wanted here.

    Attributes
    ----------
    line : int
        Counted from 1.
    """

    def __init__(self, message: str, line: int) -> None:
        self.line = line
        super().__init__(message)


class _End(NamedTuple):
    node: str
    line: int


class _Reader:
    """Collects nodes and ends of edges with their lines, which expat has and networkx has not."""

    def __init__(self) -> None:
        self.parser = ParserCreate(namespace_separator=" ")
        self.parser.StartElementHandler = self._start
        self.nodes: set[str] = set()
        self.ends: list[_End] = []

    def _start(self, element: str, given: dict[str, str]) -> None:
        line, kind = self.parser.CurrentLineNumber, element.rpartition(" ")[2]
        if kind == "graph":
            direction = given.get("edgedefault")
            if direction not in DIRECTIONS:
                raise GraphmlError(
                    f"edgedefault: a graph needs {' or '.join(DIRECTIONS)}, not {shown(direction)}",
                    line,
                )
        elif kind == "node":
            node = _needed(given, "id", "node", line)
            if node in self.nodes:
                raise GraphmlError(f"id: a node needs an id of its own, not {shown(node)}", line)
            self.nodes.add(node)
        elif kind == "edge":
            ends = (_needed(given, key, "edge", line) for key in ("source", "target"))
            self.ends += (_End(node, line) for node in ends)


def _needed(given: dict[str, str], key: str, what: str, line: int) -> str:
    if key not in given:
        raise GraphmlError(f"{key}: the key is missing; {what}s need it", line)
    return given[key]


def check(path: Path) -> None:
    """Read a file of GraphML for what networkx would take as it comes.

    Raises
    ------
    GraphmlError
        If it is not XML, a graph has no direction, a node no id of its own, or an edge leads to
        what is no node.
    OSError
        If it cannot be read.
    """
    reader = _Reader()
    try:
        with path.open("rb") as file:
            reader.parser.ParseFile(file)
    except ExpatError as error:
        raise GraphmlError(f"not XML: {ErrorString(error.code)}", error.lineno) from None
    for node, line in reader.ends:
        if node not in reader.nodes:
            raise GraphmlError(
                f"an edge needs ends that are nodes of the graph, not {shown(node)}", line
            )
