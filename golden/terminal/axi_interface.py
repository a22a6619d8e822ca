"""AXI4-Stream terminals without flow control: a sender and a receiver for each stream.

The receiver is the twin of fingerpost.hdl.terminal.axi_interface: heads are taken out, and the last
beat of a packet is its tail. Flits wait in a queue as deep as the credits that the router has, so
it never overflows. A credit goes back in the cycle after a flit has left it.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.state import Config, State
from fingerpost.golden.terminal import axi_sender, axi_users
from fingerpost.golden.terminal.credit import return_credit
from fingerpost.golden.terminal.state import AnyConfig, AnyState


@compiled
def granted(terminal: int, config: AnyConfig, state: AnyState, now: int) -> int:
    """Return the sender that is granted the port, of those that request it; -1 if none does."""
    sender, found = state.terminals.sender, -1
    for stream in range(terminal * config.classes, (terminal + 1) * config.classes):
        if sender[stream].requests and (
            found < 0 or sender[stream].last_grant < sender[found].last_grant
        ):
            found = stream
    if found >= 0:
        sender[found].last_grant = now
    return found


def sends_with(
    senders: ModuleType, users: ModuleType = axi_users
) -> Callable[[Slots, Config, State, Any], None]:
    """Return what lets terminals with senders and users of some kinds send.

    Parameters
    ----------
    senders : module
        The functions of the kind: those of `golden.terminal.axi_sender`.
    users : module
        The same: those of `golden.terminal.axi_users`.
    """

    @compiled
    def send(slots: Slots, config: Config, state: State, stalls: Any) -> None:
        """Let users offer beats, and send a flit from every terminal that can."""
        now, sender = state.clock[0].now, state.terminals.sender
        for terminal in range(config.places):
            first = terminal * config.classes
            for stream in range(first, first + config.classes):
                users.offer(stream, config, state, now, stalls)
                senders.settle(stream, config, state)
            sends = granted(terminal, config, state, now)
            if sends >= 0:
                sender[sends].sent = True
                sent = slots.injecting[terminal]
                sent.valid, sent.channel = True, sends - first
                senders.make_flit(sent, sends, config, state)
            for stream in range(first, first + config.classes):
                ready = senders.is_ready(stream, config, state, now)
                users.advance(stream, ready, config, state)

    return send


def returns_with(users: ModuleType) -> Callable[[Slots, Config, State, Any], None]:
    """Return what lets terminals with users of a kind receive; see `sends_with`."""

    @compiled
    def return_credits(slots: Slots, config: Config, state: State, stalls: Any) -> None:
        """Let users receive, and receivers return their credits."""
        terminals = state.terminals
        for stream in range(config.places * config.classes):
            receiver = terminals.receiver[stream]
            if receiver.credit:
                return_credit(stream, slots, config)
            valid = front(stream, config, state)
            ready = users.read(stream, valid, receiver.source, config, state, stalls)
            axi_sender.step(stream, config, state)
            step_receiver(stream, ready, config, state)
            terminals.came[stream].valid = terminals.user[stream].credited = False

    return return_credits


@compiled
def front(stream: int, config: Config, state: State) -> bool:
    """Make the beat of this cycle; return tvalid."""
    terminals = state.terminals
    receiver = terminals.receiver[stream]
    queued = terminals.queue[stream * config.terminal.depth + receiver.read]
    axi_users.unpack(terminals.beat[stream], queued.data, queued.tail, queued.tag, config)
    return receiver.level > 0 and not queued.head


@compiled
def step_receiver(stream: int, ready: bool, config: Config, state: State) -> None:
    """Let a receiver go through a clock edge."""
    terminals, terminal, fields = state.terminals, config.terminal, config.terminal.fields
    receiver, came = terminals.receiver[stream], terminals.came[stream]
    first = stream * terminal.depth
    queued = terminals.queue[first + receiver.read]
    head = receiver.level > 0 and queued.head
    goes = receiver.level > 0 and (head or ready)
    if head:
        receiver.source = queued.data >> fields.source_offset & fields.source_mask
    if came.valid:
        write = terminals.queue[first + (receiver.read + receiver.level) % terminal.depth]
        write.data, write.tag, write.head, write.tail = came.data, came.tag, came.head, came.tail
    receiver.level += came.valid - goes
    if goes:
        receiver.read = (receiver.read + 1) % terminal.depth
    receiver.credit = goes


send, return_credits = sends_with(axi_sender), returns_with(axi_users)
receive, receive_credits = axi_users.receive, axi_users.receive_credits
note_sent, note_received = axi_users.note_sent, axi_users.note_received
