"""Parameters of the router at every node: flit width, buffers and virtual channels.

The bypass limits that a network file leaves to the network are found here.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from math import ceil
from typing import Annotated, Any, Literal

import numpy as np

from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.deadlock.channels import Channels
from fingerpost.golden.link import Link, link
from fingerpost.golden.parameters import (
    Parameter,
    ParameterError,
    check_choices,
    check_limits,
    section,
)
from fingerpost.golden.router.pipeline import Pipeline
from fingerpost.golden.topology.base import Topology

MAX_CHANNELS = 16
"""Virtual channels of a link."""

DEPTH, MAX_DEPTH = 8, 64
"""Flits that a channel of an input holds: by default, and at most."""

MAX_BYPASS = 63
"""The largest bypass limit."""


@dataclass(frozen=True, kw_only=True)
class RouterParameters:
    """The parameters of the router at every node: what stands under ``router`` in a network file.

    Raises
    ------
    ParameterError
        If a number is beyond its limits.
    """

    flit_width: Annotated[
        int,
        Parameter("Bits of data in a flit; a header must fit into one.", minimum=1, maximum=1024),
    ] = 32
    buffer_depth: Annotated[
        Literal["auto"] | int,
        Parameter(
            "Flits that each channel of each input can hold. auto: as many as one flit a cycle "
            "needs on the longest link, but at least 8 and at most 64.",
            f"auto or a whole number in 1..{MAX_DEPTH}",
            minimum=1,
            maximum=MAX_DEPTH,
        ),
    ] = DEPTH
    virtual_channels: Annotated[
        Literal["auto"] | int,
        Parameter(
            "Virtual channels of every link, for each message class; auto: as many as are proven "
            "to be enough. More of them are lanes beside these.",
            "auto or a whole number in 1..16",
            minimum=1,
            maximum=MAX_CHANNELS,
        ),
    ] = "auto"
    classes: Annotated[
        int,
        Parameter(
            "Message classes: each has virtual_channels of its own on every link, and its own "
            "credits at the terminals, so that packets of one class never wait for packets of "
            "another.",
            minimum=1,
            maximum=4,
        ),
    ] = 1
    service: Annotated[
        Literal["bounded", "local"],
        Parameter(
            "bounded: a head flit waits for a bounded number of packets at each output, and "
            "accepted load holds beyond saturation. local: a smaller and faster router without "
            "batches and bypass limits: each arbiter grants the least recently granted, but with "
            "several virtual channels a head flit can wait for ever."
        ),
    ] = "bounded"
    bypass_limit: Annotated[
        Literal["auto"] | int,
        Parameter(
            "A head flit from the terminal yields to this many packets of the links at its output. "
            "Then it goes first. 0: terminal and links take equal turns. auto: 0 where terminals "
            "saturate before links or service is local, the mean hop count on rings and long "
            "routes, else 2.",
            f"auto or a whole number in 0..{MAX_BYPASS}",
            minimum=0,
            maximum=MAX_BYPASS,
        ),
    ] = "auto"
    turn_bypass_limit: Annotated[
        Literal["auto"] | int,
        Parameter(
            "A head flit that turns into a ring yields to this many packets on that ring. Rings "
            "are the dimensions of a grid that wraps, and the steps of a double loop. auto: 0 "
            "where bypass_limit is 0, else a value that follows from the routes.",
            f"auto or a whole number in 0..{MAX_BYPASS}",
            minimum=0,
            maximum=MAX_BYPASS,
        ),
    ] = "auto"
    hop_cycles: Annotated[
        Literal[2, 3],
        Parameter(
            "Cycles of a hop: in 2 a flit crosses the switch in the cycle in which it is granted, "
            "in 3 in the next one: for a faster clock, or FPGAs without LUT-RAM."
        ),
    ] = 2
    routing_register: Annotated[
        bool,
        Parameter(
            "A register behind each routing unit, for those that are deep: a hop takes a cycle "
            "more than hop_cycles."
        ),
    ] = False
    channel_order: Annotated[
        list[int] | None,
        Parameter(
            "The rank of every class (or node) that decides when a packet changes the virtual "
            "channel; searched for if absent.",
            "a list of whole numbers, as `fingerpost order` prints it",
        ),
    ] = None

    def __post_init__(self) -> None:
        check_choices(RouterParameters, "Router", hop_cycles=self.hop_cycles, service=self.service)
        check_limits(RouterParameters, "Router", **asdict(self))
        for name in ("bypass_limit", "turn_bypass_limit"):
            limit = getattr(self, name)
            if self.service == "local" and limit != "auto":
                raise ParameterError(
                    name, f"Router needs no {name} with service: local, not {limit}"
                )

    @property
    def pipeline(self) -> Pipeline:
        """Return the cycles of the stages of a router."""
        return Pipeline(routing=1 + self.routing_register, allocation=self.hop_cycles - 2)


def parameters(description: Mapping[str, Any]) -> tuple[RouterParameters, Link]:
    """Return what the contents of a network file say of routers and links.

    Raises
    ------
    ParameterError
        If a parameter is impossible, whatever the network; the message states the requirement.
    """
    router = dict(description.get("router") or {})
    if router.pop("kind", "wormhole") != "wormhole":
        raise ParameterError(
            "kind",
            "Router needs kind: wormhole for this: flits of deflection routers have no routes; use "
            "simulate, sweep, soak or survive",
            section="router",
        )
    known = [field.name for field in fields(RouterParameters)]
    unknown = [key for key in router if key not in known]
    if unknown:
        raise ParameterError(
            "",
            f"Router needs keys among {', '.join(known)}, not {unknown[0]!r}",
            section="router",
        )
    with section("router"):
        routers = RouterParameters(**router)
    return routers, link(description.get("link"))


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
    """

    limit: int
    """The packets that may pass a head from a terminal; 0: terminals do not yield."""
    hops: float
    """In the mean over all packets, on links that terminals request."""
    load: float
    """Flits that these links would have to carry in a cycle, in the mean, if every terminal sent
    one in every cycle, to all others alike."""


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
    sources = np.unique(channels.orbit[topology.terminal_nodes], return_index=True)[1]
    terminals = int(topology.terminals_at[topology.terminal_nodes[sources]].sum())
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
