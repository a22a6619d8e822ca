"""Edge lists: text with a link in every line."""

import re
from pathlib import Path

from fingerpost.formats.graph import Graph, shown

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


def read(path: Path, content: bytes) -> Graph:
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
