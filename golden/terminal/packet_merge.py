"""Two streams of packets into one; the twin of fingerpost.hdl.terminal.packet_merge."""

from typing import Any

from fingerpost.golden.jit.compile import compiled


@compiled
def choose(merge: Any, first: bool, second: bool) -> bool:
    """Return whether it is the second stream's turn, by what both offer; keep it for `step`."""
    merge.chosen = merge.owner if merge.held else second and not (merge.owner and first)
    merge.valid = second if merge.chosen else first
    return merge.chosen  # type: ignore[no-any-return]


@compiled
def step(merge: Any, ends: bool) -> None:
    """Go through a clock edge; `ends`: the last beat of a packet is taken."""
    merge.held = (merge.held or merge.valid) and not ends
    if merge.valid:
        merge.owner = merge.chosen
