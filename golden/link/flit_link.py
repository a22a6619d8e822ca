"""Wires between routers: flits one way, credits the other, each in the cycle it is sent."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from numpy.typing import NDArray

from fingerpost.golden.flit import link_layout
from fingerpost.golden.header import Layout
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
