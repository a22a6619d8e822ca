"""All registers of terminals of the two models, in the words of the reference."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.compiled.run import CompiledRun
from fingerpost.golden.compiled.state import of_run
from fingerpost.golden.compiled.terminal.state import CreditState, FlowState, ReorderState
from fingerpost.golden.terminal import AxiTerminalModel, CreditTerminalModel, TerminalModel
from fingerpost.golden.terminal.axi_receiver import AxiReceiver
from fingerpost.golden.terminal.axi_sender import AxiSender, Beats
from fingerpost.golden.terminal.flow_layout import SLOTS
from fingerpost.golden.terminal.flow_receiver import FlowReceiver
from fingerpost.golden.terminal.flow_sender import FlowSender
from fingerpost.golden.terminal.queues import BlockQueues, Queues
from fingerpost.golden.terminal.stored_sender import StoredSender

Registers = dict[str, NDArray[Any]]

USER = "packet", "end", "index", "offers", "silent"

SHARED = "credits", "refused"
"""Of senders with and without flow control."""

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


def of_reference(ends: TerminalModel) -> Registers:
    assert isinstance(ends, (AxiTerminalModel, CreditTerminalModel))
    found: Registers = {
        "received": ends.received,
        "delivered": ends.delivered,
        "expected": ends.expected,
        "received_flits": np.array(ends.received_flits),
        "faults": np.array(ends.faults, np.str_),
    }
    if isinstance(ends, CreditTerminalModel):
        names = ("packet", "end", "index", "credits", "backlog", "turn")
        return found | {f"terminal {name}": getattr(ends, name) for name in names}
    found |= {f"user {name}": getattr(ends, name) for name in USER}
    found["closed"] = ends.closed
    sender, receiver = ends.interfaces.sender, ends.interfaces.receiver
    if isinstance(sender, StoredSender):
        found |= {f"store {name}": getattr(sender.queue, name) for name in STORE}
        refused, sender = sender.refused, sender.sender
        found |= {"sender credits": sender.credits, "sender refused": refused}
    else:
        found |= {f"sender {name}": getattr(sender, name) for name in SHARED}
    found["sender last_grant"] = sender.ports.last_grant
    credit = np.zeros(len(ends.exists), np.bool_)
    credit[receiver.credit] = True
    found["receiver credit"] = credit
    if isinstance(sender, AxiSender):
        assert isinstance(receiver, AxiReceiver)
        return found | _direct(sender, receiver)
    assert isinstance(receiver, FlowReceiver)
    return found | _flow_sender(sender) | _flow_receiver(receiver)


def _direct(sender: AxiSender, receiver: AxiReceiver) -> Registers:
    names = ("held", "opened", "dropping", "open_tag", "quiet", "expired", "head", "known")
    found: Registers = {f"sender {name}": getattr(sender, name) for name in names}
    found |= {
        f"beat {name}": column for name, column in zip(Beats._fields, sender.beat, strict=True)
    }
    found |= {f"receiver {name}": getattr(receiver, name) for name in ("source", "level", "read")}
    stream, row = rows_in_order(receiver.read, receiver.level, receiver.depth)
    found["queue data"], found["queue tag"] = receiver.queue[stream, row], receiver.tag[stream, row]
    return found | {"queue marks": receiver.marks[stream, row]}


def _flow_sender(sender: FlowSender) -> Registers:
    found: Registers = {f"sender {name}": getattr(sender, name) for name in SENDER}
    # The header of an unknown terminal is never sent.
    found["sender header"] = np.where(sender.known, sender.header, 0)
    found["used"], found["requests"] = sender.used.ravel(), sender.requests.ravel()
    found["packets"] = sender.packets.reshape(-1, 2)
    found["ready_slots"] = sender.ready_slots.ravel()
    found["ready_sequences"] = sender.ready_sequences.ravel()
    windows, store = sender.windows, sender.store
    found["counts"], found["issued"] = windows.counts.ravel(), windows.issued.ravel()
    found["window sequence"] = windows.sequence
    found["outstanding"], found["window peer"] = windows.outstanding, windows.peer
    late = np.zeros((len(sender.every), 2), np.int64)
    late[windows.late[0]] = np.stack(windows.late[1:], axis=1)
    found["late acks"] = late[:, 1]
    found["late peers"] = np.where(late[:, 1] > 0, late[:, 0], 0)
    found["filled"], found["dest"] = store.filled, store.dest
    found["store dropping"] = store.dropping
    stored, within = np.nonzero(np.arange(store.flow.packet_limit) < _stored(sender)[:, None])
    rows = store.rows.reshape(-1, store.flow.packet_limit, 4)
    return found | {"stored": rows[stored, within]}


def _stored(sender: FlowSender) -> NDArray[Any]:
    """Return the beats in each slot."""
    length = np.where(sender.used, sender.packets[:, :, 1], 0)
    length[sender.every, sender.write % SLOTS] = np.where(
        sender.used[sender.every, sender.write % SLOTS],
        length[sender.every, sender.write % SLOTS],
        sender.store.filled,
    )
    return length.ravel()


def _flow_receiver(receiver: FlowReceiver) -> Registers:
    found: Registers = {f"receiver {name}": getattr(receiver, name) for name in RECEIVER}
    found |= {f"pace {name}": getattr(receiver.pace, name) for name in PACE}
    found["withheld"] = receiver.withheld.ravel()
    late = np.zeros((len(receiver.space), 2), np.int64)
    late[receiver.late[0]] = np.stack(receiver.late[1:], axis=1)
    found["late units"] = late[:, 1]
    found["late source"] = np.where(late[:, 1] > 0, late[:, 0], 0)
    found |= _queue("replies", receiver.replies)
    order = receiver.arrivals
    if isinstance(order, BlockQueues):
        return found | _queue("arrivals", order) | _queue("requests", receiver.requests)
    for name in REORDERED:
        found |= _queue(name, getattr(order, name))
    found |= {f"order {name}": getattr(order, name) for name in REASSEMBLY}
    late = np.full((len(receiver.space), 2), -1)
    late[order.late[0]] = np.stack(order.late[1:], axis=1)
    places = order.places.reshape(-1, len(PLACE))
    return found | {"late": late, "row": order.row, "heads": order.heads.ravel(), "places": places}


def _queue(name: str, queue: Queues) -> Registers:
    """Return a queue of every terminal."""
    found: Registers = {f"{name} level": queue.level}
    if isinstance(queue, BlockQueues):
        found |= {f"{name} valid": queue.front_valid, f"{name} fetched": queue.fetched}
    stream, row = rows_in_order(queue.read, queue.level, queue.depth)
    return found | {f"{name} rows": queue.rows[stream, row]}


def of_compiled(run: CompiledRun) -> Registers:
    config, state = run.config, of_run(run.arrays, run.number)
    terminals, clock = state.terminals, state.clock[0]
    packets = run.arrays.packets[run.packets]
    found: Registers = {
        "received": packets["received"],
        "delivered": packets["delivered"],
        "expected": packets["expected"],
        "received_flits": clock["received_flits"],
        "faults": np.array(run.faults, np.str_),
    }
    if isinstance(terminals, CreditState):
        return found | {
            "terminal packet": terminals.packet - run.first,
            "terminal end": terminals.end - run.first,
            "terminal index": terminals.next_flit,
            "terminal credits": terminals.credits,
            "terminal backlog": terminals.backlog,
            "terminal turn": terminals.turn,
        }
    user, sender, receiver = terminals.user, terminals.sender, terminals.receiver
    found |= {f"user {name}": user[name] for name in USER}
    found["user packet"], found["user end"] = (user[name] - run.first for name in ("packet", "end"))
    found["closed"] = packets["closed"]
    found |= {f"sender {name}": sender[name] for name in (*SHARED, "last_grant")}
    found["receiver credit"] = receiver["credit"]
    if isinstance(terminals, FlowState):
        return found | _compiled_sender(run, terminals) | _compiled_receiver(run, terminals)
    if config.terminal.store:
        found |= {f"store {name}": terminals.store[name] for name in STORE}
    for name in ("held", "opened", "dropping", "quiet", "expired"):
        found[f"sender {name}"] = sender[name]
    found["sender open_tag"] = np.where(sender["open_tag"] < 0, -1, sender["open_tag"] - run.first)
    tag = np.where(sender["tag"] < 0, -1, sender["tag"] - run.first)
    some = tag >= 0
    found["sender head"] = np.where(some, packets["header"][tag], 0)
    found["sender known"] = some & packets["known"][tag]
    beats = _beats(run, tag, sender["index"])
    found |= {f"beat {name}": np.where(some, column, 0) for name, column in beats.items()}
    found["beat tag"] = tag
    found |= {f"receiver {name}": receiver[name] for name in ("source", "level", "read")}
    stream, row = rows_in_order(
        receiver["read"].astype(int), receiver["level"], config.terminal.depth
    )
    queue = terminals.queue[stream * config.terminal.depth + row]
    found["queue data"] = queue["data"]
    found["queue tag"] = queue["tag"] - run.first
    found["queue tag"][queue["tag"] < 0] = -1
    return found | {"queue marks": np.stack([queue["head"], queue["tail"]], axis=1)}


def _beats(run: CompiledRun, packet: NDArray[Any], index: NDArray[Any]) -> Registers:
    """Return beats of packets, as the users of the reference make them."""
    network: Any = run.traffic.network
    model = network.terminal.model(run.traffic)
    assert isinstance(model, AxiTerminalModel)
    return model.beats(packet.astype(np.int64), index.astype(np.int64))._asdict()


def _compiled_sender(run: CompiledRun, terminals: FlowState) -> Registers:
    sender, slots = terminals.sender, terminals.slots
    found: Registers = {f"sender {name}": sender[name] for name in SENDER}
    found["sender header"] = np.where(sender["known"], sender["header"], 0)
    found["used"], found["requests"] = slots["used"], slots["request"]
    found["packets"] = np.stack([slots["dest"], slots["length"]], axis=1)
    found["ready_slots"], found["counts"] = slots["ready"], terminals.counts
    found["ready_sequences"], found["issued"] = slots["ready_sequence"], terminals.issued
    found["window sequence"] = sender["issued"]
    found["outstanding"], found["window peer"] = sender["outstanding"], sender["window_peer"]
    found["late acks"] = sender["late_units"]
    found["late peers"] = np.where(sender["late_units"] > 0, sender["late_peer"], 0)
    found["filled"], found["dest"] = sender["filled"], sender["dest"]
    found["store dropping"] = sender["dropping"]
    length = np.where(slots["used"], slots["length"], 0)
    write = np.arange(len(sender)) * SLOTS + sender["write"] % SLOTS
    length[write] = np.where(slots["used"][write], length[write], sender["filled"])
    stored = np.repeat(np.arange(len(slots)), length)
    within = np.arange(len(stored)) - np.repeat(np.cumsum(length) - length, length)
    tag = slots["tag"][stored] - run.first
    beats = _beats(run, tag, within)
    marks = beats["last_byte"] * beats["last"], beats["error"] & beats["last"]
    return found | {"stored": np.stack([beats["data"], *marks, tag], axis=1)}


def _compiled_receiver(run: CompiledRun, terminals: FlowState) -> Registers:
    receiver = terminals.receiver
    found: Registers = {f"receiver {name}": receiver[name] for name in RECEIVER}
    found |= {f"pace {name}": terminals.pace[name] for name in PACE}
    found["withheld"] = terminals.withheld
    found["late units"] = receiver["late_units"]
    found["late source"] = np.where(receiver["late_units"] > 0, receiver["late_source"], 0)
    found |= _compiled_queue("replies", terminals.replies, terminals.reply_rows, REPLIES)
    order, first = terminals.order, run.first
    columns = REORDERED if isinstance(order, ReorderState) else IN_ORDER
    for name, fields in columns.items():
        queue, rows = getattr(order, name), getattr(order, ROWS[name])
        found |= _compiled_queue(name, queue, rows, fields)
        found[f"{name} valid"], found[f"{name} fetched"] = queue["front_valid"], queue["fetched"]
    if not isinstance(order, ReorderState):
        found["arrivals rows"][:, -1] -= first
        return found
    del found["granted valid"], found["granted fetched"]
    shown = order.reassembly
    found |= {f"order {name}": shown[name] for name in REASSEMBLY}
    late = np.stack([shown["late_stream"], shown["late_sequence"]], axis=1).astype(int)
    late[~shown["late"]] = -1
    found |= {"late": late, "row": _columns(shown, PLACE), "heads": order.heads}
    return found | {"places": _columns(order.places, PLACE)}


def _columns(rows: NDArray[Any], fields: tuple[str, ...]) -> NDArray[Any]:
    return np.stack([rows[field].astype(np.int64) for field in fields], axis=1)


def _compiled_queue(
    name: str, queue: NDArray[Any], rows: NDArray[Any], fields: tuple[str, ...]
) -> Registers:
    """Return a queue of every terminal."""
    depth = len(rows) // len(queue)
    stream, row = rows_in_order(queue["read"], queue["level"], depth)
    used = rows[stream * depth + row]
    return {f"{name} level": queue["level"], f"{name} rows": _columns(used, fields)}
