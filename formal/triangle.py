"""The smallest network: three nodes, each linked to both others, with tables.

Where straps are constants of any value they are those of any node, and of more: a table may then
name a port that is not there.
"""

from fingerpost.golden.routing import Table
from fingerpost.golden.topology import EdgeList
from fingerpost.hdl.router.input_port import InputPort

__all__ = ["PORTS", "triangle", "triangle_input"]

PORTS = 3
"""Two links and the terminal."""


def triangle() -> Table:
    """Return its routing; a header is two bits, and 3 names no node."""
    return Table(EdgeList(links=[(0, 1), (1, 2), (2, 0)], nodes=3))


def triangle_input(
    port: int = 0, *, channels: int, depth: int, register: bool = False
) -> InputPort:
    """Return an input port of a node, with flits of one bit behind the header."""
    routing = triangle()
    return InputPort(
        routing,
        port=port,
        outputs=tuple(range(PORTS)),
        channels=channels,
        depth=depth,
        flit_width=routing.header.width + 1,
        register=register,
    )
