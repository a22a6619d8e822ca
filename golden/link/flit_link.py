"""Wires between routers, where everything arrives in the cycle in which it is sent.

Flits one way and credits the other; or, between deflection routers, a flit with its header in each
cycle and no credits.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from numpy.typing import NDArray

from fingerpost.golden.header import Layout, link_layout
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.link.base import Link
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.state import Config, State
from fingerpost.golden.routing import Routing

Array = NDArray[Any]


@dataclass(frozen=True)
class FlitLink(Link):
    """The link inside a chip: what is on it arrives in the same cycle."""

    kind: ClassVar[str] = "flit"

    def check(self, routing: Routing, *, flit_width: int, channels: int) -> None:
        """Wires carry everything."""

    def rate(self, flit_width: int) -> float:
        return 1.0

    def seen(self, *, flit_width: int, channels: int) -> Layout:
        """Return what is on the wires, credits with the link that they belong to."""
        return link_layout(flit_width, channels)


class WireConfig(NamedTuple):
    """Links of kind flit: what is sent arrives in the same cycle, so it is not kept."""

    nothing: int

    def recording(self, cycles: int, outputs: int) -> Any:
        """Return room for what is on links besides flits and credits: nothing."""
        return ()


class WireState(NamedTuple):
    """Links of kind flit."""

    nothing: Array


@compiled
def step_links(slots: Slots, config: Config, state: State) -> None:
    """Leave everything where it is."""


@compiled
def note_links(noted: Any, row: int, config: Config, state: State) -> None:
    """Note nothing: what is sent and what arrives are noted anyway."""


@dataclass(frozen=True)
class SingleFlitLink(Link):
    """The link of deflection routers: what is on it arrives in the same cycle."""

    kind: ClassVar[str] = "single-flit"
    payload: ClassVar[tuple[str, ...]] = "epoch", "key", "destination", "data"

    key_width: int
    destination_width: int
    """Bits of two fields of the header."""
    link_up: bool = False
    """Whether a node is told which of its links are up, and what to write into its table."""
    entry_width: int = 0
    """Bits of an entry of a table."""

    def check(self, routing: Routing, *, flit_width: int, channels: int) -> None:
        """Wires carry everything."""

    def rate(self, flit_width: int) -> float:
        return 1.0

    def seen(self, *, flit_width: int, channels: int = 1) -> Layout:
        """Return what is on the wires: the header, then the data."""
        return Layout.sequence(
            valid=(1, "there is a flit"),
            epoch=(1, "the epoch in which it was injected"),
            key=(self.key_width, "at most so many hops are left; 0: it is at its destination"),
            destination=(self.destination_width, "number of the terminal"),
            data=(flit_width, "the user's"),
        )

    def told(self, degree: int) -> dict[str, int]:
        """Return that a node is told which links are up, by port, and a new entry of its table."""
        if not self.link_up:
            return {}
        entry = {"table_destination": self.destination_width, "table_entry": self.entry_width}
        return {"link_up": degree, "table_write": 1, **entry}
