"""What to write into the tables of deflection routers when links have failed."""

from typing import NamedTuple

import numpy as np

from fingerpost.golden.faults import faulty
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.detours import detours
from fingerpost.golden.parameters import ParameterError


class Entry(NamedTuple):
    """An entry to be written: at a node, for a destination, this word."""

    node: int
    destination: int
    value: int


def new_entries(network: DeflectionNetwork, faults: str) -> list[Entry]:
    """Return the entries of tables that differ from those of the network without faults.

    With them a flit that meets no other arrives (`fingerpost.golden.network.detours`).

    The order does not matter: an entry of distance 1 leads to its terminal itself before and
    after, and what the other ones say of a distance is a matter of priority.

    Parameters
    ----------
    network : DeflectionNetwork
    faults : str
        The links that have failed, as `fingerpost.golden.faults.faulty` takes them.

    Raises
    ------
    ParameterError
        If that is no list of faults, or they cut off a terminal, or a flit may find no way past
        them; or routers have no `link_up`.

    Examples
    --------
    >>> from fingerpost.golden.network.deflection import build_deflection
    >>> ring = {"family": "edge-list", "nodes": 3, "links": [(0, 1), (1, 2), (2, 0)]}
    >>> router = {"kind": "deflection", "link_up": True}
    >>> description = {"name": "ring", "topology": ring, "router": router}
    >>> new_entries(build_deflection(description), "link:0-1")[0]
    Entry(node=0, destination=1, value=6)
    """
    if not getattr(network, "link_up", False):
        raise ParameterError(
            "link_up",
            "Tables can be written at deflection routers with link_up: true, not at others",
            section="router",
        )
    topology = network.topology
    left = faulty(topology, faults)
    if len(left.terminals) < len(topology.terminals):
        raise ParameterError(
            "faults", f"Tables need every terminal reached, but {faults} cut some off"
        )
    known, found = detours(topology, left, network.pairings), []
    for node in range(topology.nodes):
        before = network.packed(node, *network.entries(node))
        after = network.packed(node, *network.entries(node, known))
        found += [
            Entry(node, destination, int(after[destination]))
            for destination in np.flatnonzero(before != after).tolist()
        ]
    return found
