"""Packets that wait until they are complete, and two streams of them into one.

The twin of fingerpost.hdl.terminal.packet_queue. The rows hold what enters, but packets that are
too long; so the front is all that is kept.
"""

from typing import Any

from fingerpost.golden.jit.compile import compiled


@compiled
def is_ready(queue: Any, depth: int) -> bool:
    """Return whether a beat is taken."""
    return queue.used < depth or queue.dropping or queue.filled == depth  # type: ignore[no-any-return]


@compiled
def step(queue: Any, taken: bool, last: bool, leaves: bool, tail: bool, depth: int) -> bool:
    """Go through a clock edge; return whether the packet that enters turns out to be too long.

    `taken`: a beat enters, `last` of its packet; `leaves`: that at the front does, the `tail` of
    its packet.
    """
    take = taken and not queue.dropping
    dropped = take and queue.filled == depth
    write = take and not dropped
    completes, ends = write and last, leaves and tail
    queue.valid = (not ends or queue.packets > 1) if leaves else queue.packets > 0
    queue.used = 0 if dropped else queue.used + write - leaves
    queue.filled = 0 if completes or dropped else queue.filled + write
    queue.packets += completes - ends
    if taken:
        queue.dropping = (queue.dropping or dropped) and not last
    if ends:
        queue.tag, queue.index = queue.tag + 1, 0
    elif leaves:
        queue.index += 1
    return dropped


@compiled
def choose(merge: Any, first: bool, second: bool) -> bool:
    """Return whether it is the second stream's turn, by what both offer; keep it for `step`."""
    merge.chosen = merge.owner if merge.held else second and not (merge.owner and first)
    merge.valid = second if merge.chosen else first
    return merge.chosen  # type: ignore[no-any-return]


@compiled
def step_merge(merge: Any, ends: bool) -> None:
    """Go through a clock edge; `ends`: the last beat of a packet is taken."""
    merge.held = (merge.held or merge.valid) and not ends
    if merge.valid:
        merge.owner = merge.chosen
