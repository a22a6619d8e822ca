"""Routes of one's own: a table as CSV, or a function in Python."""

from collections.abc import Callable
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from fingerpost.formats.graph import Graph, shown
from fingerpost.formats.graphs import opened
from fingerpost.formats.lists import csv_rows
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.topology import Topology

NEEDED = ({"node", "destination", "port"}, {"node", "destination", "next"})

OPTIONAL = {"source", "channel"}

COLUMNS = "needs a head line of node, destination, and port or next, perhaps source and channel"

MOST_CHANNEL = 15
"""The highest virtual channel."""


def read(path: Path, topology: Topology) -> list[list[int]]:
    """Return the rows of a table as ``routes`` of `Table` or `SourceTable`.

    Heads are `NEEDED`, and perhaps `OPTIONAL`; a channel needs a source. Nodes and ports go by
    number or name, ``next`` is the node to which the lowest of several links leads. Rows of a node
    for itself are not looked at.

    Raises
    ------
    GraphFileError
        If it cannot be read, or a row is wrong; with file and line.
    """
    graph = Graph(path)
    with opened(path, "CSV") as content:
        lines = list(csv_rows(graph, content.decode("utf-8-sig")))
    heads = [cell.lower() for cell in lines[0][1]] if lines else []
    given = set(heads) - OPTIONAL
    if given not in NEEDED or len(heads) != len(set(heads)):
        raise graph.refused(f"a table of routes {COLUMNS}, not {shown(','.join(heads))}", 1)
    if "channel" in heads and "source" not in heads:
        raise graph.refused("a channel needs a source: a column source, too", 1)
    rows: dict[tuple[int, ...], int] = {}
    found = []
    for line, cells in lines[1:]:
        try:
            row = _row(topology, dict(zip(heads, cells, strict=True)))
        except ValueError as error:
            said = f"a row needs {len(heads)} cells, not {len(cells)}"
            raise graph.refused(said if len(cells) != len(heads) else str(error), line) from None
        if row:
            key = (*row[:2], *row[3:4])
            if key in rows:
                raise graph.refused(
                    f"a table needs one row for these nodes: see line {rows[key]}", line
                )
            rows[key] = line
            found.append(row)
    return found


def _row(topology: Topology, cells: dict[str, str]) -> list[int]:
    """Return node, destination, port, and source and channel if they are there; or nothing."""
    node, destination = topology.node(cells["node"]), topology.node(cells["destination"])
    if node == destination:
        return []
    if "port" in cells:
        port = _port(topology, node, cells["port"])
    else:
        port = towards(topology, node, topology.node(cells["next"]))
    row = [node, destination, port]
    if "source" in cells:
        row.append(topology.node(cells["source"]))
    if "channel" in cells:
        channel = cells["channel"]
        if not (channel.isdecimal() and int(channel) <= MOST_CHANNEL):
            raise ValueError(f"a channel needs a number in 0..{MOST_CHANNEL}, not {shown(channel)}")
        row.append(int(channel))
    return row


def _port(topology: Topology, node: int, text: str) -> int:
    names = {**{str(port): port for port in range(topology.degree)}}
    names |= {name: port for port, name in enumerate(topology.port_names)}
    port = names.get(text, -1)
    if port < 0 or topology.neighbour[node, port] < 0:
        some = [
            topology.port_name(p)
            for p in range(topology.degree)
            if topology.neighbour[node, p] >= 0
        ]
        raise ValueError(
            f"a port of node {topology.name(node)} needs to be {', '.join(some)} or its number, "
            f"not {shown(text)}"
        )
    return port


def towards(topology: Topology, node: int, following: int) -> int:
    """Return the lowest port of a node that leads to another.

    Raises
    ------
    ValueError
        If there is none.
    """
    ports = (topology.neighbour[node] == following).nonzero()[0]
    if not len(ports):
        beside = topology.neighbour[node][topology.neighbour[node] >= 0].tolist()
        raise ValueError(
            f"the node after {topology.name(node)} needs to be one to which it has a link, "
            f"{', '.join(map(topology.name, beside))}, not {topology.name(following)}"
        )
    return int(ports[0])


Own = Callable[..., Any]
"""Returns the next node, as its number or name, for the numbers of a node and a destination; or for
those of a node, a destination and a source."""


def takes_source(own: Own) -> bool:
    """Return whether routes depend on the source: whether a function needs three arguments.

    Raises
    ------
    ValueError
        If it takes neither two nor three.
    """
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    some = [
        each
        for each in signature(own).parameters.values()
        if each.kind in kinds and each.default is Parameter.empty
    ]
    if len(some) not in (2, 3):
        raise ValueError(
            "a function of routes needs two arguments, node and destination, or three, node, "
            f"destination and source, not {len(some)}"
        )
    return len(some) == 3


def called(own: Own, topology: Topology) -> list[list[int]]:
    """Return what a function says of all nodes and destinations, as `read` does.

    With sources, it is asked about the nodes on the way from each.

    Raises
    ------
    ParameterError
        If it gives no node, or one to which no link leads.
    """
    terminals, rows = topology.terminal_nodes.tolist(), list[list[int]]()

    def port(node: int, *more: int) -> int:
        following = own(node, *more)
        try:
            return towards(topology, node, topology.node(str(following)))
        except ValueError as error:
            names = " to ".join(map(topology.name, (node, more[0])))
            message = f"The function gives {shown(following)} for {names}: {error}"
            raise ParameterError("routes", message, section="routing") from None

    if not takes_source(own):
        pairs = ((node, end) for end in terminals for node in range(topology.nodes) if node != end)
        return [[node, end, port(node, end)] for node, end in pairs if node not in topology.lost]
    for start in terminals:
        for end in terminals:
            node, seen = start, set[int]()
            while node not in {end} | seen:
                seen.add(node)
                rows.append([node, end, port(node, end, start), start])
                node = int(topology.neighbour[node, rows[-1][2]])
    return rows
