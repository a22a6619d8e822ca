"""The links of a network, for what writes it in the formats of other tools."""

from collections import Counter
from typing import NamedTuple

import numpy as np

from fingerpost.golden.topology import Topology


class Joined(NamedTuple):
    """Links by what their nodes are called, each once."""

    links: list[tuple[str, str]]
    directed: bool


def links(topology: Topology) -> list[tuple[int, int, int, int]]:
    """Return every link as (node, port, neighbour, port of arrival)."""
    node, port = np.nonzero(topology.neighbour >= 0)
    other, arrival = topology.neighbour[node, port], topology.arrival_port[node, port]
    return list(zip(*(x.tolist() for x in (node, port, other, arrival)), strict=True))


def joined(topology: Topology, what: str, *, directed: bool) -> Joined:
    """Return the links by the numbers of their nodes; those that go both ways once.

    Parameters
    ----------
    what : str
        The format, for messages.
    directed : bool
        Whether it can have links of one direction.

    Raises
    ------
    ValueError
        If two links are parallel, or one goes one way and the format has none that do.
    """
    ways = Counter((node, other) for node, _, other, _ in links(topology))
    one_way = False
    for (start, end), times in ways.items():
        which = f"from {topology.name(start)} to {topology.name(end)}"
        if (end, start) not in ways:
            one_way = True
            if not directed:
                raise ValueError(f"{what} needs links that go both ways, not one {which} alone")
        if times > 1:
            raise ValueError(f"{what} needs at most one link between two routers, not two {which}")
    return Joined(
        [(str(start), str(end)) for start, end in ways if one_way or start < end], one_way
    )
