"""Bypass limits where the network file leaves them to the network."""

from dataclasses import dataclass
from math import ceil

import numpy as np

from fingerpost.golden.arrays import BoolArray, distinct
from fingerpost.golden.deadlock.channels import Channels
from fingerpost.golden.topology.base import Topology

MAX_BYPASS = 63
"""The largest bypass limit."""

SHORT_LIMIT = 2
"""Limit of terminals where links saturate before terminals do. With K a terminal gets 1 of K + 2
packets beside one stream; with 2 that is half of what it would get without a limit."""

LONG_LOAD = 3.0
"""The load of the links, where 1 is full, above which `SHORT_LIMIT` is not enough. Found by
measurement, of meshes and SCC."""

TURN_LIMIT = 2
"""Limit of heads that turn into a ring, where others stay on the ring that they leave: with 8 these
wait too long. Found by measurement, of tori."""


@dataclass(frozen=True)
class TerminalBypass:
    """The bypass limit of a network's terminals, and what it follows from.

    Where a link is full, a terminal that alternates with the other of c inputs gets 1 / c of it.
    Its fair share is 1 / `hops`: so many times each packet crosses a link that some terminal
    requests too. Where that is less, packets that enter starve packets that have come far, and the
    network accepts less as more is offered. With a limit of K a terminal gets about 1 / K of what
    passes, so the hops are enough, and a few help. Where terminals saturate before links, nothing
    starves.

    Attributes
    ----------
    limit : int
        The packets that may pass a head from a terminal; 0: terminals do not yield.
    hops : float
        In the mean over all packets, on links that terminals request.
    load : float
        Flits that these links would have to carry in a cycle, in the mean, if every terminal sent
        one in every cycle, to all others alike.
    """

    limit: int
    hops: float
    load: float


def terminal_bypass(channels: Channels) -> TerminalBypass:
    """Choose the bypass limit of terminals by the routes of the network.

    Examples
    --------
    >>> from fingerpost.golden.network.network import build
    >>> ring = {"family": "grid", "sizes": [32], "wrap": True}
    >>> routing = {"algorithm": "dimension-order"}
    >>> ring = build({"name": "ring", "topology": ring, "routing": routing})
    >>> found = terminal_bypass(ring.channels)  # two links for each terminal
    >>> found.limit, round(found.hops, 2), round(found.load, 2)
    (9, 8.26, 4.13)
    """
    topology, crossings = channels.topology, channels.crossings
    some = crossings.first > 0
    if not some.any():
        return TerminalBypass(0, 0.0, 0.0)
    # A route stands for those from all terminals of its orbit: all orbits have as many.
    hops = float(crossings.every[some].sum() / crossings.first.sum())
    terminals = len(distinct(channels.orbit[topology.terminals]))
    load = hops * terminals / int(some.sum())
    # On a ring a packet that enters goes round, and blocks those behind it.
    long = load > LONG_LOAD or (topology.rings >= 0).any()
    limit = 0 if load <= 1 else min(MAX_BYPASS, ceil(hops)) if long else SHORT_LIMIT
    return TerminalBypass(limit, hops, load)


def into_rings(topology: Topology) -> BoolArray:
    """Return whether a packet turns into a ring, by port of arrival and output port, of links."""
    rings = topology.rings
    into: BoolArray = (rings >= 0) & (rings != rings[:, None])
    return into


def turn_bypass_limit(channels: Channels, limit: int) -> int:
    """Choose the bypass limit of heads that turn into a ring; `limit` is that of terminals.

    To packets on the ring such a head is like one from a terminal. It can wait as long, unless
    packets behind it stay on the ring that it leaves. If rings have one direction the limit is
    then 0, by measurement of double loops.
    """
    topology = channels.topology
    rings, degree = topology.rings, topology.degree
    used = channels.used_turns[:, :degree, :degree].any(axis=0)
    turns = (into_rings(topology) & used).any(axis=1)
    if not limit or not turns.any():
        return 0
    stays = ((rings == rings[:, None]) & used).any(axis=1)
    if not (turns & stays).any():
        return limit
    return TURN_LIMIT if (np.bincount(rings[rings >= 0]) > 1).any() else 0
