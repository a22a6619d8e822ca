"""How many packets a terminal lets pass, where the network file leaves that to the network."""

from dataclasses import dataclass
from math import ceil

import numpy as np

from golden.deadlock.channels import Channels

__all__ = ["ENOUGH", "MOST", "ON_RINGS", "TURNING", "Courteous", "courteous"]

MOST = 63
"""Packets that a head may let pass."""

ENOUGH, ON_RINGS = 3.5, 1.3
"""The fair share of a terminal, so many times, is what a network stands; found by measurement. On
a ring what is let in goes round and comes to stand before the terminals that wait behind it."""

TURNING = 2
"""Packets that a head which turns into a ring lets pass, where terminals are courteous: for those
on the ring it is as what a terminal lets in. With 8 it waits too long: found by measurement."""


@dataclass(frozen=True)
class Courteous:
    """The courtesy of a network's terminals, and what it follows from.

    Where a link is full, a terminal that takes turns gets 1 / `inputs` of it. Its fair share is
    1 / `hops`: so many times each packet crosses a link that some terminal wants, too. Where that
    is much less, what is let in shuts out what has come far, and the network accepts less as more
    is offered. With a courtesy of K a terminal gets no more than about 1 / K of what passes.

    Attributes
    ----------
    packets : int
        That a head of a terminal lets pass: 0 if it takes turns.
    hops : float
        In the mean over all packets, on links that terminals want.
    inputs : float
        From which routes turn to the first link of a packet, that of the terminal with them; in the
        mean over all packets.
    enough : float
        Hops for each input, up to which terminals take turns.
    """

    packets: int
    hops: float
    inputs: float
    enough: float


def courteous(channels: Channels) -> Courteous:
    """Choose the courtesy of a network by its routes.

    Examples
    --------
    >>> from golden.network import build
    >>> ring = {"family": "grid", "sizes": [32], "wrap": True}
    >>> routing = {"algorithm": "dimension-order"}
    >>> ring = build({"name": "ring", "topology": ring, "routing": routing})
    >>> found = courteous(ring.channels)  # a link is for the link before it, and for the terminal
    >>> found.packets, round(found.hops, 2), found.inputs
    (9, 8.26, 2.0)
    """
    topology, orbit, routes = channels.topology, channels.orbit, channels.routes
    degree = topology.degree
    enough = ON_RINGS if (topology.rings >= 0).any() else ENOUGH
    links = (int(orbit.max()) + 1) * degree
    # A route stands for those from all terminals of its orbit: all orbits have as many.
    crossings = []
    for hop in range(routes.ports.shape[1]):
        goes = routes.ports[:, hop] >= 0
        link = orbit[routes.nodes[goes, hop]] * degree + routes.ports[goes, hop]
        crossings.append(np.bincount(link, minlength=links))
    if not crossings or not crossings[0].any():
        return Courteous(0, 0.0, 0.0, enough)
    first = np.unique(orbit, return_index=True)[1]
    turning = channels.taken[first][:, :, :degree].sum(axis=1).ravel()
    own, some = crossings[0], crossings[0] > 0
    hops = float(np.sum(crossings, axis=0)[some].sum() / own.sum())
    inputs = float(own @ turning / own.sum())
    return Courteous(min(MOST, ceil(hops)) if hops > enough * inputs else 0, hops, inputs, enough)
