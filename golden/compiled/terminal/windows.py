"""Windows of senders, one after the other: golden.terminal.windows."""

from fingerpost.golden.compiled.jit import compiled
from fingerpost.golden.compiled.state import Config, State

__all__ = ["step"]


@compiled
def step(
    stream: int,
    read: bool,
    peer: int,
    units: int,
    acked_peer: int,
    acked_units: int,
    config: Config,
    state: State,
) -> None:
    """Go through a clock edge; without an acknowledge its units are 0."""
    sender, counts = state.terminals.sender[stream], state.terminals.counts
    first = stream * config.terminal.windows
    counts[first + sender.window_peer] += units
    if read:
        sender.outstanding, sender.window_peer = counts[first + peer], peer
    if sender.late_units:
        counts[first + sender.late_peer] -= sender.late_units
    sender.late_peer, sender.late_units = acked_peer, acked_units
