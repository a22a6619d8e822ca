"""What enters from a terminal: flits without a credit are dropped; twin of hdl.router.injection.

A packet of which a flit was dropped is *truncated*: it gets a tail of the router's own.
"""

from typing import Any

from fingerpost.golden.jit.bits import SMALL
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.route_stage import find_route
from fingerpost.golden.router.state import Config, Routers, State


@compiled
def enter(node: int, local: int, injected: Any, config: Config, state: State) -> None:
    """Find the route of the flit that a terminal sent with a credit; drop another."""
    routers, terminal = state.routers, node * config.local_ports + local
    sent = injected[terminal]
    _end_truncated(node, local, sent, config, state)
    if not sent.valid:
        return
    sent.valid, channel = False, sent.channel & SMALL
    if _is_full(node, local, channel, config, routers):
        routers.overruns[node] += 1
        in_packet = _terminal_buffer(node, local, channel, config, routers).in_packet
        routers.truncated[terminal * config.classes + channel] = in_packet
    else:
        _enter(node, local, sent, config, state)


@compiled
def _enter(node: int, local: int, sent: Any, config: Config, state: State) -> None:
    """Find the route of a flit for whose channel of a terminal there is room."""
    terminal = node * config.local_ports + local
    state.routers.push_pending[terminal * config.classes + sent.channel] += 1
    find_route(sent, node, config.local + local, config, state)


@compiled
def _terminal_buffer(
    node: int, local: int, message_class: int, config: Config, routers: Routers
) -> Any:
    """Return the queue of a channel of a terminal."""
    first = node * config.queues + (config.local + local) * config.channels
    return routers.vc_buffer[first + message_class]


@compiled
def _is_full(node: int, local: int, message_class: int, config: Config, routers: Routers) -> bool:
    """Return whether the queue of a terminal has no room, counting the flits on their way."""
    level = _terminal_buffer(node, local, message_class, config, routers).level
    terminal = node * config.local_ports + local
    pending = routers.push_pending[terminal * config.classes + message_class]
    return level + pending == config.terminal_depth  # type: ignore[no-any-return]


@compiled
def _end_truncated(node: int, local: int, sent: Any, config: Config, state: State) -> None:
    """Give a truncated packet its tail, if there is room; drop the flit that arrives for it.

    Where a flit of another class arrives, or a lower class has a tail, the tail waits. A tail
    takes the place of the flit that arrives.
    """
    routers = state.routers
    terminal, arrives, given = node * config.local_ports + local, sent.valid, False
    for message_class in range(config.classes):
        channel = terminal * config.classes + message_class
        if not routers.truncated[channel]:
            continue
        waits = given
        # The data of the tail is whatever the terminal has on its link: 0 if it sends nothing.
        data = 0
        if arrives and sent.channel == message_class:
            data, sent.valid = sent.data, False
            routers.overruns[node] += 1
        elif arrives:
            waits = True
        if waits or _is_full(node, local, message_class, config, routers):
            continue
        routers.truncated[channel], given = False, True
        sent.channel, sent.data, sent.tag, sent.step = message_class, data, -1, -1
        sent.head, sent.tail = False, True
        _enter(node, local, sent, config, state)
