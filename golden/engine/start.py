"""The arrays of the model, as they are before the first cycle."""

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from fingerpost.golden.algebra import chance
from fingerpost.golden.arrays import Array, BoolArray, IntArray
from fingerpost.golden.counters import ERRORS, OVERRUNS
from fingerpost.golden.engine.routes import SELECTIONS, RouteTable
from fingerpost.golden.jit.memory import pack_contiguous
from fingerpost.golden.network.network import Network
from fingerpost.golden.router.delay_line import make_delay_line
from fingerpost.golden.router.pipeline import Pipeline
from fingerpost.golden.router.records import (
    CLOCK,
    FAULT,
    FLIT,
    LATE,
    LINK,
    NEVER,
    PACKET,
    ROW,
    VC_BUFFER,
    WIDE,
    channel_type,
    mask_type,
    router_type,
)
from fingerpost.golden.router.state import Config, InFlight, Routers, State
from fingerpost.golden.router.switch_allocator import PROMOTED, UNPROMOTED
from fingerpost.golden.terminal import credit
from fingerpost.golden.terminal.credit import CreditConfig, CreditState
from fingerpost.golden.topology import Topology
from fingerpost.golden.traffic import BAD_HEADER, NO_HEAD, NO_TAIL, POISONED, WELL_FORMED, Traffic

FAULTS = 10
"""So many are kept."""


class Start(NamedTuple):
    """A kind of terminals: its functions, the packets of all runs, what does not change, and does.

    The functions are those of `golden.terminal.credit`, or, with deflection routers, of
    `golden.deflection.single_flit`.
    """

    functions: ModuleType
    packets: Array
    config: Any
    state: Any


def empty(runs: int, count: int, kinds: Mapping[str, np.dtype[Any]]) -> dict[str, Array]:
    """Return arrays of so many records of some kinds in each run, by name."""
    return {name: np.zeros((runs, count), kind) for name, kind in kinds.items()}


def make_config(network: Network, steps: Array, between: Any, terminal: Any) -> Config:
    """Return what does not change; `between` and `terminal` are of links and terminals."""
    topology, channels, classes = network.topology, network.virtual_channels, network.classes
    ports, queues, degree = topology.all_ports, topology.all_ports * channels, topology.degree
    limits: IntArray = network.bypass_limits
    port = np.repeat(np.arange(ports), channels)
    yields = np.flatnonzero(limits[port].any(axis=1)).tolist()
    siblings = [((1 << channels) - 1) << (each * channels) for each in port.tolist()]
    depths = np.where(port >= topology.local, network.terminal_depth, network.buffer_depth)
    increments = np.zeros((topology.nodes, ports, ports), np.bool_)
    increments[:, :degree, :degree] = network.channels.vc_increments[:, :degree, :degree]
    return Config(
        nodes=topology.nodes,
        places=topology.terminal_numbers,
        local_ports=topology.local_ports,
        ports=ports,
        channels=channels,
        classes=classes,
        per_class=network.channels_per_class,
        local=topology.local,
        queues=queues,
        terminal_depth=network.terminal_depth,
        # Of the channels of a terminal there is one in use for each class.
        used_queues=(ports - 1) * channels + classes,
        header_cycles=network.routing.header_cycles,
        routing_register=network.pipeline.routing - 1,
        lanes=int(network.lanes.count[0]),
        batches=int(network.batches),
        yielding=sum(1 << queue for queue in yields),
        selection=SELECTIONS[network.routing.selection],
        header_mask=(1 << network.routing.address_layout.width) - 1,
        data_mask=(1 << min(62, network.flit_width)) - 1,
        max_errors=ERRORS.most,
        max_overruns=OVERRUNS.most,
        promoted=PROMOTED,
        unpromoted=UNPROMOTED,
        link=links(topology),
        vc_increments=increments.ravel(),
        next_vc=network.lanes.next_vc.astype(np.uint8),
        port=port.astype(np.uint8),
        depths=depths,
        bypass_limits=limits.ravel(),
        siblings=np.array(siblings, np.int64 if queues <= WIDE else object),
        steps=steps,
        links=between,
        terminal=terminal,
    )


def links(topology: Topology) -> Array:
    """Return the link of every output, and of every input: see `LINK`."""
    ports, local = topology.all_ports, topology.local
    found = np.zeros((topology.nodes, ports), LINK)
    found["dst_node"] = found["src_node"] = -1
    # A terminal stands for the other ends of its own port; these are the last.
    nodes, own = np.arange(topology.nodes)[:, None], np.arange(local, ports)
    found["dst_node"][:, local:] = found["src_node"][:, local:] = nodes
    found["dst_port"][:, local:] = found["src_port"][:, local:] = own
    here, by = np.nonzero(topology.neighbour >= 0)
    there, port = topology.neighbour[here, by], topology.arrival_port[here, by]
    found["dst_node"][here, by], found["dst_port"][here, by] = there, port
    found["src_node"][there, port], found["src_port"][there, port] = here, by
    return found.ravel()


def credit_start(
    network: Network, traffics: Sequence[Traffic], routes: RouteTable, *, surplus: int = 0
) -> Start:
    """Return terminals of kind credit."""
    packets = [made_packets(traffic, can_be_delivered(traffic)) for traffic in traffics]
    each = np.concatenate(packets) if len(packets) > 1 else packets[0]
    source = np.concatenate([traffic.source for traffic in traffics])
    each["step"] = routes.first(source, each["header"])
    mask = (1 << min(62, network.flit_width)) - 1
    config = CreditConfig(status=mask >> network.payload_width << network.payload_width)
    return Start(credit, each, config, _terminals(network, traffics, each["time"], surplus))


def can_be_delivered(traffic: Traffic) -> BoolArray:
    """Return the packets that can: one behind a packet without a tail is swallowed by it."""
    channel = traffic.terminal_channel
    follows = np.zeros(len(channel), np.bool_)
    follows[1:] = (channel[1:] == channel[:-1]) & (traffic.kind[:-1] == NO_TAIL)
    found: BoolArray = (traffic.kind == WELL_FORMED) & ~follows
    return found


def packets_of(traffics: Sequence[Traffic]) -> tuple[IntArray, IntArray]:
    """Return the first packet of every channel of terminals, and the one behind the last.

    Both are (runs, channels), among the packets of all runs. A channel is terminal * classes +
    message class.
    """
    network = traffics[0].network
    channels = np.arange(network.topology.terminal_numbers * network.classes + 1)
    found = [np.searchsorted(traffic.terminal_channel, channels) for traffic in traffics]
    begins = np.cumsum([0] + [len(traffic.source) for traffic in traffics])[:-1, None]
    bounds = np.stack(found) + begins
    return bounds[:, :-1].copy(), bounds[:, 1:].copy()


def packets_like(traffic: Traffic, kind: np.dtype[Any]) -> Array:
    """Return records of a kind, filled in from the packets of a traffic."""
    packets = np.zeros(len(traffic.source), kind)
    names = "time", "salt", "source", "destination", "length", "message_class"
    for name in names:
        if name in (kind.names or ()):
            packets[name] = getattr(traffic, name)
    packets["delivered"] = -1
    return packets


def made_packets(traffic: Traffic, expected: BoolArray) -> Array:
    """Return the records of the packets of a traffic; `expected`: that can be delivered."""
    packets = packets_like(traffic, PACKET)
    everything = (1 << traffic.network.routing.address_layout.width) - 1
    packets["header"] = np.where(traffic.kind == BAD_HEADER, everything, traffic.header)
    for name, kind in (("headless", NO_HEAD), ("tailless", NO_TAIL), ("poisoned", POISONED)):
        packets[name] = traffic.kind == kind
    packets["expected"] = expected
    return packets


def initial_state(
    network: Network,
    config: Config,
    traffics: Sequence[Traffic],
    terminals: Start,
    links: Any,
    parts: int,
) -> State:
    """Return the state before the first cycle, of a run for each of some traffics.

    `links` is the state of links; `parts` of a network are run at once.
    """
    runs = len(traffics)
    common = common_state(config, CLOCK, traffics, terminals)
    common["clock"]["chance"] = chance.SEED
    return State(
        routers=_routers(config, runs, network.buffer_depth),
        in_flight=pack_contiguous(_in_flight(config, network.pipeline, runs, parts)),
        links=links,
        winner=np.full((runs, parts, config.ports), -1, np.int16),
        **common,
    )


def common_state(
    config: Any, clock: np.dtype[Any], traffics: Sequence[Traffic], terminals: Start
) -> dict[str, Any]:
    """Return what the states of all kinds of routers have; `clock` is the record of scalars."""
    runs, ends = len(traffics), np.cumsum([len(traffic.source) for traffic in traffics])
    expected = np.split(terminals.packets["expected"], ends[:-1])
    numbers = traffics[0].network.topology.terminal_numbers
    scalars = np.zeros((runs, 1), clock)
    scalars["outstanding"] = [[np.count_nonzero(run)] for run in expected]
    return {
        "clock": scalars,
        "terminals": terminals.state,
        "flits": np.zeros((runs, numbers), np.int64),
        "sent": np.zeros((runs, config.nodes * config.ports), np.int64),
        "fault": np.zeros((runs, FAULTS), FAULT),
        "packets": pack_contiguous(terminals.packets),
    }


def _routers(config: Config, runs: int, depth: int) -> Routers:
    nodes, ports, channels = config.nodes, config.ports, config.channels
    outputs, queues = nodes * ports, nodes * config.queues
    channels_of_terminals = config.places * config.classes
    router = np.zeros((runs, nodes), router_type(config.queues))
    router["head"] = router["has_credit"] = (1 << config.queues) - 1
    router["candidate"] = sum(1 << port * channels for port in range(ports))
    vc_buffer = np.zeros((runs, queues), VC_BUFFER)
    vc_buffer["route_port"] = -1
    vc_buffer["last_grant"] = np.tile(np.arange(channels) - channels, outputs)
    by_input = np.tile(np.arange(ports) - ports, (runs, outputs))
    routers = Routers(
        router=router,
        vc_buffer=vc_buffer,
        channel=np.zeros((runs, queues), channel_type(config.queues)),
        row=np.zeros((runs, 0), ROW),
        credits=np.full((runs, queues), depth, np.uint8),
        input_last_grant=by_input.astype(np.int32),
        lane=np.zeros((runs, channels_of_terminals), np.int8),
        tail_passed=np.zeros((runs, outputs), np.int16),
        errors=np.zeros((runs, nodes), np.int64),
        overruns=np.zeros((runs, nodes), np.int64),
        truncated=np.zeros((runs, channels_of_terminals), np.bool_),
        push_pending=np.zeros((runs, channels_of_terminals), np.int8),
    )
    # Apart, for most rows are never used, and then take no memory.
    rows = nodes * config.used_queues * int(config.depths.max())
    return pack_contiguous(routers)._replace(row=np.zeros((runs, rows), ROW))


def _in_flight(config: Config, pipeline: Pipeline, runs: int, parts: int) -> InFlight:
    nodes, mask = config.nodes, mask_type(config.queues)
    inputs = nodes * config.ports
    return InFlight(
        flits=make_delay_line(runs, pipeline.link_cycles, (inputs,), FLIT),
        arriving=make_delay_line(runs, pipeline.link_cycles, (parts, nodes), mask),
        injection=make_delay_line(runs, config.header_cycles, (config.places,), FLIT),
        credits=make_delay_line(runs, pipeline.credit, (parts, nodes), mask),
        terminal_credits=make_delay_line(runs, pipeline.credit, (config.places,), mask),
    )


def _terminals(
    network: Network, traffics: Sequence[Traffic], times: IntArray, surplus: int
) -> CreditState:
    runs, places = len(traffics), network.topology.terminal_numbers
    channels = places * network.classes
    packet, end = packets_of(traffics)
    time = np.append(times, NEVER)
    due = np.where(packet < end, time[packet], NEVER)
    return CreditState(
        packet=packet.astype(np.int32),
        end=end.astype(np.int32),
        turn=np.zeros((runs, places), np.int64),
        due=np.minimum(due, LATE).astype(np.int32),
        next_flit=np.zeros((runs, channels), np.int32),
        credits=np.full((runs, channels), network.terminal_depth + surplus, np.int32),
        backlog=np.zeros((runs, channels), np.int32),
    )
