"""The arrays of AXI4-Stream terminals of the compiled model, as they are before the first cycle."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.compiled.records import NEVER
from fingerpost.golden.compiled.routes import routes
from fingerpost.golden.compiled.terminal.records import (
    ARRIVAL,
    AXI_PACKET,
    BEAT,
    BLOCK_QUEUE,
    CAME,
    DIRECT_RECEIVER,
    DIRECT_SENDER,
    FLOW_RECEIVER,
    FLOW_SENDER,
    PACE,
    QUEUED,
    REPLY,
    REQUESTED,
    SLOT,
    USER,
)
from fingerpost.golden.compiled.terminal.state import (
    DirectConfig,
    DirectState,
    FlowConfig,
    FlowState,
)
from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal.axi_interfaces import DirectInterfaces
from fingerpost.golden.terminal.axi_model import AxiTerminalModel
from fingerpost.golden.terminal.beat import EXPIRED, REFUSED, AxiLayout
from fingerpost.golden.terminal.flow_layout import ANSWERS, SLOTS
from fingerpost.golden.terminal.flow_sender import FlowSender

__all__ = ["axi_start"]


def axi_start(
    network: Network, terminals: Sequence[AxiTerminalModel]
) -> tuple[NDArray[Any], NDArray[Any], Any, Any]:
    """Return packets of all runs, the steps of routes, what does not change, and what does."""
    packets = np.concatenate([_packets(each) for each in terminals])
    sender = terminals[0].interfaces.sender
    if isinstance(sender, FlowSender):
        steps, config = _flow_config(network, packets, terminals[0], sender)
        return packets, steps, config, _flow_state(network, packets, terminals, config)
    steps = _direct_steps(network, packets)
    direct = DirectConfig(
        **_common(terminals[0], terminals[0].layout),
        max_expired=EXPIRED.most,
        depth=network.buffer_depth,
    )
    return packets, steps, direct, _direct_state(network, packets, terminals, direct)


def _packets(model: AxiTerminalModel) -> NDArray[Any]:
    traffic = model.traffic
    packets = np.zeros(len(traffic.source), AXI_PACKET)
    for name in ("time", "salt", "source", "destination", "length", "message_class"):
        packets[name] = getattr(traffic, name)
    for name in ("dest", "pause", "known", "marked", "expected"):
        packets[name] = getattr(model, name)
    packets["delivered"] = -1
    if isinstance(model.interfaces, DirectInterfaces):
        packets["header"] = model.interfaces.head[:-1]
    return packets


def _common(model: AxiTerminalModel, layout: AxiLayout) -> dict[str, int]:
    """Return what both kinds know: fields of flits, and the limits of counters."""
    body, source = layout.body, layout.head["source"]
    last_byte = body.get("last_byte")
    return {
        "timeout": model.timeout,
        "bytes": layout.bytes,
        "data_offset": body["data"].offset,
        "data_mask": (1 << layout.model_width) - 1,
        "last_byte_offset": last_byte.offset if last_byte else 0,
        "last_byte_mask": (1 << last_byte.width) - 1 if last_byte else 0,
        "source_offset": source.offset,
        "source_mask": (1 << source.width) - 1,
        "max_refused": REFUSED.most,
    }


def _direct_steps(network: Network, packets: NDArray[Any]) -> NDArray[Any]:
    """Find the routes of packets to terminals that exist; return their steps."""
    known = packets["known"]
    header = packets["header"][known] & (1 << network.routing.header.width) - 1
    found = routes(network, packets["source"][known].astype(np.int64), header)
    packets["step"][known] = found.first
    return found.steps


def _flow_config(
    network: Network, packets: NDArray[Any], model: AxiTerminalModel, sender: FlowSender
) -> tuple[NDArray[Any], FlowConfig]:
    """Find the routes of packets and of their answers; return their steps, and what is fixed."""
    nodes, flow, head = network.topology.nodes, sender.flow, sender.layout.head
    known = packets[packets["known"]]
    source, destination = known["source"].astype(np.int64), known["destination"].astype(np.int64)
    pair = np.unique([source * nodes + destination, destination * nodes + source])
    node, peer = np.divmod(pair, nodes)
    header = network.routing.encode(node, peer)
    found = routes(network, node, header)
    fields: dict[str, int] = {}
    for name in ("kind", "slot", "length"):
        fields[f"{name}_offset"] = head[name].offset
        fields[f"{name}_mask"] = (1 << head[name].width) - 1
    return found.steps, FlowConfig(
        **_common(model, sender.layout),
        **fields,
        peers=flow.peers,
        windows=sender.windows.counts.shape[1],
        eager=flow.eager,
        packet_limit=flow.packet_limit,
        window=flow.window,
        batch=flow.batch,
        withheld=flow.withheld,
        busy=flow.busy,
        full=flow.full,
        arrivals=flow.arrivals,
        requests=flow.requests,
        receive=flow.receive,
        pair_first=np.searchsorted(node, np.arange(nodes + 1)),
        pair_peer=peer.astype(np.int32),
        pair_header=header,
        pair_step=found.first.astype(np.int32),
    )


def _users(packets: NDArray[Any], terminals: Sequence[AxiTerminalModel]) -> NDArray[Any]:
    """Return the users of all runs."""
    users = np.zeros((len(terminals), len(terminals[0].exists)), USER)
    time, first = np.append(packets["time"], NEVER), 0
    for row, each in zip(users, terminals, strict=True):
        for name in ("sends_until", "sends_again", "reads_until", "reads_again", "exists"):
            row[name] = getattr(each, name)
        row["packet"], row["end"] = each.packet + first, each.end + first
        row["due"] = np.where(each.packet < each.end, time[row["packet"]], NEVER)
        first += len(each.expected)
    return users


def _ends(network: Network, runs: int, streams: int) -> dict[str, NDArray[Any]]:
    """Return the arrays that all kinds of terminals have."""
    nodes = network.topology.nodes
    return {
        "back": np.zeros((runs, streams), np.int32),
        "flits": np.zeros((runs, nodes), np.int64),
        "sent": np.zeros((runs, nodes * (network.topology.degree + 1)), np.int64),
    }


def _turns(streams: int, classes: int) -> IntArray:
    """Return `SharedPorts.last_grant`."""
    return np.arange(streams) % classes - classes


def _direct_state(
    network: Network,
    packets: NDArray[Any],
    terminals: Sequence[AxiTerminalModel],
    config: DirectConfig,
) -> DirectState:
    users = _users(packets, terminals)
    runs, streams = users.shape
    sender = np.zeros((runs, streams), DIRECT_SENDER)
    sender["last_grant"] = _turns(streams, network.classes)
    sender["credits"] = network.terminal_depth
    sender["tag"] = sender["open_tag"] = -1
    queue = np.zeros((runs, streams * config.depth), QUEUED)
    return DirectState(
        user=users,
        came=np.zeros((runs, streams), CAME),
        beat=np.zeros((runs, streams), BEAT),
        sender=sender,
        receiver=np.zeros((runs, streams), DIRECT_RECEIVER),
        queue=queue,
        **_ends(network, runs, streams),
    )


def _flow_state(
    network: Network,
    packets: NDArray[Any],
    terminals: Sequence[AxiTerminalModel],
    config: FlowConfig,
) -> FlowState:
    users = _users(packets, terminals)
    runs, streams = users.shape
    sender = np.zeros((runs, streams), FLOW_SENDER)
    sender["last_grant"] = _turns(streams, network.classes)
    sender["credits"] = network.terminal_depth
    receiver = np.zeros((runs, streams), FLOW_RECEIVER)
    receiver["space"] = config.receive
    receiver["units"] = 1
    rows = {"arrival": (config.arrivals, ARRIVAL), "request": (config.requests, REQUESTED)}
    rows |= {"reply": (ANSWERS, REPLY)}
    return FlowState(
        user=users,
        came=np.zeros((runs, streams), CAME),
        beat=np.zeros((runs, streams), BEAT),
        sender=sender,
        receiver=receiver,
        slots=np.zeros((runs, streams * SLOTS), SLOT),
        counts=np.full((runs, streams * config.windows), config.withheld, np.int8),
        withheld=np.full((runs, streams * config.peers), config.withheld, np.int8),
        pace=np.zeros((runs, streams // network.classes), PACE),
        arrivals=np.zeros((runs, streams), BLOCK_QUEUE),
        requests=np.zeros((runs, streams), BLOCK_QUEUE),
        replies=np.zeros((runs, streams), BLOCK_QUEUE),
        **{f"{name}_rows": np.zeros((runs, streams * n), kind) for name, (n, kind) in rows.items()},
        **_ends(network, runs, streams),
    )
