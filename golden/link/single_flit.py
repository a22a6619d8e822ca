"""Wires between deflection routers: a flit with its header in each cycle, and no credits."""

from dataclasses import dataclass
from typing import ClassVar

from fingerpost.golden.header import Layout
from fingerpost.golden.link.base import Link
from fingerpost.golden.routing import Routing


@dataclass(frozen=True)
class SingleFlitLink(Link):
    """The link of deflection routers: what is on it arrives in the same cycle."""

    kind: ClassVar[str] = "single-flit"
    payload: ClassVar[tuple[str, ...]] = (*("epoch", "key", "destination", "data"),)

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
