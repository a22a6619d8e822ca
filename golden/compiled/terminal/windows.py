"""Windows of senders, one after the other: golden.terminal.windows."""

from fingerpost.golden.compiled.jit import compiled
from fingerpost.golden.compiled.terminal.state import AnyConfig, AnyState


@compiled
def step(
    stream: int,
    read: bool,
    peer: int,
    units: int,
    acked_peer: int,
    acked_units: int,
    config: AnyConfig,
    state: AnyState,
) -> None:
    """Go through a clock edge; without an acknowledge its units are 0."""
    terminals, first = state.terminals, stream * config.terminal.windows
    sender, counts = terminals.sender[stream], terminals.counts
    counts[first + sender.window_peer] += units
    terminals.issued[first + sender.window_peer] += units
    if read:
        sender.outstanding, sender.window_peer = counts[first + peer], peer
        sender.issued = terminals.issued[first + peer] & config.terminal.units_mask
    if sender.late_units:
        counts[first + sender.late_peer] -= sender.late_units
    sender.late_peer, sender.late_units = acked_peer, acked_units
