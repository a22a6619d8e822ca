"""The smallest network: three nodes, each linked to both others, with tables.

Where straps are constants of any value they are those of any node, and of more: a table may then
name a port that is not there.
"""

from fingerpost.golden.routing import Table
from fingerpost.golden.topology import EdgeList

__all__ = ["PORTS", "triangle"]

PORTS = 3
"""Two links and the terminal."""


def triangle() -> Table:
    """Return its routing; a header is two bits, and 3 names no node."""
    return Table(EdgeList(links=[(0, 1), (1, 2), (2, 0)], nodes=3))
