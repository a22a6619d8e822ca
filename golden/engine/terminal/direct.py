"""AXI4-Stream terminals without flow control, one after the other.

The counterpart of golden.terminal: axi_sender, packet_queue, axi_receiver, axi_interfaces.
"""

from typing import Any

from fingerpost.golden.engine.terminal.axi_model import advance, offer, pack, read, unpack
from fingerpost.golden.engine.terminal.ports import granted, return_credit
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.state import Config, State


@compiled
def _settle(stream: int, config: Config, state: State) -> None:
    """Follow from the registers what is to be sent."""
    sender, timeout = state.terminals.sender[stream], config.terminal.timeout
    stranger = not sender.opened and not (sender.tag >= 0 and state.packets[sender.tag].known)
    sender.drops = sender.held and (sender.dropping or stranger)
    sender.late = timeout > 0 and sender.quiet == timeout
    some = not sender.drops if sender.held else sender.opened and sender.late
    sender.requests = sender.credits > 0 and some
    sender.sent = False


@compiled
def _make_flit(sent: Any, stream: int, config: Config, state: State) -> None:
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
def _sender_ready(stream: int, state: State) -> bool:
    """Return tready of a sender."""
    sender = state.terminals.sender[stream]
    return not sender.held or sender.drops or (sender.sent and sender.opened)


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
def _queue_ready(stream: int, config: Config, state: State) -> bool:
    """Return tready of what enters a queue of complete packets."""
    queue, depth = state.terminals.store[stream], config.terminal.store
    return queue.used < depth or queue.dropping or queue.filled == depth  # type: ignore[no-any-return]


@compiled
def _step_queue(stream: int, leaves: bool, config: Config, state: State) -> None:
    """Let such a queue go through a clock edge; `leaves`: the sender takes the beat at the front.

    The rows hold what users send, but packets that are too long; so the front is all that is kept.
    """
    terminals, depth = state.terminals, config.terminal.store
    queue, user = terminals.store[stream], terminals.user[stream]
    last = user.taken and user.beat == state.packets[user.tag].length - 1
    take = user.taken and not queue.dropping
    dropped = take and queue.filled == depth
    write = take and not dropped
    completes = write and last
    ends = leaves and queue.index == state.packets[queue.tag].length - 1
    if dropped and terminals.sender[stream].refused < config.terminal.max_refused:
        terminals.sender[stream].refused += 1
    queue.valid = (not ends or queue.packets > 1) if leaves else queue.packets > 0
    queue.used = 0 if dropped else queue.used + write - leaves
    queue.filled = 0 if completes or dropped else queue.filled + write
    queue.packets += completes - ends
    if user.taken:
        queue.dropping = (queue.dropping or dropped) and not last
    if ends:
        queue.tag, queue.index = queue.tag + 1, 0
    elif leaves:
        queue.index += 1
    if queue.valid:
        while state.packets[queue.tag].length > depth:
            queue.tag += 1


@compiled
def front(stream: int, config: Config, state: State) -> bool:
    """Make the beat of this cycle; return tvalid."""
    terminals = state.terminals
    receiver = terminals.receiver[stream]
    queued = terminals.queue[stream * config.terminal.depth + receiver.read]
    unpack(terminals.beat[stream], queued.data, queued.tail, queued.tag, config)
    return receiver.level > 0 and not queued.head


@compiled
def step_receiver(stream: int, ready: bool, config: Config, state: State) -> None:
    """Let a receiver go through a clock edge."""
    terminals, terminal = state.terminals, config.terminal
    receiver, came = terminals.receiver[stream], terminals.came[stream]
    first = stream * terminal.depth
    queued = terminals.queue[first + receiver.read]
    head = receiver.level > 0 and queued.head
    goes = receiver.level > 0 and (head or ready)
    if head:
        receiver.source = queued.data >> terminal.source_offset & terminal.source_mask
    if came.valid:
        write = terminals.queue[first + (receiver.read + receiver.level) % terminal.depth]
        write.data, write.tag, write.head, write.tail = came.data, came.tag, came.head, came.tail
    receiver.level += came.valid - goes
    if goes:
        receiver.read = (receiver.read + 1) % terminal.depth
    receiver.credit = goes


@compiled
def send(slots: Slots, config: Config, state: State, stalls: Any) -> None:
    """Let users offer beats, and send a flit from every terminal that can."""
    now = state.clock[0].now
    sender = state.terminals.sender
    for node in range(config.nodes):
        first = node * config.classes
        for stream in range(first, first + config.classes):
            offer(stream, config, state, now, stalls)
            _settle(stream, config, state)
        sends = granted(node, config, state, now)
        if sends >= 0:
            sender[sends].sent = True
            sent = slots.injecting[node]
            sent.valid, sent.channel = True, sends - first
            _make_flit(sent, sends, config, state)
        for stream in range(first, first + config.classes):
            if config.terminal.store:
                advance(stream, _queue_ready(stream, config, state), config, state)
            else:
                advance(stream, _sender_ready(stream, state), config, state)


@compiled
def return_credits(slots: Slots, config: Config, state: State, stalls: Any) -> None:
    """Let users receive, and receivers return their credits."""
    terminals = state.terminals
    for stream in range(config.nodes * config.classes):
        receiver = terminals.receiver[stream]
        if receiver.credit:
            return_credit(stream, slots, config)
        valid = front(stream, config, state)
        ready = read(stream, valid, receiver.source, config, state, stalls)
        if config.terminal.store:
            queue = terminals.store[stream]
            leaves = queue.valid and _sender_ready(stream, state)
            _step_sender(stream, leaves, queue.tag, queue.index, config, state)
            _step_queue(stream, leaves, config, state)
        else:
            user = terminals.user[stream]
            _step_sender(stream, user.taken, user.tag, user.beat, config, state)
        step_receiver(stream, ready, config, state)
        terminals.came[stream].valid = terminals.user[stream].credited = False
