"""From AXI4-Stream into the network; the twin of fingerpost.hdl.terminal.axi_sender.

Flits are made of beats: a head before the first of a packet, and the last one is the tail. One beat
is held, with the head that its packet would have. So `is_ready` follows from registers alone, and
packets come one behind the other without a gap.

Where terminals store packets there is a queue of complete packets before it: a packet of more than
`store` beats is dropped whole.
"""

from typing import Any

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.state import Config, State
from fingerpost.golden.terminal import packet_queue
from fingerpost.golden.terminal.axi_users import pack


@compiled
def settle(stream: int, config: Config, state: State) -> None:
    """Follow from the registers what is to be sent."""
    sender, timeout = state.terminals.sender[stream], config.terminal.timeout
    stranger = not sender.opened and not (sender.tag >= 0 and state.packets[sender.tag].known)
    sender.drops = sender.held and (sender.dropping or stranger)
    sender.late = timeout > 0 and sender.quiet == timeout
    some = not sender.drops if sender.held else sender.opened and sender.late
    sender.requests = sender.credits > 0 and some
    sender.sent = False


@compiled
def make_flit(sent: Any, stream: int, config: Config, state: State) -> None:
    """Make the flit that is sent in this cycle."""
    sender = state.terminals.sender[stream]
    sent.head, sent.step, sent.tag = False, -1, sender.tag
    if not sender.held:  # it closes its packet
        sent.data, sent.tail, sent.tag = 1, True, sender.open_tag
        packet = state.packets[sender.open_tag]
        if packet.expected and packet.delivered < 0:
            state.clock[0].outstanding -= 1
        packet.closed, packet.expected = True, False
        return
    packet = state.packets[sender.tag]
    if sender.opened:
        sent.data, sent.tail = pack(packet, sender.index, config)
    else:
        sent.head, sent.tail, sent.data, sent.step = True, False, packet.header, packet.step


@compiled
def is_ready(stream: int, config: Config, state: State, now: int) -> bool:
    """Return tready: of a sender, or of the queue of complete packets before it."""
    queue, depth = state.terminals.store[stream], config.terminal.store
    if depth:
        return packet_queue.is_ready(queue, depth)
    return _takes(stream, state)


@compiled
def _takes(stream: int, state: State) -> bool:
    """Return whether a sender takes a beat."""
    sender = state.terminals.sender[stream]
    return not sender.held or sender.drops or (sender.sent and sender.opened)


@compiled
def step(stream: int, config: Config, state: State) -> None:
    """Go through a clock edge, with the queue of complete packets if there is one."""
    queue, user = state.terminals.store[stream], state.terminals.user[stream]
    if not config.terminal.store:
        _step_sender(stream, user.taken, user.tag, user.beat, config, state)
        return
    leaves = queue.valid and _takes(stream, state)
    _step_sender(stream, leaves, queue.tag, queue.index, config, state)
    _step_packet_queue(stream, leaves, config, state)


@compiled
def _step_sender(
    stream: int, taken: bool, tag: int, index: int, config: Config, state: State
) -> None:
    """Let a sender go through a clock edge; `taken`: beat `index` of packet `tag` is."""
    terminals, terminal = state.terminals, config.terminal
    sender, user = terminals.sender[stream], terminals.user[stream]
    held, opened, drops, sent = sender.held, sender.opened, sender.drops, sender.sent
    last = sender.tag >= 0 and sender.index == state.packets[sender.tag].length - 1
    opens, closes, goes = sent and held and not opened, sent and not held, sent and held and opened
    if drops and not sender.dropping and sender.refused < terminal.max_refused:
        sender.refused += 1
    if closes and sender.expired < terminal.max_expired:
        sender.expired += 1
    sender.credits += user.credited - sent
    if terminal.timeout:
        waits = opened and not held
        sender.quiet = min(sender.quiet + 1, terminal.timeout) if waits else 0
    if opens:
        sender.open_tag = sender.tag
    sender.opened = opens or (opened and not closes and not (goes and last))
    if drops:
        sender.dropping = not last
    if closes:
        sender.dropping = True
    sender.held = taken or (held and not (drops or goes))
    if taken:
        sender.tag, sender.index = tag, index


@compiled
def _step_packet_queue(stream: int, leaves: bool, config: Config, state: State) -> None:
    """Let such a queue go through a clock edge; `leaves`: the beat at the front does."""
    terminals, depth = state.terminals, config.terminal.store
    queue, user = terminals.store[stream], terminals.user[stream]
    last = user.taken and user.beat == state.packets[user.tag].length - 1
    tail = leaves and queue.index == state.packets[queue.tag].length - 1
    dropped = packet_queue.step(queue, user.taken, last, leaves, tail, depth)
    if dropped and terminals.sender[stream].refused < config.terminal.max_refused:
        terminals.sender[stream].refused += 1
    if queue.valid:
        while state.packets[queue.tag].length > depth:
            queue.tag += 1
