"""OS-Links between routers: flits and credits as cells, byte by byte."""

from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.flit import Flits
from fingerpost.golden.header import Layout
from fingerpost.golden.link.base import Between, Link
from fingerpost.golden.link.cells import (
    CREDITS,
    FLIT,
    LINK_ERRORS,
    MOST_CHANNELS,
    STATUS,
    CellReceiver,
    CellSender,
)
from fingerpost.golden.link.os_link import OsLink
from fingerpost.golden.link.parameters import ERRORS, OsLinkParameters
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

    def between(
        self, start: IntArray, end: IntArray, *, channels: int, depth: int, flit_width: int
    ) -> "OsLinks":
        return OsLinks(start, end, self, channels=channels, depth=depth, flit_width=flit_width)

    def formats(self) -> dict[str, Any]:
        """Return the layouts of the cells, and the names of what can be wrong."""
        cells = {"flit": FLIT.describe(), "credits": CREDITS.describe()}
        return {"cells": cells, "errors": LINK_ERRORS}


class OsLinks(Between):
    """An OS-Link for every link of a network, with what makes bytes of flits and credits.

    Parameters
    ----------
    start, end : arrays
        Of every port of a node, the output at which its link starts and the input at which it
        ends; its own place if it has none.
    parameters : OsLinkParameters
    channels, depth, flit_width : int

    Attributes
    ----------
    places : (links,) array
        The ports that have a link.
    ports : OsLink
        Their OS-Link ports.
    errors : (links,) array
        What each has found wrong so far, a bit for each of `golden.link.cells.LINK_ERRORS`.
    """

    def __init__(
        self,
        start: IntArray,
        end: IntArray,
        parameters: OsLinkParameters,
        *,
        channels: int,
        depth: int,
        flit_width: int,
    ) -> None:
        self.start, self.end, self.channels = start, end, channels
        self.places = np.flatnonzero(end != np.arange(len(end)))
        links = len(self.places)
        self.row = np.full(len(end), -1)
        self.row[self.places] = np.arange(links)
        self.partner = self.row[end[self.places]]
        self.sender = CellSender(links, channels=channels, depth=depth, flit_width=flit_width)
        self.receiver = CellReceiver(links, channels=channels, flit_width=flit_width)
        self.ports = OsLink(links, parameters)
        self.every = np.ones(links, np.bool_)
        self.errors = np.zeros(links, np.int64)
        self.tags: defaultdict[tuple[int, int], deque[int]] = defaultdict(deque)

    def seen(self, flits: Flits, credit: IntArray) -> dict[str, IntArray]:
        """Return the wire and the errors of the port of every output; 0 where there is none."""
        columns = {name: np.zeros(len(self.end), np.int64) for name in ("wire", "errors")}
        columns["wire"][self.places], columns["errors"][self.places] = self.wires, self.errors
        return columns

    @property
    def wires(self) -> BoolArray:
        """Return what each port has on its wire, by `places`."""
        return self.ports.link_out

    def step(self, flits: Flits, credit: IntArray) -> tuple[Flits, IntArray]:
        """Go through one cycle; return what arrives in it of what was sent long before."""
        arriving, returned = self._arriving(), self._returned()
        row = self.row[flits.port_index]
        for link, channel, tag in zip(
            row.tolist(), flits.channel.tolist(), flits.tag.tolist(), strict=True
        ):
            self.tags[link, channel].append(tag)
        inputs, channel = np.divmod(credit, self.channels)
        linked = self.row[inputs] >= 0
        ports, sender, receiver = self.ports, self.sender, self.receiver
        own = receiver.bad_packet | receiver.bad_cell.astype(np.int64) << 1
        self.errors |= ports.errors | own << len(ERRORS)
        byte, valid = sender.byte, sender.valid
        received, arrived = ports.rx_data.copy(), ports.rx_valid
        sender.step((row, *flits[1:5]), (self.row[inputs[linked]], channel[linked]), ports.tx_ready)
        ports.step(ports.link_out[self.partner], byte, valid, self.every)
        receiver.step(received, arrived)
        return arriving, returned

    def _arriving(self) -> Flits:
        receiver = self.receiver
        at = np.flatnonzero(receiver.arrived)
        if not len(at):
            return Flits.empty()
        channel = receiver.channel[at]
        origin = zip(self.partner[at].tolist(), channel.tolist(), strict=True)
        tag = np.array([self.tags[each].popleft() for each in origin])
        place = self.places[self.partner[at]]
        return Flits(place, channel, receiver.head[at], receiver.tail[at], receiver.flit[at], tag)

    def _returned(self) -> IntArray:
        link, channel = np.nonzero(self.receiver.credits)
        return self.end[self.places[link]] * self.channels + channel
