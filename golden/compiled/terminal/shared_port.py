"""Senders of several message classes at the port of a router: golden.terminal.shared_port."""

from fingerpost.golden.compiled.jit import compiled
from fingerpost.golden.compiled.terminal.state import AnyConfig, AnyState


@compiled
def granted(node: int, config: AnyConfig, state: AnyState, now: int) -> int:
    """Return the sender that is granted the port, of those that request it; -1 if none does."""
    sender, found = state.terminals.sender, -1
    for stream in range(node * config.classes, (node + 1) * config.classes):
        if sender[stream].requests and (
            found < 0 or sender[stream].last_grant < sender[found].last_grant
        ):
            found = stream
    if found >= 0:
        sender[found].last_grant = now
    return found
