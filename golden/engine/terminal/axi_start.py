"""The arrays of AXI4-Stream terminals of the compiled model, as they are before the first cycle."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.engine.routes import RouteTable
from fingerpost.golden.engine.terminal import records
from fingerpost.golden.engine.terminal.state import (
    DirectConfig,
    DirectState,
    FlowConfig,
    FlowState,
    InOrderConfig,
    InOrderState,
    ReorderConfig,
    ReorderState,
)
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network
from fingerpost.golden.router.records import NEVER
from fingerpost.golden.terminal.axi_interfaces import DirectInterfaces
from fingerpost.golden.terminal.axi_model import AxiTerminalModel
from fingerpost.golden.terminal.beat import EXPIRED, REFUSED, AxiLayout
from fingerpost.golden.terminal.flow_layout import ANSWERS, SLOTS, FlowControl, FlowLayout
from fingerpost.golden.terminal.flow_sender import FlowSender


class Pairs(NamedTuple):
    """Every node and peer between which packets or answers go, and the header that they have."""

    node: IntArray
    peer: IntArray
    header: IntArray

    @classmethod
    def of(cls, network: AnyNetwork, terminals: Sequence[AxiTerminalModel]) -> "Pairs":
        """Return those of the packets of all runs, in ascending order."""
        nodes, found = network.topology.nodes, [np.empty(0, np.int64)]
        for model in terminals:
            traffic, known = model.traffic, model.known
            source, destination = traffic.source[known], traffic.destination[known]
            found += [source * nodes + destination, destination * nodes + source]
        node, peer = np.divmod(np.unique(np.concatenate(found)), nodes)
        return cls(node, peer, network.routing.encode(node, peer))


def axi_start(
    network: Network, terminals: Sequence[AxiTerminalModel], routes: RouteTable
) -> tuple[NDArray[Any], Any, Any]:
    """Return packets of all runs, what does not change of terminals, and what does."""
    if isinstance(terminals[0].interfaces.sender, FlowSender):
        pairs = Pairs.of(network, terminals)
        return flow_start(network, terminals, pairs, routes.first(pairs.node, pairs.header))
    packets = np.concatenate([_packets(each) for each in terminals])
    known = packets["known"]
    header = packets["header"][known] & (1 << network.routing.header.width) - 1
    packets["step"][known] = routes.first(packets["source"][known].astype(np.int64), header)
    direct = DirectConfig(
        **common(terminals[0].timeout, terminals[0].layout, network),
        max_refused=REFUSED.most,
        max_expired=EXPIRED.most,
        depth=network.buffer_depth,
        store=terminals[0].store,
    )
    return packets, direct, _direct_state(network, packets, terminals, direct)


def _packets(model: AxiTerminalModel) -> NDArray[Any]:
    traffic = model.traffic
    packets = np.zeros(len(traffic.source), records.AXI_PACKET)
    for name in ("time", "salt", "source", "destination", "length", "message_class"):
        packets[name] = getattr(traffic, name)
    for name in ("dest", "pause", "known", "marked", "expected"):
        packets[name] = getattr(model, name)
    packets["delivered"] = -1
    if isinstance(model.interfaces, DirectInterfaces):
        packets["header"] = model.interfaces.head[:-1]
    return packets


def common(timeout: int, layout: AxiLayout, network: AnyNetwork) -> dict[str, int]:
    """Return what all kinds know: the time-out, and fields of flits."""
    body, source = layout.body, layout.head["source"]
    last_byte = body.get("last_byte")
    return {
        "timeout": timeout,
        "bytes": layout.bytes,
        "data_offset": body["data"].offset,
        "data_mask": (1 << layout.model_width) - 1,
        "last_byte_offset": last_byte.offset if last_byte else 0,
        "last_byte_mask": (1 << last_byte.width) - 1 if last_byte else 0,
        "source_offset": source.offset,
        "source_mask": (1 << source.width) - 1,
        "status": (1 << layout.status) - 1 << max(network.flit_width - layout.status, 0),
    }


def flow_start(
    network: AnyNetwork, terminals: Sequence[AxiTerminalModel], pairs: Pairs, first: IntArray
) -> tuple[NDArray[Any], FlowConfig, FlowState]:
    """Return the same with flow control; `first` are the first steps of the routes of `pairs`."""
    packets = np.concatenate([_packets(each) for each in terminals])
    config = _flow_config(network, terminals[0], pairs, first)
    return packets, config, _flow_state(network, packets, terminals, config)


def _flow_config(
    network: AnyNetwork, model: AxiTerminalModel, pairs: Pairs, first: IntArray
) -> FlowConfig:
    sender, layout = model.interfaces.sender, model.layout
    assert isinstance(sender, FlowSender)
    assert isinstance(layout, FlowLayout)
    nodes, flow, head = network.topology.nodes, sender.flow, layout.head
    fields: dict[str, int] = {}
    for name in ("kind", "slot", "length", "sequence"):
        field = head.get(name)
        fields[f"{name}_offset"] = field.offset if field else 0
        fields[f"{name}_mask"] = (1 << field.width) - 1 if field else 0
    return FlowConfig(
        **common(model.timeout, layout, network),
        max_refused=REFUSED.most,
        **fields,
        last_offset=head["last"].offset if layout.single else 0,
        mark=layout.mark.width if layout.single else 0,
        header=layout.header if layout.single else 0,
        single=layout.single,
        peers=flow.peers,
        windows=sender.windows.counts.shape[1],
        eager=flow.eager,
        packet_limit=flow.packet_limit,
        window=flow.window,
        units_mask=(1 << flow.units) - 1,
        batch=flow.batch,
        withheld=flow.withheld,
        busy=flow.busy,
        full=flow.full,
        clearing=flow.clearing,
        receive=flow.receive,
        ordered=flow.ordered,
        order=_order_config(flow),
        pair_first=np.searchsorted(pairs.node, np.arange(nodes + 1)),
        pair_peer=pairs.peer.astype(np.int32),
        pair_header=pairs.header,
        pair_step=first.astype(np.int32),
    )


def _order_config(flow: FlowControl) -> InOrderConfig | ReorderConfig:
    if flow.ordered:
        return InOrderConfig(flow.arrivals, flow.requests)
    return ReorderConfig(
        rows=flow.rows,
        space=flow.space,
        granted_place=flow.granted_place,
        places=flow.places,
        streams=flow.peers + 1,
        requests=flow.peers,
        grants=flow.grants,
    )


def _users(packets: NDArray[Any], terminals: Sequence[AxiTerminalModel]) -> NDArray[Any]:
    """Return the users of all runs."""
    users = np.zeros((len(terminals), len(terminals[0].exists)), records.USER)
    time, first = np.append(packets["time"], NEVER), 0
    for row, each in zip(users, terminals, strict=True):
        for name in ("sends_until", "sends_again", "reads_until", "reads_again", "exists"):
            row[name] = getattr(each, name)
        row["packet"], row["end"] = each.packet + first, each.end + first
        row["due"] = np.where(each.packet < each.end, time[row["packet"]], NEVER)
        first += len(each.expected)
    return users


def _ends(network: AnyNetwork, runs: int) -> dict[str, NDArray[Any]]:
    """Return the arrays that all kinds of terminals have."""
    nodes = network.topology.nodes
    return {
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
    sender = np.zeros((runs, streams), records.DIRECT_SENDER)
    sender["last_grant"] = _turns(streams, network.classes)
    sender["credits"] = network.terminal_depth
    sender["tag"] = sender["open_tag"] = -1
    store = np.zeros((runs, streams), records.PACKET_QUEUE)
    store["tag"] = users["packet"]
    queue = np.zeros((runs, streams * config.depth), records.QUEUED)
    return DirectState(
        user=users,
        came=np.zeros((runs, streams), records.CAME),
        beat=np.zeros((runs, streams), records.BEAT),
        sender=sender,
        store=store,
        receiver=np.zeros((runs, streams), records.DIRECT_RECEIVER),
        queue=queue,
        **_ends(network, runs),
    )


def _flow_state(
    network: AnyNetwork,
    packets: NDArray[Any],
    terminals: Sequence[AxiTerminalModel],
    config: FlowConfig,
) -> FlowState:
    users = _users(packets, terminals)
    runs, streams = users.shape
    sender = np.zeros((runs, streams), records.FLOW_SENDER)
    sender["last_grant"] = _turns(streams, network.classes)
    sender["credits"] = network.terminal_depth
    receiver = np.zeros((runs, streams), records.FLOW_RECEIVER)
    receiver["space"] = config.receive
    receiver["units"] = 1
    return FlowState(
        user=users,
        came=np.zeros((runs, streams), records.CAME),
        beat=np.zeros((runs, streams), records.BEAT),
        sender=sender,
        receiver=receiver,
        slots=np.zeros((runs, streams * SLOTS), records.SLOT),
        counts=np.full((runs, streams * config.windows), config.withheld, np.int8),
        issued=np.zeros((runs, streams * config.windows), np.int8),
        withheld=np.full((runs, streams * config.peers), config.withheld, np.int8),
        pace=np.zeros((runs, streams // network.classes), records.PACE),
        replies=np.zeros((runs, streams), records.BLOCK_QUEUE),
        reply_rows=np.zeros((runs, streams * ANSWERS), records.REPLY),
        order=_order_state(runs, streams, config),
        **_ends(network, runs),
    )


def _order_state(runs: int, streams: int, config: FlowConfig) -> InOrderState | ReorderState:
    def queue() -> NDArray[Any]:
        return np.zeros((runs, streams), records.BLOCK_QUEUE)

    def rows(depth: int, kind: np.dtype[Any]) -> NDArray[Any]:
        return np.zeros((runs, streams * depth), kind)

    order = config.order
    if isinstance(order, InOrderConfig):
        return InOrderState(
            arrivals=queue(),
            requests=queue(),
            arrival_rows=rows(order.arrivals, records.ARRIVAL),
            request_rows=rows(order.requests, records.REQUESTED),
        )
    return ReorderState(
        reassembly=np.zeros((runs, streams), records.REASSEMBLY),
        ready=queue(),
        requests=queue(),
        granted=queue(),
        places=rows(order.places, records.PLACE),
        heads=rows(config.peers + 1, np.dtype(np.int32)),
        ready_rows=rows(order.streams, records.READY),
        request_rows=rows(order.requests, records.REQUESTED),
        granted_rows=rows(order.grants, records.GRANTED),
    )
