"""How fast the receivers of a terminal invite; fingerpost.hdl.terminal.pace has the rule."""

from typing import Any

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.terminal.state import AnyConfig, AnyState


@compiled
def _passes(pace: Any, config: AnyConfig, state: AnyState) -> bool:
    """Return whether time passes."""
    seventh = state.clock[0].now % 7
    return bool(pace.row != config.terminal.full and seventh not in (0, 3))


@compiled
def is_open(node: int, config: AnyConfig, state: AnyState) -> bool:
    """Return whether the receivers of a node may invite."""
    pace = state.terminals.pace[node]
    return bool(pace.invited == 0 and pace.wait <= _passes(pace, config, state))


@compiled
def invite(node: int, flits: int, arrives: bool, state: AnyState) -> None:
    """Note what a receiver does in this cycle: flits that it invites; one arrives at it."""
    pace = state.terminals.pace[node]
    pace.more += flits
    pace.arrives |= arrives


@compiled
def step(node: int, config: AnyConfig, state: AnyState) -> None:
    """Go through a clock edge, after all receivers of the node."""
    pace = state.terminals.pace[node]
    wait = pace.wait + pace.invited
    if wait != 0 and _passes(pace, config, state):
        wait -= 1
    pace.wait, pace.invited, pace.more = wait, pace.more, 0
    pace.row = min(pace.row + 1, config.terminal.full) if pace.arrives else 0
    pace.arrives = False
