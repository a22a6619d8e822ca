"""The arrays of AXI4-Stream terminals of the compiled model, as they are before the first cycle."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.engine.routes import RouteTable
from fingerpost.golden.engine.start import packets_of
from fingerpost.golden.header import bits
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network
from fingerpost.golden.router.records import NEVER
from fingerpost.golden.terminal import AxiStreamTerminal, records
from fingerpost.golden.terminal.beat import EXPIRED, REFUSED, AxiLayout
from fingerpost.golden.terminal.flow_layout import ANSWERS, SLOTS, FlowControl, FlowLayout
from fingerpost.golden.terminal.state import (
    DirectConfig,
    DirectState,
    FlowConfig,
    FlowState,
    InOrderConfig,
    InOrderState,
    ReorderConfig,
    ReorderState,
)
from fingerpost.golden.traffic import BAD_HEADER, NO_HEAD, NO_TAIL, POISONED, Traffic


class Pairs(NamedTuple):
    """Every node and peer between which packets or answers go, and the header that they have."""

    node: IntArray
    peer: IntArray
    header: IntArray

    @classmethod
    def of(cls, network: AnyNetwork, packets: NDArray[Any]) -> "Pairs":
        """Return those of some packets, in ascending order."""
        nodes, known = network.topology.nodes, packets[packets["known"]]
        source, destination = (known[name].astype(np.int64) for name in ("source", "destination"))
        both = source * nodes + destination, destination * nodes + source
        node, peer = np.divmod(np.unique(np.concatenate(both)), nodes)
        return cls(node, peer, network.routing.encode(node, peer))


def axi_start(
    network: Network,
    traffics: Sequence[Traffic],
    routes: RouteTable,
    **pauses: Mapping[int, int] | None,
) -> tuple[NDArray[Any], Any, Any]:
    """Return packets of all runs, what does not change of terminals, and what does.

    `pauses` are those of `make_users`.
    """
    terminal, packets = _terminal(network), axi_packets(network, traffics)
    if terminal.takes_all:
        pairs = Pairs.of(network, packets)
        first = routes.first(pairs.node, pairs.header)
        return packets, *flow_start(network, traffics, packets, pairs, first, **pauses)
    source, known, layout = (
        packets["source"].astype(np.int64),
        packets["known"],
        AxiLayout.of(network),
    )
    header = network.routing.encode(source, np.where(known, packets["destination"], source))
    packets["header"] = layout.head.join(header=header, source=source)
    packets["step"][known] = routes.first(source[known], header[known])
    direct = DirectConfig(
        **common(terminal.timeout, layout, network),
        max_refused=REFUSED.most,
        max_expired=EXPIRED.most,
        depth=network.buffer_depth,
        store=terminal.store,
    )
    users = make_users(network, traffics, packets, **pauses)
    return packets, direct, _direct_state(network, users, direct)


def _terminal(network: AnyNetwork) -> AxiStreamTerminal:
    assert isinstance(network.terminal, AxiStreamTerminal)
    return network.terminal


def axi_packets(network: AnyNetwork, traffics: Sequence[Traffic]) -> NDArray[Any]:
    """Return the packets of all runs, an array of `AXI_PACKET`."""
    terminal, number = _terminal(network), AxiLayout.of(network).number
    strangers = np.setdiff1d(np.arange(1 << number), network.topology.terminals)
    flow, made = terminal.flow(network), list[NDArray[Any]]()
    for t in traffics:
        packets = np.zeros(len(t.source), records.AXI_PACKET)
        for name in ("time", "salt", "source", "destination", "length", "message_class"):
            packets[name] = getattr(t, name)
        stranger = (t.kind == BAD_HEADER) & (len(strangers) > 0)
        some = strangers[t.salt % len(strangers)] if len(strangers) else t.destination
        packets["dest"] = np.where(stranger, some, t.destination)
        packets["known"] = packets["expected"] = ~stranger
        packets["marked"] = np.isin(t.kind, (NO_HEAD, POISONED))
        # Before which beat a sender falls silent; never before the first.
        silent = (t.kind == NO_TAIL) & (t.length > 1)
        packets["pause"] = np.where(silent, 1 + t.salt % np.maximum(t.length - 1, 1), -1)
        for limit in (flow.packet_limit if flow else 0, terminal.store):
            if limit:
                packets["expected"] &= t.length <= limit
        packets["delivered"] = -1
        made.append(packets)
    return np.concatenate(made)


def make_users(
    network: AnyNetwork,
    traffics: Sequence[Traffic],
    packets: NDArray[Any],
    *,
    sends_until: Mapping[int, int] | None = None,
    sends_again: Mapping[int, int] | None = None,
    reads_until: Mapping[int, int] | None = None,
    reads_again: Mapping[int, int] | None = None,
) -> NDArray[Any]:
    """Return the users of all runs, (runs, streams) of `USER`.

    Parameters
    ----------
    network : AnyNetwork
    traffics : sequence of Traffic
    packets : array
        Their packets.
    sends_until, reads_until : mapping of int to int
        Streams (nodes, with one message class), and the cycle from which their users offer no
        further beat, or take none.
    sends_again, reads_again : mapping of int to int
        The cycle from which they do again; without one they never do.
    """
    first, end = packets_of(traffics)
    users = np.zeros(first.shape, records.USER)
    pauses = {
        "sends_until": sends_until,
        "sends_again": sends_again,
        "reads_until": reads_until,
        "reads_again": reads_again,
    }
    for name, given in pauses.items():
        users[name] = np.iinfo(np.int64).max
        for stream, cycle in (given or {}).items():
            users[name][:, stream] = cycle
    node = np.arange(first.shape[1]) // network.classes
    users["exists"] = np.isin(node, network.topology.terminals)
    users["packet"], users["end"] = first, end
    users["due"] = np.where(first < end, np.append(packets["time"], NEVER)[first], NEVER)
    return users


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
    network: AnyNetwork,
    traffics: Sequence[Traffic],
    packets: NDArray[Any],
    pairs: Pairs,
    first: IntArray,
    **pauses: Mapping[int, int] | None,
) -> tuple[FlowConfig, FlowState]:
    """Return what does not change of terminals with flow control, and what does.

    `first` are the first steps of the routes of `pairs`.
    """
    config = _flow_config(network, pairs, first)
    users = make_users(network, traffics, packets, **pauses)
    return config, _flow_state(network, users, config)


def _flow_config(network: AnyNetwork, pairs: Pairs, first: IntArray) -> FlowConfig:
    terminal = _terminal(network)
    flow = terminal.flow(network)
    assert flow
    layout = FlowLayout.controlled(network, flow)
    nodes, head = network.topology.nodes, layout.head
    fields: dict[str, int] = {}
    for name in ("kind", "slot", "length", "sequence"):
        field = head.get(name)
        fields[f"{name}_offset"] = field.offset if field else 0
        fields[f"{name}_mask"] = (1 << field.width) - 1 if field else 0
    return FlowConfig(
        **common(terminal.timeout, layout, network),
        max_refused=REFUSED.most,
        **fields,
        last_offset=head["last"].offset if layout.single else 0,
        mark=layout.mark.width if layout.single else 0,
        header=layout.header if layout.single else 0,
        single=layout.single,
        peers=flow.peers,
        # A packet may be to a number that no node has; its window is read, and nothing is issued.
        windows=1 << bits(flow.peers),
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
        order=order_config(flow),
        pair_first=np.searchsorted(pairs.node, np.arange(nodes + 1)),
        pair_peer=pairs.peer.astype(np.int32),
        pair_header=pairs.header,
        pair_step=first.astype(np.int32),
    )


def order_config(flow: FlowControl) -> InOrderConfig | ReorderConfig:
    """Return what does not change of what receivers keep."""
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


def _ends(network: AnyNetwork, runs: int) -> dict[str, NDArray[Any]]:
    """Return the arrays that all kinds of terminals have."""
    nodes = network.topology.nodes
    return {
        "flits": np.zeros((runs, nodes), np.int64),
        "sent": np.zeros((runs, nodes * (network.topology.degree + 1)), np.int64),
    }


def _turns(streams: int, classes: int) -> IntArray:
    """Return `last_grant` of senders, of which some share a port: the first goes first."""
    return np.arange(streams) % classes - classes


def _direct_state(network: Network, users: NDArray[Any], config: DirectConfig) -> DirectState:
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


def _flow_state(network: AnyNetwork, users: NDArray[Any], config: FlowConfig) -> FlowState:
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
        order=order_state(runs, streams, config.order, config.peers),
        **_ends(network, runs),
    )


def order_state(
    runs: int, streams: int, order: InOrderConfig | ReorderConfig, peers: int
) -> InOrderState | ReorderState:
    """Return what receivers keep, before the first cycle."""

    def queue() -> NDArray[Any]:
        return np.zeros((runs, streams), records.BLOCK_QUEUE)

    def rows(depth: int, kind: np.dtype[Any]) -> NDArray[Any]:
        return np.zeros((runs, streams * depth), kind)

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
        heads=rows(peers + 1, np.dtype(np.int32)),
        ready_rows=rows(order.streams, records.READY),
        request_rows=rows(order.requests, records.REQUESTED),
        granted_rows=rows(order.grants, records.GRANTED),
    )
