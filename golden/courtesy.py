"""How many packets heads let pass, where the network file leaves that to the network."""

from dataclasses import dataclass
from math import ceil

import numpy as np

from golden.arrays import BoolArray
from golden.deadlock.channels import Channels
from golden.topology.base import Topology

__all__ = ["LONG", "MOST", "POLITE", "TURNING", "Courteous", "courteous", "into_rings", "turning"]

MOST = 63
"""Packets that a head may let pass."""

POLITE = 2
"""Packets that terminals let pass where links fill before terminals do. With K a terminal gets 1 of
K + 2 packets beside one stream; with 2 that is half of what it would get if they took turns."""

LONG = 3.0
"""The load of the links, where 1 is full, above which to let `POLITE` packets pass is not enough.
Found by measurement, of meshes and SCC."""

TURNING = 2
"""Packets that a head which turns into a ring lets pass, where others stay on the ring that it
leaves: with 8 it keeps them waiting too long. Found by measurement, of tori."""


@dataclass(frozen=True)
class Courteous:
    """The courtesy of a network's terminals, and what it follows from.

    Where a link is full, a terminal that takes turns with the other of c inputs gets 1 / c of it.
    Its fair share is 1 / `hops`: so many times each packet crosses a link that some terminal wants,
    too. Where that is less, what is let in shuts out what has come far, and the network accepts
    less as more is offered. With a courtesy of K a terminal gets about 1 / K of what passes, so
    the hops are enough, and a few help. Where terminals are full before links are, nobody is shut
    out.

    Attributes
    ----------
    packets : int
        That a head of a terminal lets pass: 0 if it takes turns.
    hops : float
        In the mean over all packets, on links that terminals want.
    load : float
        Flits that these links would have to carry in a cycle, in the mean, if every terminal sent
        one in every cycle, to all others alike.
    """

    packets: int
    hops: float
    load: float


def courteous(channels: Channels) -> Courteous:
    """Choose the courtesy of a network by its routes.

    Examples
    --------
    >>> from golden.network import build
    >>> ring = {"family": "grid", "sizes": [32], "wrap": True}
    >>> routing = {"algorithm": "dimension-order"}
    >>> ring = build({"name": "ring", "topology": ring, "routing": routing})
    >>> found = courteous(ring.channels)  # two links for each terminal
    >>> found.packets, round(found.hops, 2), round(found.load, 2)
    (9, 8.26, 4.13)
    """
    topology, orbit, routes = channels.topology, channels.orbit, channels.routes
    degree = topology.degree
    links = (int(orbit.max()) + 1) * degree
    # A route stands for those from all terminals of its orbit: all orbits have as many.
    crossings = []
    for hop in range(routes.ports.shape[1]):
        goes = routes.ports[:, hop] >= 0
        link = orbit[routes.nodes[goes, hop]] * degree + routes.ports[goes, hop]
        crossings.append(np.bincount(link, minlength=links))
    if not crossings or not crossings[0].any():
        return Courteous(0, 0.0, 0.0)
    some = crossings[0] > 0
    hops = float(np.sum(crossings, axis=0)[some].sum() / crossings[0].sum())
    terminals = len(np.unique(orbit[topology.terminals]))
    load = hops * terminals / int(some.sum())
    # On a ring what is let in goes round, and comes to stand before those that wait behind it.
    long = load > LONG or (topology.rings >= 0).any()
    packets = 0 if load <= 1 else min(MOST, ceil(hops)) if long else POLITE
    return Courteous(packets, hops, load)


def into_rings(topology: Topology) -> BoolArray:
    """Return whether a packet turns into a ring, by port of arrival and output port, of links."""
    rings = topology.rings
    into: BoolArray = (rings >= 0) & (rings != rings[:, None])
    return into


def turning(channels: Channels, courtesy: int) -> int:
    """Choose how many packets a head that turns into a ring lets pass; `courtesy` is a terminal's.

    To those on the ring it is as what a terminal lets in, and it can wait as long, unless it keeps
    others waiting behind it that stay on the ring that it leaves. Where rings have one direction it
    then takes turns: found by measurement, of double loops.
    """
    topology = channels.topology
    rings, degree = topology.rings, topology.degree
    used = channels.used_turns[:, :degree, :degree].any(axis=0)
    turns = (into_rings(topology) & used).any(axis=1)
    if not courtesy or not turns.any():
        return 0
    stays = ((rings == rings[:, None]) & used).any(axis=1)
    if not (turns & stays).any():
        return courtesy
    return TURNING if (np.bincount(rings[rings >= 0]) > 1).any() else 0
