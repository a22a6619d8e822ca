"""From AXI4-Stream into the network, with end-to-end flow control; the twin of hdl's.

Packets are stored, and each is sent when its destination has room for it. See
fingerpost.hdl.terminal.flow_sender for the rules.
"""

from typing import Any

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.terminal.axi_users import pack
from fingerpost.golden.terminal.flow_layout import (
    ACK,
    ANSWERS,
    DATA,
    EAGER,
    GRANT,
    REQUEST,
    SLOTS,
)
from fingerpost.golden.terminal.queues import front_row
from fingerpost.golden.terminal.state import AnyConfig, AnyState


@compiled
def settle(stream: int, config: AnyConfig, state: AnyState) -> None:
    """Follow from the registers what is to be sent; where packets have one flit no head is."""
    sender = state.terminals.sender[stream]
    at_end = sender.index == sender.sent_length
    sender.last = at_end if sender.in_body else sender.sent_kind <= REQUEST
    headless = config.terminal.single and not sender.in_body and not sender.last
    sender.reads = sender.busy and headless
    sender.requests, sender.sent = sender.busy and sender.credits > 0 and not headless, False


@compiled
def make_flit(sent: Any, stream: int, config: AnyConfig, state: AnyState) -> None:
    """Make the flit that is sent in this cycle."""
    terminals, terminal = state.terminals, config.terminal
    sender = terminals.sender[stream]
    sent.head, sent.tail, sent.tag, sent.step = not sender.in_body, sender.last, -1, -1
    index = sender.index - 1  # the beat behind the head is at 1
    sequence = sender.sent_sequence + (index if sender.in_body else 0)
    mark = (
        stream // config.classes << terminal.fields.source_offset
        | sender.sent_kind << terminal.kind_offset
        | (sequence & terminal.sequence_mask) << terminal.sequence_offset
    )
    if sender.in_body:
        sent.tag = terminals.slots[stream * SLOTS + sender.sent_slot].tag
        sent.data, _ = pack(state.packets[sent.tag], index, config)
    else:
        sent.step = sender.sent_step
        sent.data = (
            mark
            | sender.sent_slot << terminal.slot_offset
            | sender.sent_length << terminal.length_offset
        )
    if terminal.single:
        mark |= sender.last << terminal.last_offset
        beat = sent.data << terminal.mark if sender.in_body else sent.data
        sent.data = (beat | mark) << terminal.header | sender.sent_header
        sent.head = sent.tail = True
    elif not sender.in_body:
        sent.data |= sender.sent_header


@compiled
def is_ready(stream: int, config: AnyConfig, state: AnyState, now: int) -> bool:
    """Return tready."""
    sender = state.terminals.sender[stream]
    slot = state.terminals.slots[stream * SLOTS + sender.write % SLOTS]
    return sender.dropping or (not slot.used and now >= config.terminal.clearing)


@compiled
def _lookup(node: int, peer: int, config: AnyConfig) -> int:
    """Return the number of the route from a node to a peer; -1 if there is no such terminal."""
    terminal = config.terminal
    low, high = terminal.pair_first[node], terminal.pair_first[node + 1]
    end = high
    while low < high:
        middle = (low + high) >> 1
        if terminal.pair_peer[middle] < peer:
            low = middle + 1
        else:
            high = middle
    return low if low < end and terminal.pair_peer[low] == peer else -1


@compiled
def _follows_request(sender: Any, first: int, state: AnyState) -> bool:
    """Return whether a request to the chosen peer waits for its grant."""
    for slot in range(first, first + SLOTS):
        of = state.terminals.slots[slot]
        if of.request and of.dest == sender.peer:
            return True
    return False


@compiled
def _step_windows(
    stream: int,
    read: bool,
    peer: int,
    units: int,
    config: AnyConfig,
    state: AnyState,
) -> None:
    """Let windows go through a clock edge; the twin of fingerpost.hdl.terminal.windows.

    All windows are closed at first, as if `withheld` units were outstanding.
    """
    terminals, first = state.terminals, stream * config.terminal.windows
    sender, counts, arrived = terminals.sender[stream], terminals.counts, terminals.arrived[stream]
    counts[first + sender.window_peer] += units
    issued = terminals.issued[first + sender.window_peer] + units
    terminals.issued[first + sender.window_peer] = issued & config.terminal.units_mask
    if read:
        sender.outstanding, sender.window_peer = counts[first + peer], peer
        sender.issued = terminals.issued[first + peer]
    if sender.late_units:
        counts[first + sender.late_peer] -= sender.late_units
    sender.late_peer, sender.late_units = arrived.from_, arrived.acked_units


@compiled
def _step_store(
    sender: Any, user: Any, slot: Any, config: AnyConfig, state: AnyState
) -> tuple[bool, bool]:
    """Let the store go through a clock edge; the twin of fingerpost.hdl.terminal.packet_store.

    A packet of more than `packet_limit` beats is dropped whole.

    Return whether a packet is complete, or turns out to be too long.

    `slot` is the one that beats are written to.
    """
    if not user.taken:
        return False, False
    packet = state.packets[user.tag]
    last = user.beat == packet.length - 1
    take = not sender.dropping
    dropped = take and sender.filled == config.terminal.packet_limit
    write = take and not dropped
    complete = write and last
    if take and sender.filled == 0:
        sender.dest, slot.tag = packet.dest, user.tag
    if complete:
        slot.dest, slot.length, slot.used = sender.dest, sender.filled + 1, True
    sender.filled = 0 if complete or dropped else sender.filled + write
    sender.dropping = (sender.dropping or dropped) and not last
    return complete, dropped


@compiled
def step(stream: int, config: AnyConfig, state: AnyState) -> None:
    """Go through a clock edge, before the receiver does: its oldest answer goes first."""
    terminals, terminal = state.terminals, config.terminal
    sender, user = terminals.sender[stream], terminals.user[stream]
    slots, first, arrived = terminals.slots, stream * SLOTS, terminals.arrived[stream]
    has_answer, granted_slot = terminals.replies[stream].level > 0, arrived.granted_slot
    ends = sender.sent and sender.last

    # What is chosen, by the registers of now.
    any_ready, chosen = sender.readies > 0, sender.chosen
    asks = not has_answer and sender.ask != sender.write and not sender.waited
    sends = not has_answer and not asks and any_ready
    slot = sender.ask % SLOTS if asks else slots[first + sender.first_ready].ready
    dest, length = slots[first + slot].dest, slots[first + slot].length
    sequence = slots[first + sender.first_ready].ready_sequence
    kind = EAGER if length <= terminal.eager else REQUEST if asks else DATA

    # What is decided.
    eager = sender.kind == EAGER
    goes = opened = rejected = waits = passed = False
    if chosen:
        loads = not sender.busy or ends
        if sender.asks:
            fits = sender.outstanding + terminal.eager <= terminal.window
            follows = terminal.ordered and eager and _follows_request(sender, first, state)
            opened = sender.known and fits and not follows
            rejected = not sender.known and not ends
            waits = sender.known and not opened
        goes = loads and (not sender.asks or (opened and not (eager and any_ready)))
        passed = opened and eager and any_ready and granted_slot < 0
    issues, leaves = (goes and sender.asks) or passed, goes and not sender.asks
    leaves = leaves and sender.kind > GRANT
    if passed or granted_slot >= 0:
        place = (sender.first_ready + sender.readies) % SLOTS
        slots[first + place].ready = sender.slot if passed else granted_slot
        slots[first + place].ready_sequence = sender.issued if passed else arrived.granted_sequence
        sender.readies += 1
    if leaves:
        sender.readies -= 1
        sender.first_ready = (sender.first_ready + 1) % SLOTS
    if issues or rejected:
        sender.ask = (sender.ask + 1) % (2 * SLOTS)
    if goes and sender.kind > GRANT:
        slots[first + sender.slot].request = sender.kind == REQUEST
    units = 0
    if issues:
        units = sender.length if eager else 1
    issued = sender.issued
    _step_windows(stream, not chosen, dest, units, config, state)

    # Slots.
    if rejected:
        slots[first + sender.slot].used = False
    if ends and sender.in_body:
        slots[first + sender.sent_slot].used = False
    complete, dropped = _step_store(
        sender, user, slots[first + sender.write % SLOTS], config, state
    )
    if complete:
        sender.write = (sender.write + 1) % (2 * SLOTS)

    # What is sent.
    sender.credits += user.credited - sender.sent
    sender.busy = goes or (sender.busy and not ends)
    if sender.sent or sender.reads:
        sender.in_body = not sender.last
        sender.index += 1
    if goes:
        sender.index = 0
        sender.sent_header, sender.sent_step = sender.header, sender.step
        sender.sent_kind, sender.sent_slot = sender.kind, sender.slot
        sender.sent_length = sender.length
        sender.sent_sequence = issued if sender.asks else sender.sequence
    sender.refused = min(sender.refused + rejected + dropped, terminal.max_refused)

    # The choice.
    sender.waited = waits
    if chosen:
        sender.chosen = not (goes or passed or rejected or waits)
        return
    sender.chosen, sender.asks = has_answer or asks or sends, asks
    if has_answer:
        answer = front_row(terminals.replies[stream], terminals.reply_rows, stream, ANSWERS)
        sender.peer, sender.slot, sender.length = answer.peer, answer.slot, answer.units
        sender.sequence, sender.kind = answer.base, GRANT if answer.grant else ACK
    else:
        sender.peer, sender.kind, sender.slot, sender.length = dest, kind, slot, length
        sender.sequence = sequence
    if sender.chosen:
        pair = _lookup(stream // config.classes, sender.peer, config)
        sender.known = pair >= 0
        if sender.known:
            sender.header, sender.step = terminal.pair_header[pair], terminal.pair_step[pair]
