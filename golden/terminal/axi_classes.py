"""The streams of a terminal share its port; the twin of fingerpost.hdl.terminal.axi_classes."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.state import Config, State
from fingerpost.golden.terminal import axi_users
from fingerpost.golden.terminal.state import AnyConfig, AnyState


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
        for node in range(config.nodes):
            first = node * config.classes
            for stream in range(first, first + config.classes):
                users.offer(stream, config, state, now, stalls)
                senders.settle(stream, config, state)
            sends = granted(node, config, state, now)
            if sends >= 0:
                sender[sends].sent = True
                sent = slots.injecting[node]
                sent.valid, sent.channel = True, sends - first
                senders.make_flit(sent, sends, config, state)
            for stream in range(first, first + config.classes):
                ready = senders.is_ready(stream, config, state, now)
                users.advance(stream, ready, config, state)

    return send
