"""The headers to send, and helpers that make them in SystemVerilog, C and Python."""

from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.export.render import render
from fingerpost.hdl.lib.banner import banner
from fingerpost.hdl.lib.ports import identifier

LARGEST = 65_536
"""Entries of a table; where it would have more, headers are made of their fields."""


class Table(NamedTuple):
    """Headers by [row, destination], which are nodes; -1 where there is no terminal.

    With `by_source` the row is the source; else there is one row for all.
    """

    headers: IntArray
    by_source: bool


def header_files(network: AnyNetwork) -> dict[str, str]:
    """Return a SystemVerilog package, a C header and a Python module by names of files.

    They have widths, fields, and the header to send from one node to another.
    """
    name, known = identifier(network.name), table(network)
    values = {
        "name": name,
        "network": network,
        "layout": network.routing.header,
        "banner": banner(network),
        "rows": known.headers.tolist() if known else None,
        "by_source": known is not None and known.by_source,
    }
    kinds = "sv", "h", "py"
    return {f"{name}_header.{kind}": render(f"headers/header.{kind}", **values) for kind in kinds}


def table(network: AnyNetwork) -> Table | None:
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


def _row(network: AnyNetwork, source: int, nodes: int) -> IntArray:
    """Return the headers from one terminal to the nodes up to the last terminal."""
    terminals = network.topology.terminals
    row = np.full(nodes, -1)
    row[terminals] = network.routing.encode(np.full_like(terminals, source), terminals)
    return row
