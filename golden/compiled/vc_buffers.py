"""VC buffers, flit by flit: golden.model.vc_buffers, and the masks that follow from them."""

from typing import Any

from fingerpost.golden.compiled.jit import compiled
from fingerpost.golden.compiled.state import Config, Routers

__all__ = ["out_channel", "pop", "push_flit", "row_at", "write_row"]


@compiled
def row_at(node: int, queue: int, pointer: int, config: Config) -> int:
    """Return the index of a row of a queue.

    The first rows of all queues of a router are side by side, and so on: few flits, few lines of
    the cache.
    """
    return node * config.rows + pointer * config.used_queues + queue


@compiled
def out_channel(node: int, queue: int, buffer: Any, config: Config, lane: Any) -> int:
    """Return the output channel, counted within its router, that the front of a queue requests."""
    port, channel = buffer.route_port, buffer.route_channel
    if config.lanes > 1 and port != config.local and config.port[queue] == config.local:
        channel += lane[_lane_at(node, queue, config)]
    return port * config.channels + channel  # type: ignore[no-any-return]


@compiled
def _lane_at(node: int, queue: int, config: Config) -> int:
    """Return the channel of a terminal whose queue this is."""
    return node * config.classes + queue - config.local * config.channels


@compiled
def _set_route(
    node: int, queue: int, buffer: Any, route: Any, config: Config, routers: Routers
) -> None:
    """Request the output of a head that has reached the front."""
    router, bit = routers.router[node], 1 << queue
    buffer.route_port, buffer.route_channel = route.port, route.channel
    if route.port < 0:
        router.discard |= bit
        return
    out = out_channel(node, queue, buffer, config, routers.lane)
    router.valid |= bit
    router.requested |= 1 << out
    routers.channel[node * config.queues + out].request |= bit


@compiled
def _release_route(node: int, queue: int, buffer: Any, config: Config, routers: Routers) -> None:
    """Withdraw the request of a packet whose tail leaves; the terminal takes its next lane."""
    lane = routers.lane
    out = out_channel(node, queue, buffer, config, lane)
    channel = routers.channel[node * config.queues + out]
    channel.request &= ~(1 << queue)
    if channel.request == 0:
        routers.router[node].requested &= ~(1 << out)
    if (
        config.lanes > 1
        and buffer.route_port != config.local
        and config.port[queue] == config.local
    ):
        at = _lane_at(node, queue, config)
        lane[at] = 0 if lane[at] + 1 == config.lanes else lane[at] + 1


@compiled
def pop(node: int, queue: int, config: Config, routers: Routers) -> None:
    """Remove the front of a queue."""
    bit = 1 << queue
    router, buffer = routers.router[node], routers.vc_buffer[node * config.queues + queue]
    read_ptr = buffer.read_ptr
    tail = routers.route[row_at(node, queue, read_ptr, config)].tail
    read_ptr = 0 if read_ptr + 1 == config.depths[queue] else read_ptr + 1
    buffer.read_ptr = read_ptr
    buffer.mid_packet = not tail
    buffer.level -= 1
    if not tail:
        router.head &= ~bit
    else:
        router.head |= bit
        if buffer.route_port >= 0:
            _release_route(node, queue, buffer, config, routers)
    if read_ptr == buffer.write_ptr and buffer.level == 0:  # the first row is in the cache
        buffer.read_ptr = buffer.write_ptr = 0
    if tail or buffer.level == 0:
        router.valid &= ~bit
        router.discard &= ~bit
    if tail and buffer.level > 0:
        route = routers.route[row_at(node, queue, read_ptr, config)]
        _set_route(node, queue, buffer, route, config, routers)


@compiled
def write_row(
    node: int, queue: int, port: int, channel: int, tail: bool, config: Config, routers: Routers
) -> Any:
    """Write the route of a flit to the row that it gets; return the row for the rest of it."""
    buffer = routers.vc_buffer[node * config.queues + queue]
    write_ptr = buffer.write_ptr
    at = row_at(node, queue, write_ptr, config)
    route = routers.route[at]
    route.port, route.channel, route.tail = port, channel, tail
    buffer.write_ptr = 0 if write_ptr + 1 == config.depths[queue] else write_ptr + 1
    return routers.row[at]


@compiled
def push_flit(node: int, queue: int, config: Config, routers: Routers) -> None:
    """Count a flit whose row has been written."""
    buffer = routers.vc_buffer[node * config.queues + queue]
    buffer.level += 1
    if buffer.level > 1:
        return
    if not buffer.mid_packet:
        route = routers.route[row_at(node, queue, buffer.read_ptr, config)]
        _set_route(node, queue, buffer, route, config, routers)
    elif buffer.route_port >= 0:
        routers.router[node].valid |= 1 << queue
    else:
        routers.router[node].discard |= 1 << queue
