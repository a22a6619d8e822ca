"""Wires between routers: what is sent arrives in the same cycle."""

from typing import Any

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.state import Config, State


@compiled
def step_links(slots: Slots, config: Config, state: State) -> None:
    """Leave everything where it is."""


@compiled
def note_links(noted: Any, row: int, config: Config, state: State) -> None:
    """Note nothing: what is sent and what arrives are noted anyway."""
