"""What the cycle asks of links, whatever their kind: that of `Config.links`."""

from types import ModuleType
from typing import Any

from fingerpost.golden.compiled.delay_line import Slots
from fingerpost.golden.compiled.link import cell_link, wires
from fingerpost.golden.compiled.link.state import CellConfig, WireConfig
from fingerpost.golden.compiled.state import Config, State
from fingerpost.golden.compiled.terminal.by_kind import by_kind

MODULES: dict[type, tuple[ModuleType, ...]] = {WireConfig: (wires,), CellConfig: (cell_link,)}

of_link = by_kind(MODULES, "links")


@of_link
def step_links(slots: Slots, config: Config, state: State) -> None:
    """Take what routers send to each other in this cycle; give them what arrives in it."""


@of_link
def note_links(noted: Any, row: int, config: Config, state: State) -> None:
    """Note what is on the links, if that is more than flits and credits."""
