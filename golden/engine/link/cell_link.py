"""OS-Links between routers: an OS-Link for every link, with what makes bytes of flits and credits.

A link has the number of the output at which it starts, node * ports + port; the other direction is
that of the output at its end.
"""

from fingerpost.golden.engine.link.cells import (
    arrived_data,
    is_bad_packet,
    step_receiver,
    step_sender,
)
from fingerpost.golden.engine.link.os_link import errors, link_out, step_port, tx_ready
from fingerpost.golden.engine.link.state import CellRecording
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.link.parameters import ERRORS
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.state import Config, State

BAD_PACKET, BAD_CELL = 1 << len(ERRORS), 2 << len(ERRORS)


@compiled
def _is_link(number: int, config: Config) -> bool:
    """Return whether there is a link; terminals have none."""
    port = number % config.ports
    return port != config.local and config.link[number].dst_node >= 0  # type: ignore[no-any-return]


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
