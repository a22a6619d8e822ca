"""Lists of links, a line each: plain, as CSV, as adjacency lists, and as BookSim 2 reads them."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from fingerpost.formats.graph import LONGEST, NODE, NUMBER, Graph, Joined, joined, links, shown
from fingerpost.golden.topology import Topology

MARKS = "_.:/+@~-"
"""Beside letters and digits, the ASCII characters that names may have."""

NAME = r"[^\s!-/:-@\[-^`{-~](?:[^\s!-*,;-?\[-^`{|}]*[^\s!-/:-@\[-^`{-~])?"
"""A name: letters and digits at its ends, other characters than separators and brackets within."""

LINE = re.compile(
    rf"({NAME})(?:\s*(->|,)\s*|\s+)({NAME})"
    r"(?:(?:\s*,\s*|\s+)\{.*\}\s*(?:#.*)?|\s+#.*)?"
)
"""A link; data in braces, as networkx writes them; a comment."""

NAMES = f"names have letters, digits and {MARKS}, comments a #"
"""What plain lists and adjacency lists need beside their form."""


def _lines(content: bytes) -> Iterator[tuple[int, str]]:
    """Yield the lines that are neither empty nor a comment, with their numbers.

    Raises
    ------
    UnicodeDecodeError
        If it is no text.
    """
    text = content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            yield number, stripped


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
    for number, text in _lines(content):
        found = LINE.fullmatch(text)
        if found is None:
            raise graph.malformed(
                f"a link needs two nodes, u v or u -> v, not {shown(text)}; {NAMES}", number
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


def edge_list(topology: Topology, name: str) -> str:
    """Return a network as an edge list, with ``->`` if links go one way.

    Raises
    ------
    ValueError
        If it has parallel links, or nodes without a terminal.
    """
    found = _plain(topology, "An edge list", NAME)
    join = " -> " if found.directed else " "
    return "".join(f"{start}{join}{end}\n" for start, end in found.links)


def read_adjacency_list(path: Path, content: bytes) -> Graph:
    """Return what an adjacency list says: a line has a node and those to which links lead.

    Links go both ways, and may stand with one of their nodes or with both. A colon may follow the
    first node, and a comment ``#``.

    Raises
    ------
    GraphFileError
        If a line has other things than names.
    UnicodeDecodeError
        If it is no text.
    """
    graph, seen = Graph(path), set[frozenset[str]]()
    for number, text in _lines(content):
        first, *others = text.partition(" #")[0].split()
        words = [first.removesuffix(":"), *others]
        for word in words:
            if not re.fullmatch(NAME, word):
                raise graph.malformed(
                    f"a line needs a node and its neighbours, u v w, not {shown(word)}; {NAMES}",
                    number,
                )
        graph.nodes.setdefault(words[0], number)
        for other in words[1:]:
            ends = frozenset((words[0], other))
            if ends not in seen:
                seen.add(ends)
                graph.join(words[0], other, number)
    return graph


def adjacency_list(topology: Topology, name: str) -> str:
    """Return a network as an adjacency list, each link with the first of its nodes.

    Raises
    ------
    ValueError
        If it has one-way or parallel links, or nodes without a terminal.
    """
    found = _plain(topology, "An adjacency list", NAME, directed=False)
    rows: dict[str, list[str]] = {}
    for start, end in found.links:
        rows.setdefault(start, [start]).append(end)
    return "".join(f"{' '.join(row)}\n" for row in rows.values())


HEADS = ("source", "target"), ("from", "to"), ("src", "dst"), ("start", "end"), ("node1", "node2")
"""What the columns of the two nodes may be called, in any case."""

WAYS = {"undirected", "directed"}
"""What Gephi says of every link in a column ``type``."""

SEPARATORS = ",;\t"


def read_csv(path: Path, content: bytes) -> Graph:
    """Return what a CSV file says: a row has two nodes, and perhaps a weight.

    With a line of heads nodes are in the columns of `HEADS`, and a column ``type`` may say, in all
    rows, ``Directed``. Weights and other columns are not looked at. Columns are separated by the
    first comma, semicolon or tab.

    Raises
    ------
    GraphFileError
        If a row is no link.
    UnicodeDecodeError
        If it is no text.
    """
    graph = Graph(path)
    rows = list(csv_rows(graph, content.decode("utf-8-sig")))
    heads = [cell.lower() for cell in rows[0][1]] if rows else []
    pair = next((pair for pair in HEADS if {*pair} <= {*heads}), ("", ""))
    columns = [heads.index(each) for each in pair] if pair[0] else [0, 1]
    ends = [[row[column] for column in columns if column < len(row)] for _, row in rows]
    if pair[0] and all({*pair}.isdisjoint(map(str.lower, both)) for both in ends[1:]):
        rows, ends = rows[1:], ends[1:]
    else:
        heads = []
    ways: dict[str, int] = {}
    for (number, row), both in zip(rows, ends, strict=True):
        weight = row[2] if len(row) > 2 and not heads else ""
        if len(both) < 2 or "" in both or (weight and not NUMBER.fullmatch(weight)):
            raise graph.malformed(
                "a row needs two nodes, and perhaps a weight; heads need to be source and target; "
                f"not {shown(','.join(row))}",
                number,
            )
        graph.join(both[0], both[1], number)
        if "type" in heads:
            way = row[heads.index("type")] if len(row) > heads.index("type") else ""
            ways.setdefault(way.lower(), number)
    if ways.keys() <= WAYS:
        if len(ways) > 1:
            raise graph.refused(
                "type: all links need to be directed, or all undirected", max(ways.values())
            )
        graph.directed = "directed" in ways
    return graph


def csv_rows(graph: Graph, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV file that are neither empty nor a comment, with their numbers.

    Raises
    ------
    GraphFileError
        If it is not CSV.
    """
    lines = map(str.strip, text.splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    separator = next((char for char in first if char in SEPARATORS), ",")
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True, strict=True
    )
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells) and not cells[0].startswith("#"):
                yield reader.line_num, cells
    except csv.Error as error:
        raise graph.malformed(f"not CSV: {error}", reader.line_num) from None


def to_csv(topology: Topology, name: str) -> str:
    """Return a network as CSV with heads; if links go one way, with a column ``type``, as Gephi.

    Raises
    ------
    ValueError
        If it has parallel links, or nodes without a terminal.
    """
    found = _plain(topology, "CSV", r"[^#].*")
    heads, more = (("source", "target", "type"), ["Directed"]) if found.directed else (HEADS[0], [])
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows([start, end, *more] for start, end in found.links)
    return text.getvalue()


def _plain(topology: Topology, what: str, form: str, *, directed: bool = True) -> Joined:
    """Return the links by the names of nodes; by numbers, if a name does not have the form.

    Raises
    ------
    ValueError
        If some node has not one terminal, or it has links that lists cannot tell.
    """
    others = np.flatnonzero(topology.terminals_at != 1)
    if len(others):
        count = int(topology.terminals_at[others[0]])
        raise ValueError(
            f"{what} needs one terminal at every node, and {topology.name(int(others[0]))} has "
            f"{count or 'none'}; export to .graphml, .gml, .json or .anynet"
        )
    found = joined(topology, what, directed=directed)
    names = [topology.name(node) for node in range(topology.nodes)]
    fit = all(re.fullmatch(form, each) and len(each) <= LONGEST for each in names)
    if not fit or any(map(NUMBER.fullmatch, names)):
        return found
    return Joined(
        [(names[int(start)], names[int(end)]) for start, end in found.links], found.directed
    )


ANYNET_NEEDS = "a line needs routers and nodes, as in router 0 node 0 router 1 router 2"


def read_anynet(path: Path, content: bytes) -> Graph:
    """Return what a file of BookSim 2's `anynet` says.

    A line has a router, or a node, and what it is linked to, each with a latency or without. Links
    of routers go both ways, and may stand with one or with both. Routers are the nodes of the
    network; those with a node of BookSim have a terminal. Latencies are not looked at.

    Raises
    ------
    GraphFileError
        If a line is none of that, or a router has several nodes.
    UnicodeDecodeError
        If it is no text.
    """
    graph, seen = Graph(path), set[frozenset[str]]()
    router_of: dict[str, str] = {}
    for number, text in _lines(content):
        (kind, head), *rest = _items(graph, text, number)
        for what, other in rest:
            if (kind, what) == ("node", "node"):
                raise graph.malformed(f"a node needs a router, not node {other}", number)
            if (kind, what) == ("router", "router"):
                ends = frozenset((head, other))
                if ends not in seen:
                    seen.add(ends)
                    graph.join(head, other, number)
                continue
            router, node = (head, other) if kind == "router" else (other, head)
            graph.nodes.setdefault(router, number)
            if router_of.setdefault(node, router) != router:
                raise graph.refused(
                    f"node {node} needs one router, not {router_of[node]} and {router}", number
                )
    count = Counter(router_of.values())
    graph.terminals = {router: count[router] for router in graph.nodes}
    return graph


def _items(graph: Graph, text: str, line: int) -> list[tuple[str, str]]:
    """Return the routers and nodes of a line, by kind and number."""
    found: list[tuple[str, str]] = []
    words = text.split()
    while words:
        kind, number = words[0], words[1] if len(words) > 1 else ""
        if kind not in ("router", "node") or not NODE.fullmatch(number):
            said = shown(" ".join(words[:2]))
            raise graph.malformed(f"{ANYNET_NEEDS}, not {said}", line)
        found.append((kind, number))
        weighted = len(found) > 1 and len(words) > 2 and NODE.fullmatch(words[2])
        words = words[3 if weighted else 2 :]
    if len(found) < 2:
        raise graph.malformed(f"{ANYNET_NEEDS}, not {shown(text)}", line)
    return found


def anynet(topology: Topology, name: str) -> str:
    """Return a network as BookSim 2's `anynet` reads it.

    A line ``router r node t router s ...`` for each router. BookSim numbers its nodes, which are
    the terminals, from 0 without gaps; links take a cycle unless a number after them says more.

    Raises
    ------
    ValueError
        If it has links that BookSim cannot tell: one-way links, to each of which it would add the
        way back, or parallel links, of which it would keep one.
    """
    joined(topology, "Anynet", directed=False)
    rows = [f"router {node}" for node in range(topology.nodes)]
    for number, terminal in enumerate(topology.terminals.tolist()):
        rows[terminal // topology.local_ports] += f" node {number}"
    for start, _, end, _ in links(topology):
        rows[start] += f" router {end}"
    return "\n".join(rows) + "\n"
