"""The arrays of the compiled model, as they are before the first cycle."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from golden.algebra import chance
from golden.arrays import IntArray
from golden.compiled.arena import together
from golden.compiled.layout import (
    CLOCK,
    COMING,
    FAULT,
    FLIT,
    NEVER,
    PACKET,
    QUEUE,
    ROW,
    WAY,
    Fixed,
    Moving,
    Routers,
    State,
    Tape,
    Terminals,
    channel_type,
    router_type,
)
from golden.compiled.routes import SELECTIONS, routes
from golden.counters import ERRORS, OVERRUNS
from golden.model.courtesy import FIRST, LAST
from golden.model.model import Model
from golden.network import Network
from golden.terminal.credit import Terminals as Ends
from golden.traffic import NO_HEAD, NO_TAIL, POISONED

__all__ = ["at_start", "fixed", "packets", "tape"]

FAULTS = 10
"""So many are kept."""


def fixed(network: Network, steps: NDArray[Any]) -> Fixed:
    """Return what does not change."""
    model, topology = Model(network), network.topology
    channels, ports = model.channels, model.ports
    data_mask = (1 << min(62, network.flit_width)) - 1
    port = np.repeat(np.arange(ports), channels)
    local = model.port == topology.local
    # Of the channels of a terminal one is in use.
    first = topology.local * channels
    returns = np.repeat(np.where(local, ~model.node, model.start * channels), channels)
    returns += np.where(returns < 0, 0, np.tile(np.arange(channels), len(local)))
    return Fixed(
        nodes=topology.nodes,
        ports=ports,
        channels=channels,
        local=topology.local,
        queues=ports * channels,
        terminal_depth=network.terminal_depth,
        rows=first * network.buffer_depth + network.terminal_depth,
        launch_cycles=network.routing.launch_cycles,
        routing_register=int(network.routing_register),
        lanes=int(network.lanes.count[0]),
        courteous=bool(network.courtesies.any()),
        selection=SELECTIONS[network.routing.selection],
        header_mask=(1 << network.routing.header.width) - 1,
        data_mask=data_mask,
        status=data_mask >> network.payload_width << network.payload_width,
        most_errors=ERRORS.most,
        most_overruns=OVERRUNS.most,
        first_rank=FIRST,
        last_rank=LAST,
        end=model.end.astype(np.int32),
        reached=np.where(local, -1, model.end // ports).astype(np.int32),
        returns=returns.astype(np.int32),
        increments=model.increments,
        raised=model.raised.astype(np.uint8),
        port=port.astype(np.uint8),
        depths=np.where(port == topology.local, network.terminal_depth, network.buffer_depth),
        bases=(np.minimum(np.arange(len(port)), first) * network.buffer_depth).astype(np.uint32),
        limits=network.courtesies.ravel(),
        siblings=((1 << channels) - 1) << (port * channels),
        steps=steps,
    )


def packets(network: Network, ends: Sequence[Ends]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the packets that some terminals send, and the steps that they go."""
    each = np.concatenate([_packets(network, one) for one in ends])
    source = np.concatenate([one.traffic.source for one in ends])
    ways = routes(network, source, each["header"])
    each["step"] = ways.first
    return each, ways.steps


def _packets(network: Network, ends: Ends) -> NDArray[Any]:
    traffic = ends.traffic
    packets = np.zeros(len(traffic.source), PACKET)
    for name in ("time", "salt", "destination", "length"):
        packets[name] = getattr(traffic, name)
    packets["headless"] = traffic.kind == NO_HEAD
    packets["tailless"] = traffic.kind == NO_TAIL
    packets["poisoned"] = traffic.kind == POISONED
    packets["expected"], packets["delivered"] = ends.expected, -1
    number = np.arange(len(packets))
    _, _, data = traffic.flits(number, np.zeros_like(number))
    sent = data & ((1 << network.routing.header.width) - 1)
    packets["header"] = np.where(packets["headless"], traffic.header, sent)
    return packets


def at_start(fixed: Fixed, ends: Sequence[Ends], packets: NDArray[Any], depth: int) -> State:
    """Return the state before the first cycle, of a run for each of some terminals."""
    begins = np.cumsum([0] + [len(each.expected) for each in ends])[:-1, None]
    clock = np.zeros((len(ends), 1), CLOCK)
    clock["chance"] = chance.SEED
    clock["outstanding"] = [[np.count_nonzero(each.expected)] for each in ends]
    return State(
        clock=clock,
        routers=together(_routers(fixed, len(ends), depth)),
        moving=together(_moving(fixed, len(ends))),
        terminals=_terminals(fixed, ends, begins, packets["time"]),
        fault=np.zeros((len(ends), FAULTS), FAULT),
        winner=np.full((len(ends), fixed.ports), -1, np.int8),
        packets=together(packets),
    )


def _routers(fixed: Fixed, runs: int, depth: int) -> Routers:
    nodes, ports, channels = fixed.nodes, fixed.ports, fixed.channels
    places, queues = nodes * ports, nodes * fixed.queues
    router = np.zeros((runs, nodes), router_type(fixed.queues))
    router["head"] = router["credited"] = (1 << fixed.queues) - 1
    router["nominated"] = sum(1 << port * channels for port in range(ports))
    queue = np.zeros((runs, queues), QUEUE)
    queue["way_port"] = -1
    channel = np.zeros((runs, queues), channel_type(fixed.queues))
    channel["credits"] = depth
    taken = np.tile(np.arange(channels) - channels, (runs, places))
    served = np.tile(np.arange(ports) - ports, (runs, places))
    return Routers(
        router=router,
        queue=queue,
        channel=channel,
        row=np.zeros((runs, nodes * fixed.rows), ROW),
        way=np.zeros((runs, nodes * fixed.rows), WAY),
        taken=taken.astype(np.int32),
        served=served.astype(np.int32),
        lane=np.zeros((runs, nodes), np.int8),
        passed=np.zeros((runs, queues), np.int64),
        through=np.full((runs, places), -1),
        errors=np.zeros((runs, nodes), np.int64),
        lost=np.zeros((runs, nodes), np.int64),
        cut=np.zeros((runs, nodes), np.bool_),
        coming=np.zeros((runs, nodes), np.int8),
    )


def _moving(fixed: Fixed, runs: int) -> Moving:
    nodes, places, queues = fixed.nodes, fixed.nodes * fixed.ports, fixed.nodes * fixed.queues
    launched, routed = fixed.launch_cycles + 1, fixed.routing_register + 1
    return Moving(
        flits=np.zeros((runs, 2, places), FLIT),
        flit_count=np.zeros((runs, 2), np.int64),
        # One more, for the end of a packet that is cut.
        injection=np.zeros((runs, launched, nodes + 1), FLIT),
        injection_count=np.zeros((runs, launched), np.int64),
        routed=np.zeros((runs, routed, places), COMING),
        routed_count=np.zeros((runs, routed), np.int64),
        credit=np.zeros((runs, 2, queues), np.int32),
        credit_count=np.zeros((runs, 2), np.int64),
        new_errors=np.zeros((runs, places), np.int32),
    )


def _terminals(fixed: Fixed, ends: Sequence[Ends], begins: IntArray, times: IntArray) -> Terminals:
    runs, nodes, places = len(ends), fixed.nodes, fixed.nodes * fixed.ports
    packet = np.stack([each.packet for each in ends]) + begins
    end = np.stack([each.end for each in ends]) + begins
    time = np.append(times, NEVER)
    return Terminals(
        packet=packet,
        end=end,
        due=np.where(packet < end, time[packet], NEVER),
        next_flit=np.zeros((runs, nodes), np.int64),
        credits=np.stack([each.credits for each in ends]),
        backlog=np.zeros((runs, nodes), np.int64),
        back=np.zeros((runs, nodes), np.int32),
        flits=np.zeros((runs, nodes), np.int64),
        sent=np.zeros((runs, places), np.int64),
    )


def tape(fixed: Fixed, cycles: int) -> Tape:
    """Return what is seen in no cycle yet."""
    kinds = (np.uint32, np.bool_, np.bool_, np.int64, np.uint32)
    given = (np.zeros((cycles, fixed.nodes), kind) for kind in kinds)
    seen = (np.zeros((cycles, fixed.nodes * fixed.ports), kind) for kind in kinds)
    counters = (np.zeros((cycles, fixed.nodes), np.int64) for _ in range(2))
    return Tape(*given, *seen, *counters)
