"""Managers and subordinates as users of AXI4-Stream: requests are class 0, responses class 1.

At a manager side is a manager that issues its transactions when they are due, and never stalls. At
a subordinate side is a memory. The functions are those of `golden.terminal.axi_users`.
"""

from typing import Any

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.terminal import axi4_manager, axi4_subordinate
from fingerpost.golden.terminal.axi_users import compare
from fingerpost.golden.terminal.state import AnyConfig, AnyState


@compiled
def offer(stream: int, config: AnyConfig, state: AnyState, now: int, stalls: Any) -> None:
    """Let a side offer its next beat: the manager's a request, the subordinate's a response."""
    if stream % 2 == 0:
        axi4_manager.offer(stream, config, state)
    else:
        axi4_subordinate.offer(stream, config, state)


@compiled
def advance(stream: int, ready: bool, config: AnyConfig, state: AnyState) -> None:
    """Let an interface take the beat that is offered, if it is ready."""
    user = state.terminals.user[stream]
    user.ready, user.taken = ready, user.offers and ready
    user.tag, user.beat = user.packet, user.index


@compiled
def read(
    stream: int, valid: bool, source: int, config: AnyConfig, state: AnyState, stalls: Any
) -> bool:
    """Let a side take the beat that is offered to it, and go through a clock edge; return tready.

    The subordinate side takes requests, the manager side responses.
    """
    beat = state.terminals.beat[stream]
    beat.valid, beat.source = valid, source
    beat.ready = stream % 2 > 0 or axi4_subordinate.is_ready(stream, config, state)
    taken = valid and beat.ready
    if taken:
        compare(stream, config, state)
    if stream % 2 == 0:
        axi4_subordinate.step(stream, taken, config, state)
    else:
        axi4_manager.step(stream, taken, config, state)
    return beat.ready  # type: ignore[no-any-return]
