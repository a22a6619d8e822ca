"""What every kind of network has: topology and routing, links and terminals, cycles of packets."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.counters import AxiLiteCounters, Counter
from fingerpost.golden.deadlock.order import Progress, silent
from fingerpost.golden.faults import faulty
from fingerpost.golden.header import Layout, bits
from fingerpost.golden.link import Link, link
from fingerpost.golden.network.router import RouterParameters
from fingerpost.golden.parameters import ParameterError, either, section
from fingerpost.golden.placement import positions_of
from fingerpost.golden.routing import ALGORITHMS, Routing
from fingerpost.golden.routing.walk import Routes
from fingerpost.golden.terminal import Terminal
from fingerpost.golden.topology import FAMILIES, Topology
from fingerpost.golden.topology.faulty import Faulty
from fingerpost.golden.topology.terminals import placed

NAME = "[a-z][a-z0-9_-]{0,63}"
"""The name of a network, which is part of the names of files and modules."""

NAME_NEEDS = "1 to 64 of the characters a-z 0-9 _ -, a letter first"


@dataclass(frozen=True, repr=False, eq=False)
class Routed:
    """A topology with a routing: enough for distances, routes and loads. Made by `routed`."""

    router_kind: ClassVar[str] = ""
    """Of the routers, the key of tables of kinds; nothing if there are no routers."""
    has_routes: ClassVar[bool] = True
    """Whether the routing decides every hop of a packet. Else any flit may be deflected."""
    picture: ClassVar[Callable[["Routed"], str | None] | None] = None
    """Draws a network as SVG for notebooks. `fingerpost` sets it."""

    name: str
    routing: Routing
    boards: IntArray | None = None
    """The board of each node, shape (nodes,); None without boards, or where none are asked for."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {', '.join(self._summary())}>"

    def _repr_svg_(self) -> str | None:
        draw = Routed.picture
        return draw and draw(self)

    def _summary(self) -> list[str]:
        """Return what a network is in a few words each."""
        topology = self.topology
        nodes = f"{topology.nodes} nodes of degree {topology.degree}"
        return [topology.family, nodes, f"{self.routing.algorithm} routing"]

    @property
    def topology(self) -> Topology:
        """Return the topology."""
        return self.routing.topology

    @property
    def algorithm(self) -> str:
        """Return what decides the ways of packets."""
        return self.routing.algorithm

    def positions(self, progress: Progress = silent) -> IntArray | None:
        """Return the tile [x, y] of each node on a chip, shape (nodes, 2); None if there is none.

        Where nodes are placed by a search, `progress` is called with (steps done, steps to do).
        """
        return self.topology.positions


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class AnyNetwork(Routed, ABC):
    """A network of routers of any kind; it is a `fingerpost.golden.traffic.carrier.Carrier`."""

    single_flit: ClassVar[bool] = False
    """Whether all packets of the network have one flit."""
    stream_needs: ClassVar[dict[str, str]] = {}
    """Parameters that AXI4-Stream terminals must have at such routers."""

    flit_width: int
    """Bits of data in a flit."""
    data_width: int
    """Those that are the user's: fewer, if terminals need some for themselves."""
    hop_cycles: int
    """Cycles from a router's link to the next one's."""
    link: Link
    """What joins the nodes."""
    terminal: Terminal
    """What stands at the local ports."""
    description: Mapping[str, Any]
    """What the network was built of: plain data, enough to build the same network elsewhere."""
    counters: AxiLiteCounters | None = None
    """Those that software reads."""
    virtual_channels: int = 0
    """Virtual channels of every link, those of all message classes."""
    service: str = ""
    """What wormhole routers promise: see `RouterParameters.service`."""
    classes: int = 1
    """Message classes."""
    buffer_depth: int = 0
    """Flits that each channel of each input can hold; of links, that is."""
    ejections: int = 1
    """Flits that a terminal can receive in a cycle."""
    registers: IntArray | None = None
    """The registers on the link of each port, shape (nodes, degree), or on all, shape (); None if
    there are none."""

    streams: BoolArray | None = None
    """Which links are stream links, shape (nodes, degree); None if there are none."""

    @property
    @abstractmethod
    def flit(self) -> Layout:
        """Return the layout of a flit."""

    @property
    @abstractmethod
    def node_counters(self) -> tuple[Counter, ...]:
        """Return what every node counts and shows."""

    @property
    @abstractmethod
    def terminal_depth(self) -> int:
        """Return the flits that the queue of a terminal's input can hold."""

    @abstractmethod
    def channel_facts(self) -> dict[str, int]:
        """Return how many virtual channels the proof needs and links have, in each class."""

    @abstractmethod
    def flit_latency(self, hops: int) -> int:
        """Return the cycles of a flit through the routers, where nothing is in its way."""

    @abstractmethod
    def _accepts(self) -> str:
        """Return how terminals must take what arrives, if they do not take every flit."""

    def positions(self, progress: Progress = silent) -> IntArray | None:
        return positions_of(self.description, self.topology, progress)

    def wire_cycles(self, load: NDArray[np.float64]) -> float:
        """Return the cycles of a packet in registers of links, in the mean.

        Parameters
        ----------
        load : (nodes, degree)
            Flits on each link, if all terminals send one.
        """
        if self.registers is None:
            return 0.0
        return float((load * self.registers).sum()) / len(self.topology.terminals)

    def registers_on(self, routes: Routes) -> IntArray:
        """Return the registers of the links on each of some routes, shape (routes,)."""
        registers = 0 if self.registers is None else self.registers
        every = np.broadcast_to(registers, self.topology.neighbour.shape)
        on_way = every[routes.nodes[:, :-1], routes.ports] * (routes.ports >= 0)
        found: IntArray = on_way.sum(axis=1)
        return found

    @property
    def separate_boards(self) -> list[int]:
        """Return the boards that all links to others leave as streams: each can be a module."""
        if self.boards is None or self.streams is None:
            return []
        there = self.topology.neighbour
        wires = (there >= 0) & (self.boards[there] != self.boards[:, None]) & ~self.streams
        joined = self.boards[np.nonzero(wires)[0]]
        found: list[int] = np.setdiff1d(np.arange(self.boards.max() + 1), joined).tolist()
        return found

    @property
    def links(self) -> int:
        """Return the number of links."""
        return int((self.topology.neighbour >= 0).sum())

    @property
    def in_order(self) -> bool:
        """Return whether packets of one source, header and class come out in the order they go in.

        They do if nothing but their header decides their route and their channels.
        """
        return False

    @property
    def time_bound(self) -> int | None:
        """Return how many cycles a flit can be in the network; None if no bound holds."""
        return None

    @property
    def sends_flits(self) -> bool:
        """Return whether what users send is a flit by itself, and no packet of several."""
        return self.single_flit and not self.terminal.takes_all

    @property
    def assumption(self) -> str:
        """Return what the proof of deadlock freedom, or the bound, assumes of terminals' users."""
        if self.terminal.takes_all:
            return "none about users: every flit is taken in the cycle in which it arrives"
        return self.terminal.assumption or f"every terminal takes {self._accepts()}"

    @property
    def around(self) -> bool:
        """Return whether modules stand around the nodes: of terminals, counters, or for tables."""
        return self.terminal.around or self.counters is not None

    @property
    def jitter_reason(self) -> str:
        """Return why the cycles of a packet are not always the same; nothing if they are."""
        return self.link.jitter_reason or self.terminal.jitter_reason

    @property
    def payload_width(self) -> int:
        """Return the bits of the last flit of a packet that are not its status."""
        return self.flit_width - self.link.status_width

    @property
    def rate(self) -> float:
        """Return the flits per cycle of the slowest link or terminal."""
        return min(self.link.rate(self.flit_width), self.terminal.rate(self.data_width))

    def least_latency(self, hops: int, flits: int = 1, back: int | None = None) -> int:
        """Return the cycles from the first flit of a packet going in to its last coming out.

        Flits are those of the user: terminals that add one count it among their own cycles.
        Registers of links are not counted: see `wire_cycles`.

        It holds without contention, while credits last, and if there is no `jitter_reason`. A
        packet that needs a grant waits for a request there and its grant, `back` hops; by default
        as many as `hops`.
        """
        terminal, one = self.terminal, self.flit_latency(hops)
        alone = one + terminal.flit_cycles * (flits - 1) + self.terminal_cycles
        uninvited = terminal.uninvited(self)
        if uninvited is None or flits <= uninvited:
            return alone
        return alone + one + self.flit_latency(hops if back is None else back) + self.grant_cycles

    @property
    def terminal_cycles(self) -> int:
        """Return the cycles of a packet at both terminals."""
        reorder = 0 if self.in_order else self.terminal.reorder_cycles
        return self.terminal.cycles + reorder + self._queue_cycles

    @property
    def grant_cycles(self) -> int:
        """Return the cycles of a request and its grant at both terminals."""
        reorder = 0 if self.in_order else self.terminal.reorder_cycles + 1
        return self.terminal.grant_cycles + reorder + 2 * self._queue_cycles

    @property
    def _queue_cycles(self) -> int:
        """Return the cycles of a flit in a queue between a terminal and its router."""
        return 0


def topology(description: Mapping[str, Any]) -> Topology:
    """Build the topology from the contents of a network file.

    With ``faults`` it is what they leave of it, a `Faulty`.

    Raises
    ------
    ParameterError
        If a parameter is impossible; the message states the requirement.

    Examples
    --------
    >>> topology({"topology": {"family": "super-rotator", "nodes": 13}}).degree
    4
    """
    family = dict(description["topology"])
    terminals = family.pop("terminals", None)
    with section("topology"):
        whole = FAMILIES[family.pop("family")](**family)
        if terminals is not None:
            whole = placed(whole, terminals)
    if not description.get("faults"):
        return whole
    with section("faults"):
        return faulty(whole, description["faults"])


def header_room(description: Mapping[str, Any], topology: Topology) -> int:
    """Return the bits that a header can have in a flit beside what links and terminals add.

    That is the status of the link, the local port of the destination if some node has several, and
    behind terminals with an interface the number of one of them.
    """
    several = topology.local_ports
    local = bits(several) if several > 1 else 0
    width: int = (description.get("router") or {}).get("flit_width", RouterParameters.flit_width)
    number = bits(topology.terminal_numbers) if description.get("terminal") else 0
    return width - link(description.get("link")).status_width - number - local


def routed(description: Mapping[str, Any], progress: Progress = silent) -> Routed:
    """Build topology and routing from the contents of a network file.

    If routes are searched for, `progress` is called with (steps done, steps to do).

    Raises
    ------
    ParameterError
        If a parameter is impossible; the message states the requirement.

    Examples
    --------
    >>> star = {"topology": {"family": "star", "n": 3}, "routing": {"algorithm": "greedy"}}
    >>> routed({"name": "ring", **star}).routing.header.width  # 3 symbols and the anchor
    8
    """
    algorithm = dict(description["routing"])
    kind: Any = ALGORITHMS[algorithm.pop("algorithm")]
    network = topology(description)
    with section("routing"):
        if isinstance(network, Faulty) and kind.families:
            free = either(name for name, other in ALGORITHMS.items() if not other.families)
            raise ParameterError(
                "algorithm",
                f"Routing needs an algorithm for any network where there are faults, {free}, "
                f"not {kind.algorithm}, which needs a whole {either(kind.families)} network",
            )
        tell = [progress] if kind.searches else []
        made = kind(network, *tell, **algorithm).within(header_room(description, network))
    name = description["name"]
    if not re.fullmatch(NAME, name):
        message = f"Network needs a name of {NAME_NEEDS}, not {name!r}"
        raise ParameterError("name", message, section="name")
    return Routed(name, made)
