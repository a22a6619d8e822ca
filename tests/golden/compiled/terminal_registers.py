"""The registers of terminals of the two models, one beside the other."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.compiled.run import CompiledRun
from fingerpost.golden.compiled.state import of_run
from fingerpost.golden.terminal import AxiTerminalModel, CreditTerminalModel, TerminalModel
from fingerpost.golden.terminal.axi_receiver import AxiReceiver
from fingerpost.golden.terminal.axi_sender import AxiSender, Beats
from fingerpost.golden.terminal.flow_layout import SLOTS
from fingerpost.golden.terminal.flow_receiver import FlowReceiver
from fingerpost.golden.terminal.flow_sender import FlowSender
from fingerpost.golden.terminal.queues import BlockQueues, Queues
from fingerpost.golden.terminal.stored_sender import StoredSender

Array = NDArray[Any]

Pair = tuple[str, Array, Array]
"""A register: its name, what it holds in the reference, and in the compiled model."""

STORE = "used", "filled", "packets", "valid", "dropping"

SENDER = (
    *("write", "ask", "first_ready", "readies", "chosen", "asks", "waited", "busy", "in_body"),
    *("peer", "kind", "slot", "length", "known", "sent_header", "sent_kind", "sent_slot"),
    *("sent_length", "index", "sequence", "sent_sequence"),
)

REPLIES = "peer", "grant", "slot", "units", "base"

IN_ORDER = {
    "arrivals": ("data", "last", "eager", "source", "tag"),
    "requests": ("peer", "slot", "length"),
}
REORDERED = {
    "ready": ("stream", "sequence"),
    "requests": ("peer", "slot", "length", "follows"),
    "granted": ("source", "follows"),
}
"""Queues of receivers, and the columns of their rows."""

ROWS = {"arrivals": "arrival_rows", "requests": "request_rows"}
ROWS |= {"ready": "ready_rows", "granted": "granted_rows"}

REASSEMBLY = "base", "state", "stream", "sequence", "fresh", "stored"

PLACE = "word", "last", "request", "next_round", "tag"

RECEIVER = (
    *("from_", "space", "units", "busy", "from_eager", "middle", "offered"),
    *("rested", "sequence"),
)

PACE = "wait", "invited", "row"


def rows_in_order(first: Any, level: Any, depth: int) -> tuple[Any, Any]:
    """Return stream and row of all that is in some queues, the front first."""
    stream = np.repeat(np.arange(len(level)), level)
    within = np.arange(len(stream)) - np.repeat(np.cumsum(level) - level, level)
    return stream, (first[stream] + within) % depth


def packets_of(run: CompiledRun, tag: Array) -> Array:
    """Return the packets of a run by their numbers among those of all runs."""
    return np.where(tag < 0, tag, tag - run.first)


def _named(part: str, names: Iterable[str], reference: Any, compiled: Array) -> Iterator[Pair]:
    """Return registers that have the same name in both models."""
    for name in names:
        yield f"{part} {name}", getattr(reference, name), compiled[name]


def pairs(ends: TerminalModel, run: CompiledRun) -> Iterator[Pair]:
    assert isinstance(ends, (AxiTerminalModel, CreditTerminalModel))
    state, packets = of_run(run.arrays, run.number), run.arrays.packets[run.packets]
    terminals = state.terminals
    yield from _named("packets", ("received", "delivered", "expected"), ends, packets)
    yield "received_flits", np.array(ends.received_flits), state.clock[0]["received_flits"]
    yield "faults", np.array(ends.faults, np.str_), np.array(run.faults, np.str_)
    if isinstance(ends, CreditTerminalModel):
        yield "packet", ends.packet, terminals.packet - run.first
        yield "end", ends.end, terminals.end - run.first
        yield "index", ends.index, terminals.next_flit
        for name in ("credits", "backlog", "turn"):
            yield name, getattr(ends, name), getattr(terminals, name)
        return
    yield "user packet", ends.packet, terminals.user["packet"] - run.first
    yield "user end", ends.end, terminals.user["end"] - run.first
    yield from _named("user", ("index", "offers", "silent"), ends, terminals.user)
    yield "closed", ends.closed, packets["closed"]
    sender, receiver = ends.interfaces.sender, ends.interfaces.receiver
    yield "sender refused", sender.refused, terminals.sender["refused"]
    if isinstance(sender, StoredSender):
        yield from _named("store", STORE, sender.queue, terminals.store)
        sender = sender.sender
    yield "sender credits", sender.credits, terminals.sender["credits"]
    yield "sender last_grant", sender.ports.last_grant, terminals.sender["last_grant"]
    credit = np.isin(np.arange(len(ends.exists)), receiver.credit)
    yield "receiver credit", credit, terminals.receiver["credit"]
    if isinstance(sender, AxiSender):
        assert isinstance(receiver, AxiReceiver)
        yield from _direct(sender, receiver, run)
        return
    assert isinstance(receiver, FlowReceiver)
    yield from _flow_sender(sender, run)
    yield from _flow_receiver(receiver, run)


def _direct(sender: AxiSender, receiver: AxiReceiver, run: CompiledRun) -> Iterator[Pair]:
    terminals = of_run(run.arrays, run.number).terminals
    packets, there = run.arrays.packets[run.packets], terminals.sender
    yield from _named("sender", ("held", "opened", "dropping", "quiet", "expired"), sender, there)
    yield "sender open_tag", sender.open_tag, packets_of(run, there["open_tag"])
    tag = packets_of(run, there["tag"])
    some = tag >= 0
    yield "sender head", sender.head, np.where(some, packets["header"][tag], 0)
    yield "sender known", sender.known, some & packets["known"][tag]
    beats = _beats(run, tag, there["index"])._replace(tag=tag)
    for name, here, column in zip(Beats._fields, sender.beat, beats, strict=True):
        yield f"beat {name}", here, column if name == "tag" else np.where(some, column, 0)
    yield from _named("receiver", ("source", "level", "read"), receiver, terminals.receiver)
    at = stream, row = rows_in_order(receiver.read, receiver.level, receiver.depth)
    queue = terminals.queue[stream * receiver.depth + row]
    yield "queue data", receiver.queue[at], queue["data"]
    yield "queue tag", receiver.tag[at], np.maximum(packets_of(run, queue["tag"]), -1)
    yield "queue marks", receiver.marks[at], _columns(queue, ("head", "tail"))


def _beats(run: CompiledRun, packet: Array, index: Array) -> Beats:
    """Return beats of packets, as the users of the reference make them."""
    network: Any = run.traffic.network
    model = network.terminal.model(run.traffic)
    assert isinstance(model, AxiTerminalModel)
    return model.beats(packet.astype(np.int64), index.astype(np.int64))


def _late(late: tuple[Array, ...], count: int) -> Array:
    """Return peer and units of what is late at every terminal, zeros where nothing is."""
    found = np.zeros((count, 2), np.int64)
    found[late[0]] = np.stack(late[1:], axis=1)
    found[found[:, 1] == 0] = 0
    return found


def _late_compiled(records: Array, peer: str) -> Array:
    found = _columns(records, (peer, "late_units"))
    found[found[:, 1] == 0] = 0
    return found


def _flow_sender(sender: FlowSender, run: CompiledRun) -> Iterator[Pair]:
    terminals = of_run(run.arrays, run.number).terminals
    there, slots = terminals.sender, terminals.slots
    windows, store = sender.windows, sender.store
    yield from _named("sender", SENDER, sender, there)
    # The header of an unknown terminal is never sent.
    header = np.where(there["known"], there["header"], 0)
    yield "sender header", np.where(sender.known, sender.header, 0), header
    yield "used", sender.used.ravel(), slots["used"]
    yield "requests", sender.requests.ravel(), slots["request"]
    yield "packets", sender.packets.reshape(-1, 2), _columns(slots, ("dest", "length"))
    yield "ready_slots", sender.ready_slots.ravel(), slots["ready"]
    yield "ready_sequences", sender.ready_sequences.ravel(), slots["ready_sequence"]
    yield "counts", windows.counts.ravel(), terminals.counts
    yield "issued", windows.issued.ravel(), terminals.issued
    yield "window sequence", windows.sequence, there["issued"]
    yield "outstanding", windows.outstanding, there["outstanding"]
    yield "window peer", windows.peer, there["window_peer"]
    yield "late acks", _late(windows.late, len(there)), _late_compiled(there, "late_peer")
    yield from _named("store", ("filled", "dest", "dropping"), store, there)
    length = np.where(slots["used"], slots["length"], 0)
    write = np.arange(len(there)) * SLOTS + there["write"] % SLOTS
    length[write] = np.where(slots["used"][write], length[write], there["filled"])
    stored, within = rows_in_order(np.zeros_like(length), length, store.flow.packet_limit)
    rows = store.rows.reshape(-1, store.flow.packet_limit, 4)
    tag = slots["tag"][stored] - run.first
    beats = _beats(run, tag, within)
    marks = beats.last_byte * beats.last, beats.error & beats.last
    yield "stored", rows[stored, within], np.stack([beats.data, *marks, tag], axis=1)


def _flow_receiver(receiver: FlowReceiver, run: CompiledRun) -> Iterator[Pair]:
    terminals = of_run(run.arrays, run.number).terminals
    there, order, compiled = terminals.receiver, receiver.arrivals, terminals.order
    yield from _named("receiver", RECEIVER, receiver, there)
    yield from _named("pace", PACE, receiver.pace, terminals.pace)
    yield "withheld", receiver.withheld.ravel(), terminals.withheld
    yield "late units", _late(receiver.late, len(there)), _late_compiled(there, "late_source")
    replies = _columns(terminals.reply_rows, REPLIES)
    yield from _queue("replies", receiver.replies, terminals.replies, replies)
    in_order = isinstance(order, BlockQueues)
    for name, fields in (IN_ORDER if in_order else REORDERED).items():
        rows = _columns(getattr(compiled, ROWS[name]), fields)
        if name == "arrivals":
            rows[:, -1] -= run.first
        of: Any = receiver if in_order else order
        yield from _queue(name, getattr(of, name), getattr(compiled, name), rows)
    if isinstance(order, BlockQueues):
        return
    shown = compiled.reassembly
    yield from _named("order", REASSEMBLY, order, shown)
    late = np.full((len(there), 2), -1)
    late[order.late[0]] = np.stack(order.late[1:], axis=1)
    late_compiled = _columns(shown, ("late_stream", "late_sequence"))
    late_compiled[~shown["late"]] = -1
    yield "late", late, late_compiled
    yield "row", order.row, _columns(shown, PLACE)
    yield "heads", order.heads.ravel(), compiled.heads
    yield "places", order.places.reshape(-1, len(PLACE)), _columns(compiled.places, PLACE)


def _columns(rows: Array, fields: tuple[str, ...]) -> Array:
    return np.stack([rows[field].astype(np.int64) for field in fields], axis=1)


def _queue(name: str, queue: Queues, compiled: Array, rows: Array) -> Iterator[Pair]:
    """Return a queue of every terminal."""
    yield f"{name} level", queue.level, compiled["level"]
    if isinstance(queue, BlockQueues):
        yield f"{name} valid", queue.front_valid, compiled["front_valid"]
        yield f"{name} fetched", queue.fetched, compiled["fetched"]
    stream, row = rows_in_order(compiled["read"], compiled["level"], queue.depth)
    here = queue.rows[rows_in_order(queue.read, queue.level, queue.depth)]
    yield f"{name} rows", here, rows[stream * queue.depth + row]
