"""From AXI4-Stream into the network, one after the other: golden.terminal.axi_sender."""

from typing import Any

from fingerpost.golden.compiled.jit import compiled
from fingerpost.golden.compiled.state import Config, State
from fingerpost.golden.compiled.terminal.axi_model import pack


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
def is_ready(stream: int, state: State) -> bool:
    """Return tready."""
    sender = state.terminals.sender[stream]
    return not sender.held or sender.drops or (sender.sent and sender.opened)


@compiled
def step(stream: int, taken: bool, tag: int, index: int, config: Config, state: State) -> None:
    """Go through a clock edge; `taken`: beat `index` of packet `tag` is."""
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
