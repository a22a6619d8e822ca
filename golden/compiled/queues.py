"""Queues, flit by flit: golden.model.queues, and the bits that follow from them."""

from typing import Any

from golden.compiled.jit import compiled
from golden.compiled.layout import Fixed, Routers

__all__ = ["out_channel", "take", "write"]


@compiled
def out_channel(node: int, number: int, queue: Any, fixed: Fixed, lane: Any) -> int:
    """Return the output channel, counted within its router, that the front of a queue wants."""
    port, channel = queue.way_port, queue.way_channel
    if fixed.lanes > 1 and port != fixed.local and fixed.port[number] == fixed.local:
        channel = lane[node]
    return port * fixed.channels + channel  # type: ignore[no-any-return]


@compiled
def _front(node: int, number: int, queue: Any, row: Any, fixed: Fixed, routers: Routers) -> None:
    """Let the head that has come to the front tell the way."""
    router, bit = routers.router[node], 1 << number
    queue.way_port, queue.way_channel = row.port, row.channel
    if row.port < 0:
        router.drained |= bit
        return
    out = out_channel(node, number, queue, fixed, routers.lane)
    router.waiting |= bit
    router.wanted |= 1 << out
    routers.channel[node * fixed.queues + out].wants |= bit


@compiled
def _part(node: int, number: int, queue: Any, fixed: Fixed, routers: Routers) -> None:
    """Leave the output channel of a packet whose tail goes; the terminal takes its next lane."""
    lane = routers.lane
    out = out_channel(node, number, queue, fixed, lane)
    channel = routers.channel[node * fixed.queues + out]
    channel.wants &= ~(1 << number)
    if channel.wants == 0:
        routers.router[node].wanted &= ~(1 << out)
    if fixed.lanes > 1 and queue.way_port != fixed.local and fixed.port[number] == fixed.local:
        lane[node] = 0 if lane[node] + 1 == fixed.lanes else lane[node] + 1


@compiled
def take(node: int, number: int, fixed: Fixed, routers: Routers) -> None:
    """Let the front of a queue go."""
    at, bit = node * fixed.queues + number, 1 << number
    router, queue = routers.router[node], routers.queue[at]
    oldest = queue.oldest
    tail = routers.row[at * fixed.rows + oldest].tail
    oldest = 0 if oldest + 1 == fixed.depths[number] else oldest + 1
    queue.oldest = oldest
    queue.midst = not tail
    queue.level -= 1
    if not tail:
        router.head &= ~bit
    else:
        router.head |= bit
        if queue.way_port >= 0:
            _part(node, number, queue, fixed, routers)
    if queue.level == 0:  # begin at the first row again: it is in the processor's cache
        queue.oldest = queue.newest = 0
    if tail or queue.level == 0:
        router.waiting &= ~bit
        router.drained &= ~bit
    if tail and queue.level > 0:
        _front(node, number, queue, routers.row[at * fixed.rows + oldest], fixed, routers)


@compiled
def write(flit: Any, fixed: Fixed, routers: Routers) -> None:
    """Write a flit that has come to its queue."""
    node, number = flit.node, flit.number
    at = node * fixed.queues + number
    queue = routers.queue[at]
    newest = queue.newest
    row = routers.row[at * fixed.rows + newest]
    row.data, row.tag, row.step = flit.data, flit.tag, flit.step
    row.port, row.channel, row.tail = flit.port, flit.channel, flit.tail
    queue.newest = 0 if newest + 1 == fixed.depths[number] else newest + 1
    queue.level += 1
    if queue.level > 1:
        return
    if not queue.midst:
        _front(node, number, queue, row, fixed, routers)
    elif queue.way_port >= 0:
        routers.router[node].waiting |= 1 << number
    else:
        routers.router[node].drained |= 1 << number
