"""A network of deflection routers: no buffers, no virtual channels, packets of one flit."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.counters import ERRORS, LOST, Counter
from fingerpost.golden.header import Layout
from fingerpost.golden.link import link
from fingerpost.golden.link.single_flit import SingleFlitLink
from fingerpost.golden.network.counting import AxiLiteCounters, counting
from fingerpost.golden.network.deflection_router import DeflectionParameters
from fingerpost.golden.network.destinations import Destinations
from fingerpost.golden.network.network import Routed, routed
from fingerpost.golden.network.pairing import Pairing, search
from fingerpost.golden.network.switches import MAX_LINKS, first_sides
from fingerpost.golden.parameters import ParameterError, section
from fingerpost.golden.terminal import AxiStreamTerminal, MailboxTerminal
from fingerpost.golden.terminal import terminal as terminal_of
from fingerpost.golden.terminal.single_flit import SingleFlitTerminal
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.base import NodeType

INJECTION_QUEUE = 4
"""Flits that wait for a place at an AXI4-Stream terminal: a credit takes 3 cycles to come back."""

FEW_DESTINATIONS = 64
"""Up to so many a table is in LUTs, and flits enter at all inputs, if the file does not say."""


@dataclass(frozen=True, repr=False)
class DeflectionNetwork(Routed):
    """What is generated, modelled and tested. Make one with `build_deflection`.

    It is what traffic knows of a network, a `fingerpost.golden.traffic.carrier.Carrier`.

    Attributes
    ----------
    destinations : Destinations
        Distances and productive ports.
    pairings : mapping
        The ports of the slots of each node type.
    flit_width : int
        Bits of data in a flit.
    hop_cycles : int
        Cycles from a router's link to the next one's.
    injection : str
        ``half`` or ``all``: the slots into which flits are injected.
    ejections : int
        Flits that a terminal can receive in a cycle.
    epoch : int
        The epoch changes every 2^epoch cycles.
    wait_limit : int, optional
        A terminal waits for injection for so many cycles, 2^wait_limit, before it stops others.
    link_up : bool
        Nodes are told which links are up. Both directions of a link fail together.
    table : str
        ``ram`` or ``luts``.
    terminal : SingleFlitTerminal or AxiStreamTerminal
        What stands at the local ports.
    data_width : int
        Bits of a flit that are the user's: fewer, if terminals need some for themselves.
    counters : AxiLiteCounters, optional
        What the network counts.
    description : mapping
        What `build_deflection` was given.
    """

    destinations: Destinations
    pairings: Mapping[NodeType, Pairing]
    flit_width: int
    hop_cycles: int
    injection: str
    ejections: int
    epoch: int
    wait_limit: int | None
    link_up: bool
    table: str
    terminal: SingleFlitTerminal | AxiStreamTerminal
    data_width: int
    counters: AxiLiteCounters | None
    description: Mapping[str, Any]

    router_kind: ClassVar[str] = "deflection"
    classes: ClassVar[int] = 1
    buffer_depth: ClassVar[int] = 0
    in_order: ClassVar[bool] = False
    single_flit: ClassVar[bool] = True
    jitter_reason: ClassVar[str] = ""
    virtual_channels: ClassVar[int] = 0

    @property
    def algorithm(self) -> str:
        """Return that there are no routes."""
        return "deflection"

    def _summary(self) -> list[str]:
        return [*super()._summary()[:-1], "deflection routers"]

    @property
    def node_counters(self) -> tuple[Counter, ...]:
        """Return what every node counts and shows."""
        return (ERRORS, LOST) if self.link_up else (ERRORS,)

    @cached_property
    def link(self) -> SingleFlitLink:
        """Return the kind of link."""
        return SingleFlitLink(
            self.distance_width, self.destination_width, self.link_up, self.entry_width
        )

    @property
    def flit(self) -> Layout:
        """Return the layout of what a terminal sends."""
        return Layout.sequence(
            destination=(self.destination_width, "number of the terminal"),
            data=(self.flit_width, "the user's"),
        )

    @property
    def distance_width(self) -> int:
        """Return the bits of a distance, and of a key, which is an upper bound of it."""
        return max(1, self.destinations.diameter.bit_length())

    @property
    def destination_width(self) -> int:
        """Return the bits of the number of a destination."""
        return self.routing.header.width

    @property
    def all_known(self) -> bool:
        """Return whether every number that can be sent is that of a terminal."""
        return len(self.topology.terminals) == 1 << self.destination_width

    def enters(self, slot: int) -> bool:
        """Return whether flits are injected into a slot: into all, or into every other one."""
        return self.injection == "all" or slot % 2 == 0

    def entries(self, node: int, known: Destinations | None = None) -> tuple[IntArray, IntArray]:
        """Return the table of a node, by every number that a flit may have as destination.

        With other `known` destinations, those of links that have failed, it is the table for them.

        Returns
        -------
        productive : (2^destination_width,) array
            A bit for each slot whose output port is productive. None is at the destination
            itself, nor for a number that is no terminal.
        distance : (2^destination_width,) array
            Hops to the destination, or the most that there are bits for; 0 for a number that is no
            terminal.
        """
        productive, distance = np.zeros((2, 1 << self.destination_width), np.int64)
        known = known or self.destinations
        terminals = len(self.topology.terminals)
        most = (1 << self.distance_width) - 1
        distance[:terminals] = np.minimum(known.distance[node], most)
        for slot, port in enumerate(self.pairings[self.topology.node_type[node]].outputs):
            productive[:terminals] |= (known.productive[node] >> port & 1).astype(np.int64) << slot
        return productive, distance

    def entry(self, links: int) -> Layout:
        """Return the layout of an entry in the table of a node with so many links.

        In a block RAM, which is slow, stands what else follows from the productive slots.
        """
        early = self.table == "ram" and first_sides(links) is not None
        return Layout.sequence(
            productive=(links, "a bit for each slot"),
            distance=(self.distance_width, "hops to the destination"),
            **({"prefers": (2, "sides of the first switch: the only productive")} if early else {}),
        )

    @property
    def entry_width(self) -> int:
        """Return the bits of an entry, the most of all nodes."""
        return max(self.entry(len(kind.outputs)).width for kind in self.topology.node_types)

    def packed(self, node: int, productive: IntArray, distance: IntArray) -> IntArray:
        """Return entries of the table of a node as words; see `entries` and `entry`."""
        links = len(self.topology.node_type[node].outputs)
        layout, sides = self.entry(links), first_sides(links)
        fields = {"productive": productive, "distance": distance}
        if "prefers" in layout and sides is not None:
            first, second = (
                productive & int(side @ (1 << np.arange(links))) != 0 for side in sides
            )
            fields["prefers"] = (first & ~second).astype(np.int64) | (second & ~first) * 2
        return layout.pack(**fields)

    @property
    def links(self) -> int:
        """Return the number of links."""
        return int((self.topology.neighbour >= 0).sum())

    @property
    def drain_cycles(self) -> int:
        """Return within how many cycles all flits of the epoch before are delivered."""
        return drain_cycles(self.links, self.destinations.diameter, self.hop_cycles)

    @property
    def time_bound(self) -> int | None:
        """Return how many cycles a flit can be in the network; None if there is no bound.

        There is one if an epoch lasts until all flits of the one before are delivered.
        """
        return 2 << self.epoch if 1 << self.epoch >= self.drain_cycles else None

    @property
    def hold_stages(self) -> int:
        """Return the registers from a node that is pending to `hold`: a tree with four branches."""
        nodes, stages = self.topology.nodes, 1
        while nodes > 4:
            nodes, stages = -(-nodes // 4), stages + 1
        return stages

    @property
    def wait_bound(self) -> int | None:
        """Return how many cycles a flit that is offered can wait for injection, if bounded.

        While others are stopped, each class of flits that meet delivers one at least every
        diameter hops, or is empty, and then there is a place. It has at most one flit on each
        link, and what pending terminals inject, in some class their share. That lasts until those
        are served that are pending when the flit is offered, and again in its own turn. Before
        each it may wait for a tick, and for `hold`.
        """
        if self.wait_limit is None or self.time_bound is None:
            return None
        turn = self.drain_cycles + len(self.topology.terminals) * self.destinations.diameter
        return 2 * (turn + (1 << self.wait_limit) + self.hold_stages + 2)

    def channel_facts(self) -> dict[str, int]:
        """Return that there are no virtual channels."""
        return {"needed": 0, "in_use": 0, "classes": 1}

    @property
    def assumption(self) -> str:
        """Return what the bound assumes of the users of terminals."""
        if self.terminal.takes_all:
            return "none about users: every flit is taken in the cycle in which it arrives"
        return "every terminal takes every flit in the cycle in which it arrives"

    def router_facts(self) -> dict[str, Any]:
        """Return what there is to know of the routers, as plain data."""
        return {
            "kind": "deflection",
            "flit_width": self.flit_width,
            "link_width": self.link.seen(flit_width=self.flit_width).width,
            "hop_cycles": self.hop_cycles,
            "injection": self.injection,
            "ejections": self.ejections,
            "epoch": self.epoch,
            "table": {
                "place": self.table,
                "entries": 1 << self.destination_width,
                "width": self.entry(self.topology.degree).width,
            },
            "drain_cycles": self.drain_cycles,
            "time_bound": self.time_bound,
            "wait_limit": self.wait_limit,
            "link_up": self.link_up,
            "wait_bound": self.wait_bound,
            "assumption": self.assumption,
        }

    @property
    def around(self) -> bool:
        """Return whether modules stand around the nodes: of terminals, counters, or for tables."""
        return self.terminal.around or self.link_up or self.counters is not None

    @property
    def terminal_depth(self) -> int:
        """Return the flits that can wait for a place where AXI4-Stream is at terminals."""
        return INJECTION_QUEUE if self.terminal.takes_all else 0

    @property
    def payload_width(self) -> int:
        """Return the bits of a flit that are not status: all."""
        return self.flit_width

    @property
    def rate(self) -> float:
        """Return the flits per cycle of the slowest link or terminal."""
        return 1.0

    def least_latency(self, hops: int, flits: int = 1, back: int | None = None) -> int:
        """Return the cycles of a packet that meets no other, from its first flit to its last.

        A packet that needs a grant takes longer by a request there and its grant, `back` hops; by
        default as many as `hops`.
        """
        terminal, one = self.terminal, self.hop_cycles * hops + 1
        alone = one + terminal.flit_cycles * (flits - 1) + self.terminal_cycles
        uninvited = terminal.uninvited(self)
        invited = uninvited is None or flits <= uninvited
        if invited:
            return alone
        back = hops if back is None else back
        return alone + self.hop_cycles * (hops + back) + 2 + self.grant_cycles

    @property
    def terminal_cycles(self) -> int:
        """Return the cycles of a packet at both terminals."""
        queue = 1 if self.terminal_depth else 0
        return self.terminal.cycles + self.terminal.reorder_cycles + queue

    @property
    def grant_cycles(self) -> int:
        """Return the cycles of a request and its grant at both terminals."""
        queues = 2 if self.terminal_depth else 0
        return self.terminal.grant_cycles + self.terminal.reorder_cycles + 1 + queues


def drain_cycles(links: int, diameter: int, hop_cycles: int) -> int:
    """Return within how many cycles all flits are delivered that were injected in an epoch before.

    Flits fall into `hop_cycles` classes that never meet, since every hop takes as long; a class
    has one flit on each link at most. Of those of the old epoch, one whose key is least wins all
    its switches, so its key falls with each hop, and after as many hops as the diameter one is
    delivered. No flit of the old epoch is injected.
    """
    return (links + 1) * diameter * hop_cycles


def parameters(description: Mapping[str, Any]) -> DeflectionParameters:
    """Return what the contents of a network file say of deflection routers.

    Raises
    ------
    ParameterError
        If a parameter is impossible, whatever the network, or something else in the file does not
        go with deflection routers.
    """
    router = {key: value for key, value in description["router"].items() if key != "kind"}
    with section("router"):
        found = DeflectionParameters(**router)
    for key, plain in (("routing", {"algorithm": "table"}), ("link", {"kind": "flit"})):
        given = dict(description.get(key) or plain)
        if key == "routing":
            given.pop("choice", None)
        if given != plain:
            raise ParameterError(
                "",
                f"Deflection routers need no {key} but the default, not "
                f"{next(iter(given.values()))}; remove the key {key}",
                section=key,
            )
    terminal = (description.get("terminal") or {}).get("kind")
    if terminal not in (None, AxiStreamTerminal.kind, MailboxTerminal.kind):
        raise ParameterError(
            "",
            f"Deflection routers have no terminal of kind {terminal}; remove the key terminal, or "
            "use router: {kind: wormhole}",
            section="terminal",
        )
    _streams(description, found)
    return found


def _streams(
    description: Mapping[str, Any], router: DeflectionParameters
) -> AxiStreamTerminal | None:
    """Return the terminals with packets of many beats, if there are: AXI4-Stream, mailboxes.

    Raises
    ------
    ParameterError
        If they, or the router, would not take every flit.
    """
    if not description.get("terminal"):
        return None
    terminal = terminal_of(description["terminal"])
    assert isinstance(terminal, AxiStreamTerminal)
    kind = f"{terminal.title} at deflection routers"
    if not terminal.takes_all:
        raise ParameterError(
            "flow_control",
            f"{kind} needs flow_control: end-to-end, not none: a packet "
            "of several beats is put together in space that is reserved",
            section="terminal",
        )
    if router.link_up:
        raise ParameterError(
            "link_up",
            f"{kind} needs link_up: false, not true: flits that are lost "
            "with a link would close windows for ever",
            section="router",
        )
    if router.ejections == 2:
        raise ParameterError(
            "ejections",
            f"{kind} needs ejections: 1, not 2: a terminal takes a beat a cycle",
            section="router",
        )
    return terminal


def build_deflection(description: Mapping[str, Any]) -> DeflectionNetwork:
    """Build a network of deflection routers from the contents of a network file.

    The keys are those of `fingerpost.golden.network.network.build`, with those of
    `DeflectionParameters` and ``kind: deflection`` under ``router``.

    Raises
    ------
    ParameterError
        If a parameter is impossible; the message states the requirement.

    Examples
    --------
    >>> network = build_deflection(
    ...     {
    ...         "name": "borel-21",
    ...         "topology": {"family": "borel", "p": 7, "a": 2, "A": (0, 1), "B": (1, 1)},
    ...         "router": {"kind": "deflection"},
    ...     }
    ... )
    >>> network.hop_cycles, network.drain_cycles, network.epoch
    (4, 1020, 10)
    """
    router = parameters(description)
    streams = _streams(description, router)
    plain = {"algorithm": "table", "choice": "first"}
    routing = routed({**description, "routing": plain}).routing
    topology = routing.topology
    _check(topology)
    if router.link_up:
        _check_ways_back(topology)
    known = Destinations.of(topology)
    pairings = {
        kind: search(topology, known, kind, passable=router.link_up) for kind in topology.node_types
    }
    epoch = router.epoch
    injection, table, width = router.injection, router.table, router.flit_width
    few = len(topology.terminals) <= FEW_DESTINATIONS
    if table == "auto":
        table = "luts" if few else "ram"
    ejections = router.ejections
    if ejections == "auto":
        ejections = 1 if streams else 2
    if injection == "auto":
        injection = "all" if few else "half"
    if epoch == "auto":
        links = int((topology.neighbour >= 0).sum())
        least = drain_cycles(links, known.diameter, router.hop_cycles)
        epoch = max(4, (least - 1).bit_length())
    return DeflectionNetwork(
        name=description["name"],
        routing=routing,
        destinations=known,
        pairings=pairings,
        flit_width=streams.single_flit_width(width, routing) if streams else width,
        hop_cycles=router.hop_cycles,
        injection=injection,
        ejections=ejections,
        epoch=int(epoch),
        wait_limit=None if router.wait_limit == "none" else int(router.wait_limit),
        link_up=router.link_up,
        table=table,
        terminal=streams or SingleFlitTerminal(ejections),
        data_width=width,
        counters=counting(description.get("counters"), link(None)),
        description=description,
    )


def _check(topology: Topology) -> None:
    """Refuse topologies whose nodes cannot send on all that arrives.

    Raises
    ------
    ParameterError
        If a node has fewer outgoing than incoming links, or too many.
    """
    outgoing, incoming = (topology.neighbour >= 0).sum(1), (topology.origin >= 0).sum(1)
    fewer = np.flatnonzero(outgoing < incoming)
    if len(fewer):
        node = int(fewer[0])
        raise ParameterError(
            "kind",
            "Deflection needs at least as many outgoing as incoming links at each node, but node "
            f"{topology.name(node)} has {outgoing[node]} and {incoming[node]}; use kind: wormhole",
            section="router",
        )
    if topology.degree > MAX_LINKS:
        raise ParameterError(
            "kind",
            f"Deflection needs nodes of at most {MAX_LINKS} links, not {topology.degree}; use "
            "kind: wormhole",
            section="router",
        )


def _check_ways_back(topology: Topology) -> None:
    """Refuse topologies where what comes in at a port does not come from where it leads.

    Raises
    ------
    ParameterError
        If there is such a port: if its link failed, more could arrive than leave.
    """
    back = np.where(
        topology.neighbour >= 0, topology.arrival_port[topology.neighbour, topology.arrival_port], 0
    )
    port = np.where(topology.neighbour >= 0, np.arange(topology.degree), 0)
    wrong = (back != port) | (topology.origin != topology.neighbour)
    if wrong.any():
        node = int(np.flatnonzero(wrong.any(1))[0])
        raise ParameterError(
            "link_up",
            f"Links that may fail need a way back at the same port, but node {topology.name(node)} "
            "has one without; remove the key link_up",
            section="router",
        )
