"""OS-Links between routers: flits and credits as cells; the twin of fingerpost.hdl.link.cell_link.

A link of the model has the number of the output at which it starts, node * ports + port; the other
direction is that of the output at its end.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from fingerpost.golden.header import Layout
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.link.base import Link
from fingerpost.golden.link.cells import (
    CREDITS,
    FLIT,
    LINK_ERRORS,
    MOST_CHANNELS,
    STATUS,
    CellRecording,
    arrived_data,
    is_bad_packet,
    step_receiver,
    step_sender,
)
from fingerpost.golden.link.os_link import errors, link_out, step_port, tx_ready
from fingerpost.golden.link.parameters import ERRORS, OsLinkParameters
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.state import Config, State
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
    at_nodes: ClassVar[bool] = False
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
        least = -(-(routing.address_layout.width + STATUS) // 8) * 8
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

    def wires(self, *, flit_width: int, channels: int) -> int:
        return 1

    def formats(self, *, flit_width: int, channels: int, depth: int) -> dict[str, Any]:
        """Return the layouts of the cells, and the names of what can be wrong."""
        cells = {"flit": FLIT.describe(), "credits": CREDITS.describe()}
        return {"cells": cells, "errors": LINK_ERRORS}


BAD_PACKET, BAD_CELL = 1 << len(ERRORS), 2 << len(ERRORS)


@compiled
def _is_link(number: int, config: Config) -> bool:
    """Return whether there is a link; terminals have none."""
    port = number % config.ports
    return port < config.local and config.link[number].dst_node >= 0


@compiled
def _partner(number: int, config: Config) -> int:
    """Return the link in the other direction."""
    link = config.link[number]
    return link.dst_node * config.ports + link.dst_port  # type: ignore[no-any-return]


@compiled
def note_links(noted: CellRecording, row: int, config: Config, state: State) -> None:
    """Note the wire of every port, and what it has found wrong."""
    for number in range(config.nodes * config.ports):
        if _is_link(number, config):
            noted.wire[row, number] = link_out(number, state.links.ports)
            noted.errors[row, number] = state.links.errors[number]


@compiled
def step_links(slots: Slots, config: Config, state: State) -> None:
    """Take what routers send to each other in this cycle; give them what arrives in it."""
    for number in range(config.nodes * config.ports):
        if _is_link(number, config):
            state.links.wire[number] = link_out(number, state.links.ports)
            _take(number, slots, config, state)
    for number in range(config.nodes * config.ports):
        if _is_link(number, config):
            _give(number, slots, config, state)
            _step(number, config, state)


@compiled
def _take(number: int, slots: Slots, config: Config, state: State) -> None:
    """Take the flit that an output sends, and the credits that the input beside it returns."""
    links, link, rows = state.links, config.link[number], config.links.rows
    sender, other = links.sender[number], _partner(number, config)
    if slots.arriving[link.dst_node] >> link.dst_port & 1:
        slots.arriving[link.dst_node] &= ~(1 << link.dst_port)
        place = (sender.read + sender.gone + sender.level) % rows
        flit, row = slots.flits[other], links.row[number * rows + place]
        row.data, row.tag, row.step = flit.data, flit.tag, flit.step
        row.channel, row.head, row.tail = flit.channel, flit.head, flit.tail
        sender.pushed = True
    first = link.dst_port * config.channels
    credits = slots.credits[link.dst_node] >> first & (1 << config.channels) - 1
    slots.credits[link.dst_node] &= ~(credits << first)
    sender.returned = credits


@compiled
def _give(number: int, slots: Slots, config: Config, state: State) -> None:
    """Give a router what arrives on the link to one of its ports."""
    links, rows = state.links, config.links.rows
    receiver, port = links.receiver[number], number % config.ports
    node = number // config.ports
    slots.credits[node] |= receiver.credits << port * config.channels
    if receiver.arrived:
        other = _partner(number, config)
        sender, flit = links.sender[other], slots.flits[number]
        row = links.row[other * rows + sender.read]
        flit.channel, flit.head, flit.tail = receiver.channel, receiver.head, receiver.tail
        flit.data, flit.tag, flit.step = arrived_data(number, config, links), row.tag, row.step
        sender.read = 0 if sender.read + 1 == rows else sender.read + 1
        sender.gone -= 1
        slots.arriving[node] |= 1 << port


@compiled
def _step(number: int, config: Config, state: State) -> None:
    """Let a port and what is behind it go through a clock edge."""
    links, port = state.links, config.links.port
    wrong = errors(number, links.ports, port)
    if is_bad_packet(number, config, links):
        wrong |= BAD_PACKET
    if links.receiver[number].bad_cell:
        wrong |= BAD_CELL
    links.errors[number] |= wrong
    sender, ready = links.sender[number], tx_ready(number, links.ports, port)
    received = links.ports.fifo[number * port.fifo]
    arrived = links.ports.port[number].level > 0
    link_in = links.wire[_partner(number, config)]
    step_port(number, link_in, sender.byte, sender.valid, True, False, links.ports, port)
    step_sender(number, ready, config, links)
    step_receiver(number, received, arrived, config, links)
