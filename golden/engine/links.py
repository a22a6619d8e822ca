"""What the cycle asks of links, whatever their kind: that of `Config.links`."""

from types import ModuleType
from typing import Any

from fingerpost.golden.engine.link import cell_link, wires
from fingerpost.golden.engine.link.state import CellConfig, WireConfig
from fingerpost.golden.engine.terminal.by_kind import by_kind
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.state import Config, State

MODULES: dict[type, tuple[ModuleType, ...]] = {WireConfig: (wires,), CellConfig: (cell_link,)}

of_link = by_kind(MODULES, "links")


@of_link
def step_links(slots: Slots, config: Config, state: State) -> None:
    """Take what routers send to each other in this cycle; give them what arrives in it."""


@of_link
def note_links(noted: Any, row: int, config: Config, state: State) -> None:
    """Note what is on the links, if that is more than flits and credits."""
