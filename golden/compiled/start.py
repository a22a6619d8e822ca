"""The arrays of the compiled model, as they are before the first cycle."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.algebra import chance
from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.compiled.delay_line import make_delay_line
from fingerpost.golden.compiled.memory import pack_contiguous
from fingerpost.golden.compiled.records import (
    CLOCK,
    FAULT,
    FLIT,
    LATE,
    NEVER,
    PACKET,
    PUSH,
    ROUTE,
    ROW,
    VC_BUFFER,
    channel_type,
    router_type,
)
from fingerpost.golden.compiled.routes import SELECTIONS, RouteTable
from fingerpost.golden.compiled.state import (
    Config,
    InFlight,
    Routers,
    State,
)
from fingerpost.golden.compiled.terminal.state import CreditConfig, CreditState
from fingerpost.golden.counters import ERRORS, OVERRUNS
from fingerpost.golden.model.bypass_limit import PROMOTED, UNPROMOTED
from fingerpost.golden.model.model import Model
from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal import AxiTerminalModel, CreditTerminalModel
from fingerpost.golden.traffic import BAD_HEADER, NO_HEAD, NO_TAIL, POISONED, Traffic

__all__ = ["credit_start", "initial_state", "made_packets", "make_config"]

FAULTS = 10
"""So many are kept."""


def make_config(network: Network, steps: NDArray[Any], terminal: Any) -> Config:
    """Return what does not change; `terminal` is what does not of terminals."""
    model, topology = Model(network), network.topology
    channels, ports = model.channels, model.ports
    data_mask = (1 << min(62, network.flit_width)) - 1
    port = np.repeat(np.arange(ports), channels)
    local = model.port == topology.local
    # Of the channels of a terminal there is one in use for each class.
    classes, first = model.classes, topology.local * channels
    each = np.tile(np.arange(channels), len(local))
    credit_dst = np.where(
        np.repeat(local, channels),
        ~(np.repeat(model.node, channels) * classes + each % classes),
        np.repeat(model.link_src, channels) * channels + each,
    )
    depths = np.where(port == topology.local, network.terminal_depth, network.buffer_depth)
    used_queues = first + classes
    return Config(
        nodes=topology.nodes,
        ports=ports,
        channels=channels,
        classes=classes,
        per_class=model.per_class,
        local=topology.local,
        queues=ports * channels,
        terminal_depth=network.terminal_depth,
        rows=used_queues * int(depths.max()),
        used_queues=used_queues,
        header_cycles=network.routing.header_cycles,
        routing_register=int(network.routing_register),
        lanes=int(network.lanes.count[0]),
        has_bypass_limits=bool(network.bypass_limits.any()),
        selection=SELECTIONS[network.routing.selection],
        header_mask=(1 << network.routing.header.width) - 1,
        data_mask=data_mask,
        max_errors=ERRORS.most,
        max_overruns=OVERRUNS.most,
        promoted=PROMOTED,
        unpromoted=UNPROMOTED,
        link_dst=model.link_dst.astype(np.int32),
        dst_node=np.where(local, -1, model.link_dst // ports).astype(np.int32),
        credit_dst=credit_dst.astype(np.int32),
        vc_increments=model.vc_increments,
        next_vc=model.next_vc.astype(np.uint8),
        port=port.astype(np.uint8),
        depths=depths,
        bypass_limits=network.bypass_limits.ravel(),
        siblings=((1 << channels) - 1) << (port * channels),
        steps=steps,
        terminal=terminal,
    )


def credit_start(
    network: Network, terminals: Sequence[CreditTerminalModel], routes: RouteTable
) -> tuple[NDArray[Any], CreditConfig, CreditState]:
    """Return packets of all runs, what does not change of terminals, and what does."""
    packets = [made_packets(one.traffic, one.expected) for one in terminals]
    each = np.concatenate(packets) if len(packets) > 1 else packets[0]
    source = np.concatenate([one.traffic.source for one in terminals])
    each["step"] = routes.first(source, each["header"])
    mask = (1 << min(62, network.flit_width)) - 1
    config = CreditConfig(status=mask >> network.payload_width << network.payload_width)
    return each, config, _terminals(network, terminals, each["time"])


def made_packets(traffic: Traffic, expected: BoolArray) -> NDArray[Any]:
    """Return the records of the packets of a traffic; `expected`: that can be delivered."""
    packets = np.zeros(len(traffic.source), PACKET)
    for name in ("source", "time", "salt", "destination", "length", "message_class"):
        packets[name] = getattr(traffic, name)
    packets["headless"] = traffic.kind == NO_HEAD
    packets["tailless"] = traffic.kind == NO_TAIL
    packets["poisoned"] = traffic.kind == POISONED
    packets["expected"], packets["delivered"] = expected, -1
    everything = (1 << traffic.network.routing.header.width) - 1
    packets["header"] = np.where(traffic.kind == BAD_HEADER, everything, traffic.header)
    return packets


def initial_state(
    config: Config,
    terminals: Sequence[CreditTerminalModel | AxiTerminalModel],
    packets: NDArray[Any],
    ends: Any,
    depth: int,
) -> State:
    """Return the state before the first cycle, of a run for each of some terminals.

    `ends` is the state of terminals.
    """
    clock = np.zeros((len(terminals), 1), CLOCK)
    clock["chance"] = chance.SEED
    clock["outstanding"] = [[np.count_nonzero(each.expected)] for each in terminals]
    return State(
        clock=clock,
        routers=pack_contiguous(_routers(config, len(terminals), depth)),
        in_flight=pack_contiguous(_in_flight(config, len(terminals))),
        terminals=ends,
        fault=np.zeros((len(terminals), FAULTS), FAULT),
        winner=np.full((len(terminals), config.ports), -1, np.int8),
        packets=pack_contiguous(packets),
    )


def _routers(config: Config, runs: int, depth: int) -> Routers:
    nodes, ports, channels = config.nodes, config.ports, config.channels
    outputs, queues = nodes * ports, nodes * config.queues
    channels_of_terminals = nodes * config.classes
    router = np.zeros((runs, nodes), router_type(config.queues))
    router["head"] = router["has_credit"] = (1 << config.queues) - 1
    router["candidate"] = sum(1 << port * channels for port in range(ports))
    vc_buffer = np.zeros((runs, queues), VC_BUFFER)
    vc_buffer["route_port"] = -1
    channel = np.zeros((runs, queues), channel_type(config.queues))
    channel["credits"] = depth
    by_queue = np.tile(np.arange(channels) - channels, (runs, outputs))
    by_input = np.tile(np.arange(ports) - ports, (runs, outputs))
    return Routers(
        router=router,
        vc_buffer=vc_buffer,
        channel=channel,
        row=np.zeros((runs, nodes * config.rows), ROW),
        route=np.zeros((runs, nodes * config.rows), ROUTE),
        queue_last_grant=by_queue.astype(np.int32),
        input_last_grant=by_input.astype(np.int32),
        lane=np.zeros((runs, channels_of_terminals), np.int8),
        passed=np.zeros((runs, queues), np.int64),
        tail_passed=np.full((runs, outputs), -1),
        errors=np.zeros((runs, nodes), np.int64),
        overruns=np.zeros((runs, nodes), np.int64),
        truncated=np.zeros((runs, channels_of_terminals), np.bool_),
        push_pending=np.zeros((runs, channels_of_terminals), np.int8),
    )


def _in_flight(config: Config, runs: int) -> InFlight:
    nodes, outputs, queues = config.nodes, config.nodes * config.ports, config.nodes * config.queues
    return InFlight(
        flits=make_delay_line(runs, 2, outputs, FLIT),
        # One flit more, for the tail of a packet that is truncated.
        injection=make_delay_line(runs, config.header_cycles + 1, nodes + 1, FLIT),
        pushes=make_delay_line(runs, config.routing_register + 1, outputs, PUSH),
        credits=make_delay_line(runs, 2, queues, np.int32),
        new_errors=np.zeros((runs, outputs), np.int32),
    )


def _terminals(
    network: Network, terminals: Sequence[CreditTerminalModel], times: IntArray
) -> CreditState:
    runs, nodes = len(terminals), network.topology.nodes
    channels, outputs = nodes * network.classes, nodes * (network.topology.degree + 1)
    begins = np.cumsum([0] + [len(each.expected) for each in terminals])[:-1, None]
    packet = np.stack([each.packet for each in terminals]) + begins
    end = np.stack([each.end for each in terminals]) + begins
    time = np.append(times, NEVER)
    due = np.where(packet < end, time[packet], NEVER)
    return CreditState(
        packet=packet.astype(np.int32),
        end=end.astype(np.int32),
        turn=np.zeros((runs, nodes), np.int64),
        due=np.minimum(due, LATE).astype(np.int32),
        next_flit=np.zeros((runs, channels), np.int32),
        credits=np.stack([each.credits for each in terminals]).astype(np.int32),
        backlog=np.zeros((runs, channels), np.int32),
        back=np.zeros((runs, channels), np.int32),
        flits=np.zeros((runs, nodes), np.int64),
        sent=np.zeros((runs, outputs), np.int64),
    )
