"""Store-and-forward, one terminal after the other: golden.terminal.packet_store."""

from typing import Any

from fingerpost.golden.compiled.jit import compiled
from fingerpost.golden.compiled.terminal.state import AnyConfig, AnyState


@compiled
def step(
    sender: Any, user: Any, slot: Any, config: AnyConfig, state: AnyState
) -> tuple[bool, bool]:
    """Go through a clock edge; return whether a packet is complete, or turns out to be too long.

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
