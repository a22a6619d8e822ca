"""Into the network with flow control, one after the other: golden.terminal.flow_sender."""

from typing import Any

from fingerpost.golden.compiled.jit import compiled
from fingerpost.golden.compiled.state import Config, State
from fingerpost.golden.compiled.terminal import packet_store, windows
from fingerpost.golden.compiled.terminal.axi_model import pack
from fingerpost.golden.terminal.flow_layout import ACK, DATA, EAGER, GRANT, REQUEST, SLOTS

__all__ = ["is_ready", "make_flit", "settle", "step"]


@compiled
def settle(stream: int, state: State) -> None:
    """Follow from the registers what is to be sent."""
    sender = state.terminals.sender[stream]
    sender.requests, sender.sent = sender.busy and sender.credits > 0, False
    at_end = sender.index == sender.sent_length
    sender.last = at_end if sender.in_body else sender.sent_kind <= REQUEST


@compiled
def make_flit(sent: Any, stream: int, config: Config, state: State) -> None:
    """Make the flit that is sent in this cycle."""
    terminals, terminal = state.terminals, config.terminal
    sender = terminals.sender[stream]
    sent.head, sent.tail, sent.tag, sent.step = not sender.in_body, sender.last, -1, -1
    if sender.in_body:  # the beat behind the head is at 1
        sent.tag = terminals.slots[stream * SLOTS + sender.sent_slot].tag
        sent.data, _ = pack(state.packets[sent.tag], sender.index - 1, config)
        return
    sent.step = sender.sent_step
    sent.data = (
        sender.sent_header
        | stream // config.classes << terminal.source_offset
        | sender.sent_kind << terminal.kind_offset
        | sender.sent_slot << terminal.slot_offset
        | sender.sent_length << terminal.length_offset
    )


@compiled
def is_ready(stream: int, config: Config, state: State, now: int) -> bool:
    """Return tready."""
    sender = state.terminals.sender[stream]
    slot = state.terminals.slots[stream * SLOTS + sender.write % SLOTS]
    return sender.dropping or (not slot.used and now >= config.terminal.peers)


@compiled
def _lookup(node: int, peer: int, config: Config) -> int:
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
def _follows_request(sender: Any, first: int, state: State) -> bool:
    """Return whether a request to the chosen peer waits for its grant."""
    for slot in range(first, first + SLOTS):
        of = state.terminals.slots[slot]
        if of.request and of.dest == sender.peer:
            return True
    return False


@compiled
def step(
    stream: int,
    has_answer: bool,
    answer: tuple[int, bool, int, int],
    acked_peer: int,
    acked_units: int,
    granted_slot: int,
    config: Config,
    state: State,
) -> None:
    """Go through a clock edge.

    `answer` is the oldest answer of the receiver: to which peer, whether it is a grant, its slot,
    its units. Without an acknowledge that arrives its units
    are 0; without a grant its slot is -1.
    """
    terminals, terminal = state.terminals, config.terminal
    sender, user = terminals.sender[stream], terminals.user[stream]
    slots, first = terminals.slots, stream * SLOTS
    ends = sender.sent and sender.last

    # What is chosen, by the registers of now.
    any_ready, chosen = sender.readies > 0, sender.chosen
    asks = not has_answer and sender.ask != sender.write and not sender.waited
    sends = not has_answer and not asks and any_ready
    slot = sender.ask % SLOTS if asks else slots[first + sender.first_ready].ready
    dest, length = slots[first + slot].dest, slots[first + slot].length
    kind = EAGER if length <= terminal.eager else REQUEST if asks else DATA

    # What is decided.
    eager = sender.kind == EAGER
    goes = opened = rejected = waits = passed = False
    if chosen:
        loads = not sender.busy or ends
        if sender.asks:
            fits = sender.outstanding + terminal.eager <= terminal.window
            follows = eager and _follows_request(sender, first, state)
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
    windows.step(stream, not chosen, dest, units, acked_peer, acked_units, config, state)

    # Slots.
    if rejected:
        slots[first + sender.slot].used = False
    if ends and sender.in_body:
        slots[first + sender.sent_slot].used = False
    complete, dropped = packet_store.step(
        sender, user, slots[first + sender.write % SLOTS], config, state
    )
    if complete:
        sender.write = (sender.write + 1) % (2 * SLOTS)

    # What is sent.
    sender.credits += user.credited - sender.sent
    sender.busy = goes or (sender.busy and not ends)
    if sender.sent:
        sender.in_body = not sender.last
        sender.index += 1
    if goes:
        sender.index = 0
        sender.sent_header, sender.sent_step = sender.header, sender.step
        sender.sent_kind, sender.sent_slot = sender.kind, sender.slot
        sender.sent_length = sender.length
    if (rejected or dropped) and sender.refused < terminal.max_refused:
        sender.refused += 1

    # The choice.
    sender.waited = waits
    if chosen:
        sender.chosen = not (goes or passed or rejected or waits)
        return
    sender.chosen, sender.asks = has_answer or asks or sends, asks
    if has_answer:
        sender.peer, is_grant, sender.slot, sender.length = answer
        sender.kind = GRANT if is_grant else ACK
    else:
        sender.peer, sender.kind, sender.slot, sender.length = dest, kind, slot, length
    if sender.chosen:
        pair = _lookup(stream // config.classes, sender.peer, config)
        sender.known = pair >= 0
        if sender.known:
            sender.header, sender.step = terminal.pair_header[pair], terminal.pair_step[pair]
