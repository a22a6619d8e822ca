"""Links of kind flit with registers: what is sent arrives so many cycles later, in order."""

from typing import Any

from fingerpost.golden.jit.bits import pop_lowest
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.link.flit_link import note_links
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.state import Config, State

__all__ = ["note_links", "step_links"]


@compiled
def step_links(slots: Slots, config: Config, state: State) -> None:
    """Take what routers send to each other in this cycle; give them what arrives in it."""
    links, now = state.links, state.clock[0].now
    length = len(links.arriving)
    slot = now % length
    for node in range(config.nodes):
        _take_flits(node, now, slots, config, links)
        _take_credits(node, now, slots, config, links)
    for node in range(config.nodes):
        ports = links.arriving[slot, node]
        slots.arriving[node] |= ports
        slots.credits[node] |= links.credits[slot, node]
        links.arriving[slot, node] = links.credits[slot, node] = 0
        while ports:
            port, ports = pop_lowest(ports)
            place = node * config.ports + port
            copy_flit(links.row[slot, place], slots.flits[place])


@compiled
def _take_flits(node: int, now: int, slots: Slots, config: Config, links: Any) -> None:
    """Take the flits that are on their way to a node."""
    ports = slots.arriving[node] & ((1 << config.local) - 1)
    while ports:
        port, ports = pop_lowest(ports)
        place = node * config.ports + port
        link = config.link[place]
        registers = config.links.registers[link.src_node * config.ports + link.src_port]
        if registers:
            later = (now + registers) % len(links.arriving)
            copy_flit(slots.flits[place], links.row[later, place])
            links.arriving[later, node] |= 1 << port
            slots.arriving[node] &= ~(1 << port)


@compiled
def _take_credits(node: int, now: int, slots: Slots, config: Config, links: Any) -> None:
    """Take the credits that are on their way back to a node."""
    outs = slots.credits[node] & ((1 << config.local * config.channels) - 1)
    while outs:
        out, outs = pop_lowest(outs)
        registers = config.links.registers[node * config.ports + out // config.channels]
        if registers:
            later = (now + registers) % len(links.credits)
            links.credits[later, node] |= 1 << out
            slots.credits[node] &= ~(1 << out)


@compiled
def copy_flit(flit: Any, to: Any) -> None:
    to.channel, to.head, to.tail = flit.channel, flit.head, flit.tail
    to.data, to.tag, to.step = flit.data, flit.tag, flit.step
