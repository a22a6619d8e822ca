"""Queues, flit by flit: golden.model.queues, and the bits that follow from them."""

from typing import Any

from golden.compiled.jit import compiled
from golden.compiled.layout import Fixed, Routers

__all__ = ["lay", "out_channel", "take", "write"]


@compiled
def out_channel(node: int, number: int, queue: Any, fixed: Fixed, lane: Any) -> int:
    """Return the output channel, counted within its router, that the front of a queue wants."""
    port, channel = queue.way_port, queue.way_channel
    if fixed.lanes > 1 and port != fixed.local and fixed.port[number] == fixed.local:
        channel = lane[node]
    return port * fixed.channels + channel  # type: ignore[no-any-return]


@compiled
def _front(node: int, number: int, queue: Any, way: Any, fixed: Fixed, routers: Routers) -> None:
    """Let the head that has come to the front tell the way."""
    router, bit = routers.router[node], 1 << number
    queue.way_port, queue.way_channel = way.port, way.channel
    if way.port < 0:
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
    bit, first = 1 << number, node * fixed.rows + fixed.bases[number]
    router, queue = routers.router[node], routers.queue[node * fixed.queues + number]
    oldest = queue.oldest
    tail = routers.way[first + oldest].tail
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
    if oldest == queue.newest and queue.level == 0:  # its first row is in the processor's cache
        queue.oldest = queue.newest = 0
    if tail or queue.level == 0:
        router.waiting &= ~bit
        router.drained &= ~bit
    if tail and queue.level > 0:
        _front(node, number, queue, routers.way[first + oldest], fixed, routers)


@compiled
def lay(
    node: int, number: int, port: int, channel: int, tail: bool, fixed: Fixed, routers: Routers
) -> Any:
    """Put the way of a flit where it will be in its queue; return the row for the rest of it."""
    queue = routers.queue[node * fixed.queues + number]
    newest = queue.newest
    at = node * fixed.rows + fixed.bases[number] + newest
    way = routers.way[at]
    way.port, way.channel, way.tail = port, channel, tail
    queue.newest = 0 if newest + 1 == fixed.depths[number] else newest + 1
    return routers.row[at]


@compiled
def write(node: int, number: int, fixed: Fixed, routers: Routers) -> None:
    """Count a flit that has come to its queue."""
    queue = routers.queue[node * fixed.queues + number]
    queue.level += 1
    if queue.level > 1:
        return
    if not queue.midst:
        way = routers.way[node * fixed.rows + fixed.bases[number] + queue.oldest]
        _front(node, number, queue, way, fixed, routers)
    elif queue.way_port >= 0:
        routers.router[node].waiting |= 1 << number
    else:
        routers.router[node].drained |= 1 << number
