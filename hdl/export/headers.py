"""The headers to send as a table, for the helpers in every language."""

from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.network.network import Network

__all__ = ["LARGEST", "Table", "table"]

LARGEST = 65_536
"""Entries of a table; where it would have more, headers are made of their fields."""


class Table(NamedTuple):
    """Headers by [row, destination], which are nodes; -1 where there is no terminal.

    `by_source` tells whether the row is the source, or there is one row for all.
    """

    headers: IntArray
    by_source: bool

    def flat(self) -> list[int]:
        """Return row after row."""
        listed: list[int] = self.headers.ravel().tolist()
        return listed


def table(network: Network) -> Table | None:
    """Return the headers to send, if they are few enough to be listed."""
    terminals = network.topology.terminals
    nodes = int(terminals.max()) + 1
    if nodes > LARGEST:
        return None
    first = _row(network, int(terminals[0]), nodes)
    sources = terminals if len(terminals) <= 256 else terminals[:64]
    rows = {int(source): _row(network, int(source), nodes) for source in sources}
    if all(np.array_equal(row, first) for row in rows.values()):
        return Table(first[None], by_source=False)
    if nodes**2 > LARGEST:
        return None
    headers = np.full((nodes, nodes), -1)
    for source, row in rows.items():
        headers[source] = row
    return Table(headers, by_source=True)


def _row(network: Network, source: int, nodes: int) -> IntArray:
    """Return the headers from one terminal to the nodes up to the last terminal."""
    terminals = network.topology.terminals
    row = np.full(nodes, -1)
    row[terminals] = network.routing.encode(np.full_like(terminals, source), terminals)
    return row
