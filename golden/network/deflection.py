"""A network of deflection routers: no buffers, no virtual channels, packets of one flit."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.counters import ERRORS, LOST, Counter, counting
from fingerpost.golden.header import Layout
from fingerpost.golden.link import link
from fingerpost.golden.link.flit_link import SingleFlitLink
from fingerpost.golden.network.base import AnyNetwork, routed
from fingerpost.golden.network.deflection_router import check, parameters, streams
from fingerpost.golden.network.destinations import Destinations
from fingerpost.golden.network.switches import Pairing, first_sides, search
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.terminal import AxiStreamTerminal
from fingerpost.golden.terminal.single_flit import SingleFlitTerminal
from fingerpost.golden.topology.base import NodeType

INJECTION_QUEUE = 4
"""Flits that wait for a place at an AXI4-Stream terminal: a credit takes 3 cycles to come back."""

FEW_DESTINATIONS = 64
"""Up to so many a table is in LUTs, and flits enter at all inputs, if the file does not say."""


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class DeflectionNetwork(AnyNetwork):
    """A network of deflection routers, which have no buffers. Make one with `build_deflection`."""

    router_kind: ClassVar[str] = "deflection"
    has_routes: ClassVar[bool] = False
    single_flit: ClassVar[bool] = True
    stream_needs: ClassVar[dict[str, str]] = {"flow_control": "end-to-end"}

    destinations: Destinations
    """Distances and productive ports."""
    pairings: Mapping[NodeType, Pairing]
    """The ports of the slots of each node type."""
    injection: str
    """``half`` or ``all``: the slots into which flits are injected."""
    epoch: int
    """The epoch changes every 2^epoch cycles."""
    wait_limit: int | None
    """A terminal waits for injection for so many cycles, 2^wait_limit, before it stops others."""
    link_up: bool
    """Nodes are told which links are up. Both directions of a link fail together."""
    table: str
    """``ram`` or ``luts``."""
    terminal: SingleFlitTerminal | AxiStreamTerminal
    link: SingleFlitLink = field(init=False)

    def __post_init__(self) -> None:
        link = SingleFlitLink(
            self.distance_width, self.destination_width, self.link_up, self.entry_width
        )
        object.__setattr__(self, "link", link)

    @property
    def algorithm(self) -> str:
        """Return that there are no routes."""
        return self.router_kind

    def _summary(self) -> list[str]:
        return [*super()._summary()[:-1], "deflection routers"]

    @property
    def node_counters(self) -> tuple[Counter, ...]:
        return (ERRORS, LOST) if self.link_up else (ERRORS,)

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

    def _accepts(self) -> str:
        return "every flit in the cycle in which it arrives"

    def router_facts(self) -> dict[str, Any]:
        """Return what there is to know of the routers, as plain data."""
        return {
            "kind": self.router_kind,
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
        return super().around or self.link_up

    @property
    def terminal_depth(self) -> int:
        """Return the flits that can wait for a place where AXI4-Stream is at terminals."""
        return INJECTION_QUEUE if self.terminal.takes_all else 0

    @property
    def _queue_cycles(self) -> int:
        """Return the cycles of a flit in the queue between an AXI4-Stream terminal and a router."""
        return 1 if self.terminal_depth else 0

    def flit_latency(self, hops: int) -> int:
        """Return the cycles of a flit through the routers, if it meets no other."""
        return self.hop_cycles * hops + 1


def drain_cycles(links: int, diameter: int, hop_cycles: int) -> int:
    """Return within how many cycles all flits are delivered that were injected in an epoch before.

    Flits fall into `hop_cycles` classes that never meet, since every hop takes as long; a class
    has one flit on each link at most. Of those of the old epoch, one whose key is least wins all
    its switches, so its key falls with each hop, and after as many hops as the diameter one is
    delivered. No flit of the old epoch is injected.
    """
    return (links + 1) * diameter * hop_cycles


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
    if description.get("boards") is not None:
        raise ParameterError(
            "",
            "Boards need router: {kind: wormhole}, whose links can be long, not deflection",
            section="boards",
        )
    ends = streams(description, router)
    plain = {"algorithm": "table", "choice": "first"}
    routing = routed({**description, "routing": plain}).routing
    topology = routing.topology
    check(topology, link_up=router.link_up)
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
        ejections = 1 if ends else 2
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
        flit_width=ends.single_flit_width(ends.beat_width(width), routing) if ends else width,
        hop_cycles=router.hop_cycles,
        injection=injection,
        ejections=ejections,
        epoch=int(epoch),
        wait_limit=None if router.wait_limit == "none" else int(router.wait_limit),
        link_up=router.link_up,
        table=table,
        terminal=ends or SingleFlitTerminal(ejections),
        data_width=width,
        counters=counting(description.get("counters"), link(None)),
        description=description,
    )
