"""The arrays of AXI4-Stream terminals of the compiled model, as they are before the first cycle."""

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from fingerpost.golden.arrays import Array, IntArray
from fingerpost.golden.engine.routes import RouteTable
from fingerpost.golden.engine.run import Run
from fingerpost.golden.engine.start import Start, empty, packets_like, packets_of
from fingerpost.golden.header import Field, bits
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network
from fingerpost.golden.router.records import NEVER
from fingerpost.golden.terminal import (
    AxiStreamTerminal,
    axi_interface,
    flow_interface,
    records,
)
from fingerpost.golden.terminal.beat import EXPIRED, REFUSED, AxiLayout
from fingerpost.golden.terminal.flow_layout import ANSWERS, SLOTS, FlowLayout
from fingerpost.golden.terminal.state import (
    DirectConfig,
    DirectState,
    FlitFields,
    FlowConfig,
    FlowState,
)
from fingerpost.golden.traffic import BAD_HEADER, NO_HEAD, NO_TAIL, POISONED, Traffic


class Pairs(NamedTuple):
    """Every terminal and peer between which packets or answers go, and the header of these."""

    terminal: IntArray
    peer: IntArray
    header: IntArray

    @classmethod
    def of(cls, network: AnyNetwork, packets: Array) -> "Pairs":
        """Return those of some packets, in ascending order."""
        count, known = network.topology.terminal_numbers, packets[packets["known"]]
        source, destination = (known[name].astype(np.int64) for name in ("source", "destination"))
        both = source * count + destination, destination * count + source
        terminal, peer = np.divmod(np.unique(np.concatenate(both)), count)
        return cls(terminal, peer, network.routing.addresses(terminal, peer))


def axi_start(
    network: Network,
    traffics: Sequence[Traffic],
    routes: RouteTable,
    **pauses: Mapping[int, int] | None,
) -> Start:
    """Return terminals with wormhole routers; `pauses` are those of `make_users`."""
    packets = axi_packets(network, traffics)
    users = make_users(network, traffics, packets, **pauses)
    return streams_start(network, routes, packets, users, direct=axi_interface, flow=flow_interface)


def streams_start(
    network: Network,
    routes: RouteTable,
    packets: Array,
    users: Array,
    *,
    direct: ModuleType,
    flow: ModuleType,
) -> Start:
    """Return terminals with wormhole routers.

    Parameters
    ----------
    network : Network
    routes : RouteTable
    packets : array
        Array with the fields of `AXI_PACKET`.
    users : array
        (runs, streams) of `USER`.
    direct, flow : module
        The functions of terminals without flow control, and with it.
    """
    terminal = _terminal(network)
    if terminal.takes_all:
        pairs = Pairs.of(network, packets)
        first = routes.first(pairs.terminal, pairs.header)
        config = flow_config(network, pairs, first)
        return Start(flow, packets, config, flow_state(network, users, config))
    known, layout = packets["known"], AxiLayout.of(network)
    source = packets["source"].astype(np.int64)
    header = network.routing.addresses(source, np.where(known, packets["destination"], source))
    packets["header"] = layout.head.join(header=header, source=source)
    packets["step"][known] = routes.first(source[known], header[known])
    fixed = DirectConfig(
        fields=flit_fields(layout, network),
        timeout=terminal.timeout,
        max_refused=REFUSED.most,
        max_expired=EXPIRED.most,
        depth=network.buffer_depth,
        store=terminal.store,
    )
    return Start(direct, packets, fixed, _direct_state(network, users, fixed))


def _terminal(network: AnyNetwork) -> AxiStreamTerminal:
    assert isinstance(network.terminal, AxiStreamTerminal)
    return network.terminal


def axi_packets(network: AnyNetwork, traffics: Sequence[Traffic]) -> Array:
    """Return the packets of all runs, an array of `AXI_PACKET`."""
    terminal, number = _terminal(network), AxiLayout.of(network).number
    strangers = np.setdiff1d(np.arange(1 << number), network.topology.terminals)
    flow, made = terminal.flow(network), list[Array]()
    for t in traffics:
        packets = packets_like(t, records.AXI_PACKET)
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
        made.append(packets)
    return np.concatenate(made)


def make_users(
    network: AnyNetwork,
    traffics: Sequence[Traffic],
    packets: Array,
    *,
    sends_until: Mapping[int, int] | None = None,
    sends_again: Mapping[int, int] | None = None,
    reads_until: Mapping[int, int] | None = None,
    reads_again: Mapping[int, int] | None = None,
) -> Array:
    """Return the users of all runs, (runs, streams) of `USER`.

    Parameters
    ----------
    network : AnyNetwork
    traffics : sequence of Traffic
    packets : array
        Their packets.
    sends_until, reads_until : mapping of int to int
        Streams (terminals, with one message class), and the cycle from which their users offer no
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
    terminal = np.arange(first.shape[1]) // network.classes
    users["exists"] = np.isin(terminal, network.topology.terminals)
    users["packet"], users["end"] = first, end
    users["due"] = np.where(first < end, np.append(packets["time"], NEVER)[first], NEVER)
    return users


def flit_fields(layout: AxiLayout, network: AnyNetwork) -> FlitFields:
    """Return where the fields of a packet are in its flits."""
    body, source = layout.body, layout.head["source"]
    last_byte = body.get("last_byte", Field(0, 0, ""))
    return FlitFields(
        bytes=layout.bytes,
        data_offset=body["data"].offset,
        data_mask=(1 << layout.model_width) - 1,
        last_byte_offset=last_byte.offset,
        last_byte_mask=(1 << last_byte.width) - 1,
        source_offset=source.offset,
        source_mask=(1 << source.width) - 1,
        status=(1 << layout.status) - 1 << max(network.flit_width - layout.status, 0),
    )


def flow_config(network: AnyNetwork, pairs: Pairs, first: IntArray) -> FlowConfig:
    """Return what does not change of terminals with flow control.

    `first` are the first steps of the routes of `pairs`.
    """
    terminal = _terminal(network)
    flow = terminal.flow(network)
    assert flow
    layout = FlowLayout.controlled(network, flow)
    head, single = layout.head, layout.single
    own: dict[str, Any] = {n: getattr(flow, n) for n in FlowConfig._fields if hasattr(flow, n)}
    for name in ("kind", "slot", "length", "sequence"):
        field = head.get(name, Field(0, 0, ""))
        own |= {f"{name}_offset": field.offset, f"{name}_mask": (1 << field.width) - 1}
    return FlowConfig(
        **own
        | {
            "fields": flit_fields(layout, network),
            "timeout": terminal.timeout,
            "max_refused": REFUSED.most,
            "last_offset": head["last"].offset if single else 0,
            "mark": layout.mark.width if single else 0,
            "header": layout.header if single else 0,
            "single": single,
            # A packet may be to a number that no node has; its window is read, nothing is issued.
            "windows": 1 << bits(flow.peers),
            "units_mask": (1 << flow.units) - 1,
            "requests": flow.requests if flow.ordered else flow.peers,
            "grants": 1 if flow.ordered else flow.grants,
            "pair_first": np.searchsorted(
                pairs.terminal, np.arange(network.topology.terminal_numbers + 1)
            ),
            "pair_peer": pairs.peer.astype(np.int32),
            "pair_header": pairs.header,
            "pair_step": first.astype(np.int32),
        }
    )


def _turns(streams: int, classes: int) -> IntArray:
    """Return `last_grant` of senders, of which some share a port: the first goes first."""
    return np.arange(streams) % classes - classes


def _direct_state(network: Network, users: Array, config: DirectConfig) -> DirectState:
    runs, streams = users.shape
    kinds = {
        "came": records.CAME,
        "beat": records.BEAT,
        "sender": records.DIRECT_SENDER,
        "store": records.PACKET_QUEUE,
        "receiver": records.DIRECT_RECEIVER,
    }
    queue = np.zeros((runs, streams * config.depth), records.QUEUED)
    state = DirectState(user=users, queue=queue, **empty(runs, streams, kinds))
    state.sender["last_grant"] = _turns(streams, network.classes)
    state.sender["credits"] = network.terminal_depth
    state.sender["tag"] = state.sender["open_tag"] = -1
    state.store["tag"] = users["packet"]
    return state


def flow_state(network: AnyNetwork, users: Array, config: FlowConfig) -> FlowState:
    """Return the state of terminals with flow control before the first cycle."""
    runs, streams = users.shape
    kinds = {
        "came": records.CAME,
        "arrived": records.ARRIVED,
        "beat": records.BEAT,
        "sender": records.FLOW_SENDER,
        "receiver": records.FLOW_RECEIVER,
        "reassembly": records.REASSEMBLY,
    }
    queues = "replies", "arrivals", "requests", "ready", "granted"
    ordered, peers = config.ordered, config.peers
    rows = {
        "slots": (SLOTS, records.SLOT),
        "issued": (config.windows, np.int8),
        "reply_rows": (ANSWERS, records.REPLY),
        "request_rows": (config.requests, records.REQUESTED),
        "arrival_rows": (config.arrivals if ordered else 0, records.ARRIVAL),
        "ready_rows": (0 if ordered else peers + 1, records.READY),
        "granted_rows": (0 if ordered else config.grants, records.GRANTED),
        "places": (0 if ordered else config.places, records.PLACE),
        "heads": (0 if ordered else peers + 1, np.int32),
    }
    state = FlowState(
        user=users,
        counts=np.full((runs, streams * config.windows), config.withheld, np.int8),
        withheld=np.full((runs, streams * peers), config.withheld, np.int8),
        pace=np.zeros((runs, streams // network.classes), records.PACE),
        **empty(runs, streams, kinds | dict.fromkeys(queues, records.BLOCK_QUEUE)),
        **{name: np.zeros((runs, streams * n), kind) for name, (n, kind) in rows.items()},
    )
    state.sender["last_grant"] = _turns(streams, network.classes)
    state.sender["credits"] = network.terminal_depth
    state.receiver["space"], state.receiver["units"] = config.receive, 1
    return state


class AxiRun(Run):
    """A run with AXI4-Stream terminals."""

    part = "beat {} of "
    draws = 2

    @property
    def beats(self) -> IntArray:
        beats: IntArray = self.arrays.packets["received"][self.packets]
        return beats

    @property
    def empty(self) -> bool:
        user = self._of("user")
        return (
            bool((user["packet"] >= user["end"]).all())
            and self._idle
            and self.all_delivered
            and self._all_closed
        )

    @property
    def _idle(self) -> bool:
        """Return whether nothing is stored, and no credit or answer is due."""
        sender, receiver = self._of("sender"), self._of("receiver")
        if self._credits_due:
            return False
        if not isinstance(self.arrays.terminals, FlowState):
            stored = sender["held"].any() or self._of("store")["used"].any()
            return not stored and not receiver["level"].any()
        stored = self._of("slots")["used"].any() or sender["filled"].any()
        busy = sender["chosen"].any() or sender["busy"].any() or receiver["late_units"].any()
        queues = "replies", "arrivals", "requests"
        waits = any(self._of(queue)["level"].any() for queue in queues)
        return not (stored or busy or waits or self._of("reassembly")["stored"].any())

    @property
    def _credits_due(self) -> bool:
        """Return whether a credit is on its way, to routers or to terminals."""
        return bool(self._of("receiver")["credit"].any())

    @property
    def _all_closed(self) -> bool:
        """Return whether every packet that was closed has come out, too."""
        packets = self.arrays.packets[self.packets]
        return bool((packets["delivered"][packets["closed"]] >= 0).all())

    def stop(self) -> None:
        user, traffic = self._of("user"), self.traffic
        begun = (user["index"] > 0) | user["offers"]
        user["end"] = np.minimum(user["end"], user["packet"] + begun)
        user["due"][user["packet"] >= user["end"]] = NEVER
        number = np.arange(len(traffic.source)) + self.first
        self._withdraw(number >= user["end"][traffic.terminal_channel])
