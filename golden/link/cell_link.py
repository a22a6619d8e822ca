"""OS-Links between routers: flits and credits as cells, byte by byte."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from fingerpost.golden.header import Layout
from fingerpost.golden.link.base import Link
from fingerpost.golden.link.cells import (
    CREDITS,
    FLIT,
    LINK_ERRORS,
    MOST_CHANNELS,
    STATUS,
)
from fingerpost.golden.link.parameters import OsLinkParameters
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.routing import Routing

BOTH_WAYS = 13.2
"""Bit times of a byte on an OS-Link when both directions are busy, with 5 clocks per bit."""

WIDEST = 56
"""Bits of a flit; the model does not hold more in a number."""


@dataclass(frozen=True)
class CellLink(OsLinkParameters, Link):
    """The link between chips: an OS-Link, whose bytes are cells. Parameters are those of its ports.

    Nothing on it waits for a router, so the proof that routers cannot deadlock holds across it.
    """

    kind: ClassVar[str] = "os-link"
    status_width: ClassVar[int] = STATUS
    multiple: ClassVar[int] = 8
    own_clocks: ClassVar[bool] = True
    jitter_reason: ClassVar[str] = "the links are serial, and nodes may differ in clock"

    breaks: bool = field(default=False, init=False)  # the credits they drop would be lost
    stop: Literal["checked", "ignored"] = field(default="checked", init=False)

    @property
    def unit(self) -> int:
        return self.clocks_per_bit

    def check(self, routing: Routing, *, flit_width: int, channels: int) -> None:
        """Refuse what the cells have no room for, and links of one way.

        Raises
        ------
        ParameterError
            If the network cannot be across OS-Links.
        """
        least = -(-(routing.header.width + STATUS) // 8) * 8
        if flit_width % 8 or not least <= flit_width <= WIDEST:
            raise ParameterError(
                "flit_width",
                f"OS-Link needs a flit_width that is a multiple of 8 from {least}, room for a "
                f"{routing.algorithm} header and a CRC, to {WIDEST}, not {flit_width}",
                section="router",
            )
        if channels > MOST_CHANNELS:
            raise ParameterError(
                "kind",
                f"OS-Link carries up to {MOST_CHANNELS} virtual_channels, and there are {channels}",
                section="link",
            )
        if routing.topology.directed:
            raise ParameterError(
                "kind",
                f"OS-Link goes both ways, and the links of {routing.topology.family} do not",
                section="link",
            )

    def rate(self, flit_width: int) -> float:
        """Return the flits per cycle: each is its bytes and one before them.

        The credit for a flit that came takes one byte more.
        """
        return 1 / (BOTH_WAYS * (flit_width // 8 + 2) * self.clocks_per_bit)

    def seen(self, *, flit_width: int, channels: int) -> Layout:
        """Return the wire, and what the port at its start has found wrong so far."""
        return Layout.sequence(
            wire=(1, "what the port sends"),
            errors=(len(LINK_ERRORS), f"{', '.join(LINK_ERRORS)}, a bit for each"),
        )

    def formats(self) -> dict[str, Any]:
        """Return the layouts of the cells, and the names of what can be wrong."""
        cells = {"flit": FLIT.describe(), "credits": CREDITS.describe()}
        return {"cells": cells, "errors": LINK_ERRORS}
