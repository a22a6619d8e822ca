"""Packets that wait until they are complete, one after the other: golden.terminal.packet_queue.

The rows hold what users send, but packets that are too long; so the front is all that is kept.
"""

from fingerpost.golden.compiled.jit import compiled
from fingerpost.golden.compiled.state import Config, State


@compiled
def is_ready(stream: int, config: Config, state: State) -> bool:
    """Return tready of what enters."""
    queue, depth = state.terminals.store[stream], config.terminal.store
    return queue.used < depth or queue.dropping or queue.filled == depth  # type: ignore[no-any-return]


@compiled
def step(stream: int, leaves: bool, config: Config, state: State) -> None:
    """Go through a clock edge; `leaves`: the sender takes the beat at the front."""
    terminals, depth = state.terminals, config.terminal.store
    queue, user = terminals.store[stream], terminals.user[stream]
    last = user.taken and user.beat == state.packets[user.tag].length - 1
    take = user.taken and not queue.dropping
    dropped = take and queue.filled == depth
    write = take and not dropped
    completes = write and last
    ends = leaves and queue.index == state.packets[queue.tag].length - 1
    if dropped and terminals.sender[stream].refused < config.terminal.max_refused:
        terminals.sender[stream].refused += 1
    queue.valid = (not ends or queue.packets > 1) if leaves else queue.packets > 0
    queue.used = 0 if dropped else queue.used + write - leaves
    queue.filled = 0 if completes or dropped else queue.filled + write
    queue.packets += completes - ends
    if user.taken:
        queue.dropping = (queue.dropping or dropped) and not last
    if ends:
        queue.tag, queue.index = queue.tag + 1, 0
    elif leaves:
        queue.index += 1
    if queue.valid:
        while state.packets[queue.tag].length > depth:
            queue.tag += 1
