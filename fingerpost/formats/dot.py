"""Graphviz DOT: nodes and edges with chains, groups and subgraphs; other attributes are skipped."""

import re
from itertools import pairwise, product
from pathlib import Path
from typing import NamedTuple

from fingerpost.formats.graph import Graph, GraphFileError, joined, shown
from fingerpost.golden.topology import Topology
from fingerpost.hdl.lib.text import printable

TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/|^\#[^\n]*)
    |(?P<quoted>"(?:[^"\\]|\\.)*")
    |(?P<html><(?:[^<>]|<[^<>]*>)*>)
    |(?P<mark>--|->|[{}\[\];,=:])
    |(?P<id>[^\W\d][\w]*|-?(?:\.\d+|\d+(?:\.\d*)?))""",
    re.X | re.S | re.M,
)

EDGES = {"graph": "--", "digraph": "->"}
"""What joins the nodes of an edge."""

FIELDS = re.compile(r"\\[NGETHL]")
"""What stands in labels for the name of a node or of the graph."""


class Token(NamedTuple):
    """A word or mark, and its line."""

    text: str
    line: int
    kind: str


def read_dot(path: Path, content: bytes) -> Graph:
    """Return what a DOT file says: its nodes and edges, `label`, `pos` and `terminal` of nodes.

    Raises
    ------
    GraphFileError
        If it is not DOT, or not one graph.
    UnicodeDecodeError
        If it is no text.
    """
    return _Reader(Graph(path), content.decode("utf-8-sig")).read()


class _Reader:
    def __init__(self, graph: Graph, text: str) -> None:
        self.graph, self.strict, self.seen = graph, False, set[frozenset[str] | tuple[str, str]]()
        self.tokens, self.place = list[Token](), 0
        at, line = 0, 1
        while at < len(text):
            found = TOKEN.match(text, at)
            if found is None:
                raise graph.malformed(f"not DOT: {shown(text[at : at + 20])}", line)
            kind = str(found.lastgroup)
            if kind != "skip":
                self.tokens.append(Token(found[0], line, kind))
            at, line = found.end(), line + found[0].count("\n")
        self.tokens.append(Token("", line, "end"))

    @property
    def _next(self) -> Token:
        return self.tokens[self.place]

    def _word(self) -> str:
        """Return the next token in lower case if it is a bare word or a mark, and no name."""
        return "" if self._next.kind in ("quoted", "html") else self._next.text.lower()

    def _take(self, *words: str) -> str:
        """Take the next token if it is one of some words, and return it."""
        word = self._word()
        if word not in words:
            return ""
        self.place += 1
        return word

    def _needs(self, *words: str) -> None:
        if not self._take(*words):
            raise self._malformed(" or ".join(words))

    def _malformed(self, needs: str) -> GraphFileError:
        found = shown(self._next.text) if self._next.text else "the end of the file"
        return self.graph.malformed(f"DOT needs {needs}, not {found}", self._next.line)

    def _name(self, what: str = "a name") -> str:
        token = self._next
        if token.kind not in ("id", "quoted", "html"):
            raise self._malformed(what)
        self.place += 1
        return (
            token.text if token.kind != "quoted" else re.sub(r'\\(["\n])', r"\1", token.text[1:-1])
        )

    def read(self) -> Graph:
        self.strict = bool(self._take("strict"))
        kind = self._take(*EDGES)
        if not kind:
            raise self._malformed("graph or digraph")
        self.edge, self.graph.directed = EDGES[kind], kind == "digraph"
        if self._word() != "{":
            self._name()
        self._group()
        if self._next.text:
            raise self._malformed("one graph")
        return self.graph

    def _group(self) -> dict[str, None]:
        """Read statements in braces, and return their nodes."""
        nodes: dict[str, None] = {}
        self._needs("{")
        while not self._take("}"):
            if not self._take(";"):
                nodes |= self._statement()
        return nodes

    def _statement(self) -> dict[str, None]:
        if self._word() in ("graph", "node", "edge"):
            self.place += 1
            self._attributes()
            return {}
        if self._next.kind != "end" and self.tokens[self.place + 1].text == "=":
            self._assignment()
            return {}
        line, ends = self._next.line, [self._end()]
        while self._word() in EDGES.values():
            self._needs(self.edge)
            ends.append(self._end())
        data = self._attributes()
        if len(ends) == 1 and data:
            self._describe(next(iter(ends[0])), data)
        for one, other in pairwise(ends):
            for start, end in product(one, other):
                pair = (start, end) if self.graph.directed else frozenset((start, end))
                if not (self.strict and pair in self.seen):
                    self.graph.join(start, end, line)
                self.seen.add(pair)
        return {node: None for end in ends for node in end}

    def _end(self) -> dict[str, None]:
        """Read a node, or nodes in braces: an end of edges."""
        if self._word() == "subgraph":
            self.place += 1
            if self._word() != "{":
                self._name()
        if self._word() == "{":
            return self._group()
        line, name = self._next.line, self._name("a node")
        while self._take(":"):  # where at the node a line ends
            self._name()
        self.graph.nodes.setdefault(name, line)
        return {name: None}

    def _attributes(self) -> dict[str, str]:
        data: dict[str, str] = {}
        while self._take("["):
            while not self._take("]"):
                data |= self._assignment()
                self._take(";", ",")
        return data

    def _assignment(self) -> dict[str, str]:
        key = self._name("an attribute")
        self._needs("=")
        return {key: self._name("a value")}

    def _describe(self, node: str, data: dict[str, str]) -> None:
        """Take what is said of a node."""
        label = data.get("label", "")
        place = dict(zip("xy", data.get("pos", "").rstrip("!").split(","), strict=False))
        label = "" if FIELDS.search(label) else re.sub(r"\\[nlr]", " ", label)
        self.graph.describe(node, place | data | {"label": label.replace("\\\\", "\\")})


def dot(topology: Topology, name: str) -> str:
    """Return a network as DOT, with names as labels.

    Raises
    ------
    ValueError
        If it has parallel links.
    """
    found = joined(topology, "DOT", directed=True)
    kind = "digraph" if found.directed else "graph"
    terminals = topology.terminals_at.tolist()
    lines = [f'{kind} "{name}" {{']
    for node in range(topology.nodes):
        label = printable(topology.name(node)).replace("\\", "\\\\").replace('"', '\\"')
        count = "" if terminals[node] == 1 else f", terminal={terminals[node] or 'false'}"
        lines.append(f'  {node} [label="{label}"{count}];')
    lines += [f"  {start} {EDGES[kind]} {end};" for start, end in found.links]
    return "\n".join([*lines, "}", ""])
