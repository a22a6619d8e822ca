"""VC buffers, and the masks that follow from them; the twin of hdl.router.vc_buffer."""

from typing import Any

from fingerpost.golden.jit.bits import SMALL
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.state import Config, Routers


@compiled
def row_at(node: int, queue: int, pointer: int, config: Config) -> int:
    """Return the index of a row of a queue.

    The first rows of all queues are side by side, and so on: few flits, little memory.
    """
    return (pointer * config.nodes + node) * config.used_queues + queue


@compiled
def out_channel(node: int, queue: int, buffer: Any, config: Config, lane: Any) -> int:
    """Return the output channel, counted within its router, that the front of a queue requests."""
    port, channel = buffer.route_port & SMALL, buffer.route_channel
    if config.lanes > 1 and port < config.local <= config.port[queue]:
        channel += lane[terminal_channel(node, queue, config)]
    return port * config.channels + channel  # type: ignore[no-any-return]


@compiled
def terminal_channel(node: int, queue: int, config: Config) -> int:
    """Return the channel of a terminal whose queue this is."""
    local = config.port[queue] - config.local
    message_class = queue - (config.local + local) * config.channels
    first: int = (node * config.local_ports + local) * config.classes
    return first + message_class  # type: ignore[no-any-return]


@compiled
def _set_front(node: int, queue: int, buffer: Any, config: Config, routers: Routers) -> None:
    """Let a flit reach the front; a head requests its output."""
    router, bit = routers.router[node], 1 << queue
    row = routers.row[row_at(node, queue, buffer.read_ptr, config)]
    if row.tail:
        router.tail |= bit
    else:
        router.tail &= ~bit
    if buffer.mid_packet:
        if buffer.route_port >= 0:
            router.valid |= bit
        else:
            router.discard |= bit
        return
    buffer.route_port, buffer.route_channel = row.port, row.channel
    if row.port < 0:
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
    if config.lanes > 1 and buffer.route_port < config.local <= config.port[queue]:
        at = terminal_channel(node, queue, config)
        lane[at] = 0 if lane[at] + 1 == config.lanes else lane[at] + 1


@compiled
def pop(node: int, queue: int, config: Config, routers: Routers) -> None:
    """Remove the front of a queue."""
    bit = 1 << queue
    router, buffer = routers.router[node], routers.vc_buffer[node * config.queues + queue]
    tail = router.tail & bit
    read_ptr = 0 if buffer.read_ptr + 1 == config.depths[queue] else buffer.read_ptr + 1
    buffer.read_ptr = read_ptr
    buffer.mid_packet = not tail
    buffer.level -= 1
    router.valid &= ~bit
    router.discard &= ~bit
    if not tail:
        router.head &= ~bit
    else:
        router.head |= bit
        if buffer.route_port >= 0:
            _release_route(node, queue, buffer, config, routers)
    if buffer.level > 0:
        _set_front(node, queue, buffer, config, routers)
    elif read_ptr == buffer.write_ptr:  # the first row is in the cache
        buffer.read_ptr = buffer.write_ptr = 0


@compiled
def write_row(
    node: int, queue: int, port: int, channel: int, tail: bool, config: Config, routers: Routers
) -> Any:
    """Write the route of a flit to the row that it gets; return the row for the rest of it."""
    buffer = routers.vc_buffer[node * config.queues + queue]
    write_ptr = buffer.write_ptr
    row = routers.row[row_at(node, queue, write_ptr, config)]
    row.port, row.channel, row.tail = port, channel, tail
    buffer.write_ptr = 0 if write_ptr + 1 == config.depths[queue] else write_ptr + 1
    return row


@compiled
def push_flit(node: int, queue: int, config: Config, routers: Routers) -> None:
    """Count a flit whose row has been written."""
    buffer = routers.vc_buffer[node * config.queues + queue]
    buffer.level += 1
    if buffer.level == 1:
        _set_front(node, queue, buffer, config, routers)
