"""What all terminals do at the ports of routers."""

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.state import Config
from fingerpost.golden.terminal.state import AnyConfig, AnyState


@compiled
def return_credit(channel: int, slots: Slots, config: Config) -> None:
    """Return a credit for a channel of a terminal."""
    node = channel // config.classes
    message_class = channel - node * config.classes
    slots.credits[node] |= 1 << (config.local * config.channels + message_class)


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
