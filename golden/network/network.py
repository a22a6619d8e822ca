"""A whole network: a topology, a routing, virtual channels that are proven, router parameters."""

import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.counters import COUNTERS, Counter, counting
from fingerpost.golden.deadlock.channels import Channels, Cycle, is_large
from fingerpost.golden.deadlock.lanes import Lanes
from fingerpost.golden.deadlock.order import Progress, heights, search, silent, valleys
from fingerpost.golden.deadlock.state_graph import state_graph
from fingerpost.golden.disk_cache import cached
from fingerpost.golden.header import Layout, flit_layout
from fingerpost.golden.link import StreamLink
from fingerpost.golden.link.frames import Frames
from fingerpost.golden.network.base import NAME, NAME_NEEDS, AnyNetwork, Routed, routed, topology
from fingerpost.golden.network.router import (
    DEPTH,
    MAX_CHANNELS,
    MAX_DEPTH,
    RouterParameters,
    into_rings,
    parameters,
    terminal_bypass,
    turn_bypass_limit,
)
from fingerpost.golden.parameters import ParameterError, section
from fingerpost.golden.placement import boards_of, lengths, positions_of
from fingerpost.golden.router.pipeline import Pipeline
from fingerpost.golden.routing import Routing
from fingerpost.golden.terminal import AxiStreamTerminal, terminal
from fingerpost.golden.topology.base import NodeType, Topology

__all__ = [
    "NAME",
    "NAME_NEEDS",
    "DeadlockError",
    "Network",
    "Routed",
    "build",
    "routed",
    "terminal_depth",
    "topology",
]


class DeadlockError(ParameterError):
    """The channel dependency graph has a cycle.

    Attributes
    ----------
    cycle : list of (node, port, channel)
        A shortest one.
    needed : int
        The number of virtual channels that is proven to be enough.
    """

    def __init__(self, channels: Channels, virtual_channels: int) -> None:
        self.cycle: Cycle = channels.shortest_cycle(virtual_channels) or []
        self.needed = channels.needed
        super().__init__(
            "virtual_channels",
            f"{channels.routing.algorithm} can deadlock with virtual_channels: {virtual_channels}; "
            f"{self.needed} are enough; {channels.told(self.cycle)}",
            section="router",
        )


def terminal_depth(routing: Routing, buffer_depth: int, pipeline: Pipeline) -> int:
    """Return the depth of the terminal's queue: the way of its credits is longer than others'.

    It is so by header generation, and by the register behind the routing unit if there is one.
    """
    return buffer_depth + routing.header_cycles + pipeline.routing - 1


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Network(AnyNetwork):
    """A network of wormhole routers. Make one with `build`.

    Message class c has the c-th part of the virtual channels, and channel c of the terminal's
    port. The proof is that of one class. No bound on the time in the network holds at every load.
    """

    router_kind: ClassVar[str] = "wormhole"

    order: IntArray | None
    """Shape (nodes,), array, optional. The height of every node, if the turns of the channels are
    the valleys of an order."""
    channels: Channels
    """The turns at which a packet moves to the next channel, and the proof that goes with them."""
    bypass_limit: int
    """Packets that may pass a head from the terminal at its output; then it comes first."""
    turn_bypass_limit: int
    """The same for a head that turns into a ring of links."""
    pipeline: Pipeline
    """The cycles of the stages of its routers."""

    def _summary(self) -> list[str]:
        count, classes = self.channels_per_class, self.classes
        each = f" in each of {classes} classes" if classes > 1 else ""
        return [*super()._summary(), f"{count} virtual channel{'s' * (count > 1)}{each}"]

    @property
    def node_counters(self) -> tuple[Counter, ...]:
        return COUNTERS

    @property
    def channels_per_class(self) -> int:
        """Return the virtual channels of every link that one message class has."""
        return self.virtual_channels // self.classes

    def channel_facts(self) -> dict[str, int]:
        return {
            "needed": self.channels.needed,
            "in_use": self.channels_per_class,
            "classes": self.classes,
        }

    def _accepts(self) -> str:
        several = self.classes > 1
        of_class = " of class c" if several else ""
        packets = " packets of a class <= c" if several else ""
        return f"arriving packets{of_class} without waiting to send{packets}"

    @property
    def frames(self) -> Frames:
        """Return the frames of stream links.

        Raises
        ------
        ParameterError
            If their words are too narrow for the flits.
        """
        assert isinstance(self.link, StreamLink)
        given = {"channels": self.virtual_channels, "depth": self.buffer_depth}
        return self.link.frames(flit_width=self.flit_width, **given)

    @property
    def batches(self) -> bool:
        """Return whether heads are served in batches; with one channel they need none."""
        return self.service == "bounded" and self.virtual_channels > 1

    @property
    def service_bound(self) -> str:
        """Return in one sentence how long a head can wait at an output."""
        several, limit = self.virtual_channels > 1, int(self.bypass_limits.max())
        if several and not self.batches:
            return (
                "no bound: a head can wait for ever for its channel while other inputs use it and "
                "another channel of its input sends"
            )
        most = 2 if several else 1
        yields = f", one that yields for at most {limit + self.virtual_channels + 1 + most}"
        equal = "; terminals and links take equal turns, however far packets have come"
        return (
            f"a head waits for at most {most} packet{'s' * (most > 1)} of each other buffer that "
            "requests its channel" + (yields if limit else "") + equal * (self.service == "local")
        )

    @property
    def bypass_limits(self) -> IntArray:
        """Return the packets that may pass a head, by port of arrival and output port.

        With 0 the input does not yield. Shape (ports, ports).
        """
        links = np.where(into_rings(self.topology), self.turn_bypass_limit, 0)
        found = np.pad(links, (0, self.topology.local_ports))
        found[self.topology.local :] = self.bypass_limit
        return found

    @property
    def used_turns(self) -> dict[NodeType, BoolArray]:
        """Return for each node type the turns that some packet takes at one of them.

        Shape (ports, ports), by port of arrival and output port; all terminals of a node have the
        same turns. Packets that end at a node without a terminal are discarded there, by inputs
        that have a turn, be it one that no packet takes.
        """
        topology, ports = self.topology, np.arange(self.topology.all_ports)
        used = {kind: np.zeros((len(ports),) * 2, np.bool_) for kind in topology.node_types}
        port = np.minimum(ports, topology.local)
        for kind, turns in zip(topology.node_type, self.channels.used_turns, strict=True):
            there = ports < topology.local + kind.terminals
            used[kind] |= turns[port[:, None], port] & there[:, None] & there
            if not kind.terminals:
                idle = turns[:, topology.local] & ~used[kind][: topology.local + 1].any(axis=1)
                used[kind][: topology.local + 1][idle, kind.outputs[:1]] = True
        return used

    @property
    def lanes(self) -> Lanes:
        """Return how the virtual channels are shared out among those of the proof."""
        each = self.channels_per_class
        return Lanes(min(each, self.channels.needed), each, self.classes)

    @property
    def flit(self) -> Layout:
        return flit_layout(self.flit_width)

    @property
    def terminal_depth(self) -> int:
        return terminal_depth(self.routing, self.buffer_depth, self.pipeline)

    @property
    def in_order(self) -> bool:
        return _in_order(self.routing, self.channels_per_class, self.channels.needed)

    @property
    def full_rate_depth(self) -> int:
        """Return the flits that a buffer must hold for one flit a cycle on the longest link."""
        return _full_rate_depth(self.pipeline, self.registers)

    def flit_latency(self, hops: int) -> int:
        return self.hop_cycles * (hops + 1) + self.routing.header_cycles


def _full_rate_depth(pipeline: Pipeline, registers: IntArray | None) -> int:
    return pipeline.full_rate_depth + (0 if registers is None else 2 * int(registers.max()))


def _depth(router: RouterParameters, registers: IntArray | None) -> int:
    """Return the flits that a buffer holds."""
    if router.buffer_depth != "auto":
        return router.buffer_depth
    return min(MAX_DEPTH, max(DEPTH, _full_rate_depth(router.pipeline, registers)))


def _in_order(routing: Routing, channels: int, needed: int) -> bool:
    """Return whether routers with so many virtual channels keep the order of packets."""
    return not routing.selection and channels <= needed


def _content(description: Mapping[str, Any]) -> bytes:
    """Return all that the routes of a network follow from."""
    return pickle.dumps([description.get(name) for name in ("topology", "routing", "faults")])


def _ranks(routing: Routing, content: bytes, progress: Progress) -> IntArray:
    """Return the ranks of the order that a search finds; those of a large network are cached."""
    if not is_large(state_graph(routing, routing.orbit)):
        return search(routing, progress=progress)[0]
    found = cached("orders", content, lambda: {"ranks": search(routing, progress=progress)[0]})
    return found["ranks"]


def _lengths(description: Mapping[str, Any], topology: Topology, progress: Progress) -> IntArray:
    """Return the length of the link of each port in tiles; refuse networks without positions."""
    positions = positions_of(description, topology, progress)
    if positions is None:
        raise ParameterError(
            "cycles",
            f"Link needs positions for cycles: auto, such as positions: {{kind: placed}}; "
            f"{topology.family} networks have none of their own",
            section="link",
        )
    return lengths(topology, positions)


def build(description: Mapping[str, Any], progress: Progress = silent) -> Network:
    """Build a network from the contents of a network file.

    The keys are ``name``, ``topology`` (``family`` and its parameters), ``routing``
    (``algorithm`` and its options), ``router`` (those of `RouterParameters`), ``link``,
    ``terminal``, ``counters`` and ``positions`` (``kind`` and its parameters), ``boards`` (see
    `boards_of`) and ``faults`` (a text, see `fingerpost.golden.faults.faulty`). ``name``,
    ``topology`` and ``routing`` are needed here; network files may leave ``routing`` out. Where
    routes, an order of the nodes, their positions or boards are searched for, `progress` is called
    with (steps done, steps to do).

    Raises
    ------
    ParameterError
        If a parameter is impossible; the message names the requirement.
    DeadlockError
        If ``router.virtual_channels`` is too small.

    Examples
    --------
    >>> network = build(
    ...     {
    ...         "name": "borel-21",
    ...         "topology": {"family": "borel", "p": 7, "a": 2, "A": (0, 1), "B": (1, 1)},
    ...         "routing": {"algorithm": "two-phase"},
    ...     }
    ... )
    >>> network.topology.nodes, network.channels.needed, network.flit_width
    (21, 2, 32)
    """
    router, joins = parameters(description)
    routing = routed(description, progress).routing
    boards = boards_of(description, routing.topology, progress)
    ends = terminal(description, router.flit_width)
    counters = counting(description.get("counters"), joins)
    increments, order, content = routing.vc_increments(), None, _content(description)
    if increments is None or router.channel_order is not None:
        given = router.channel_order
        ranks = _ranks(routing, content, progress) if given is None else np.array(given)
        order = heights(routing, ranks)
        increments = valleys(routing.topology, order)
    channels = Channels(routing, increments, content)
    wanted = router.virtual_channels
    if wanted == "auto":
        wanted = channels.needed
    elif not channels.is_free_of_deadlock(wanted):
        raise DeadlockError(channels, wanted)
    classes = router.classes if router.classes > 1 else ends.message_classes
    if ends.message_classes > 1 and classes != ends.message_classes:
        raise ParameterError(
            "classes",
            f"Router needs classes: {ends.message_classes} for {ends.kind} terminals, "
            f"not {classes}",
            section="router",
        )
    in_order = _in_order(routing, wanted, channels.needed)
    with section("router"):
        data_width = ends.beat_width(router.flit_width)
    flit_width = ends.flit_width(data_width, routing, joins, in_order=in_order)
    if flit_width < routing.address_layout.width:
        raise ParameterError(
            "flit_width",
            f"Router needs a flit_width of at least {routing.address_layout.width}, the bits of a "
            f"{routing.algorithm} header here, not {router.flit_width}",
            section="router",
        )
    all_channels = classes * wanted
    if all_channels > MAX_CHANNELS:
        raise ParameterError(
            "classes",
            f"Router needs at most {MAX_CHANNELS} virtual channels on a link, not {wanted} in each "
            f"of {classes} classes",
            section="router",
        )
    one_class = ends.one_class(counted=counters is not None)
    if classes > 1 and one_class:
        raise ParameterError(
            "classes",
            f"Router needs classes: 1 where {one_class}, not {classes}",
            section="router",
        )
    joins.check(routing, flit_width=flit_width, channels=all_channels)
    registers = joins.registers(lambda: _lengths(description, routing.topology, progress))
    bypass_limit = router.bypass_limit
    if bypass_limit == "auto":
        bypass_limit = 0 if router.service == "local" else terminal_bypass(channels).limit
    turn_limit = router.turn_bypass_limit
    if turn_limit == "auto":
        turn_limit = turn_bypass_limit(channels, bypass_limit)
    elif turn_limit and not into_rings(routing.topology).any():
        raise ParameterError(
            "turn_bypass_limit",
            "Router needs a ring and a link that turns into it for "
            f"turn_bypass_limit: {turn_limit}",
            section="router",
        )
    network = Network(
        name=description["name"],
        routing=routing,
        order=order,
        channels=channels,
        virtual_channels=all_channels,
        buffer_depth=_depth(router, registers),
        registers=registers,
        boards=boards,
        streams=joins.streams(routing.topology, boards),
        service=router.service,
        bypass_limit=bypass_limit,
        turn_bypass_limit=turn_limit,
        pipeline=router.pipeline,
        hop_cycles=router.pipeline.hop_cycles,
        flit_width=flit_width,
        data_width=data_width,
        link=joins,
        terminal=ends,
        description=description,
        counters=counters,
        classes=classes,
    )
    if network.streams is not None:
        _ = network.frames
    if network.separate_boards:
        _check_ends(network)
    return network


def _check_ends(network: Network) -> None:
    """Refuse what stands around the nodes of all boards, if boards are to be modules."""
    if network.counters is not None:
        raise ParameterError(
            "",
            "Counters need wires between boards, as they are a chain through all nodes, not stream "
            "links; remove counters",
            section="counters",
        )
    if isinstance(network.terminal, AxiStreamTerminal) and network.terminal.clock:
        raise ParameterError(
            "clock",
            f"{network.terminal.title} needs the clock of its board where stream links join "
            "boards, not its own; remove clock",
            section="terminal",
        )
