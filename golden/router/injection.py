"""What enters from a terminal: flits without a credit are dropped; twin of hdl.router.injection.

A packet of which a flit was dropped is *truncated*: it gets a tail of the router's own.
"""

from typing import Any

from fingerpost.golden.jit.bits import SMALL
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.route_stage import find_route
from fingerpost.golden.router.state import Config, Routers, State


@compiled
def enter(node: int, injected: Any, config: Config, state: State) -> None:
    """Find the route of the flit that a terminal sent with a credit; drop another."""
    routers, sent = state.routers, injected[node]
    _end_truncated(node, sent, config, state)
    if not sent.valid:
        return
    sent.valid, channel = False, sent.channel & SMALL
    if _is_full(node, channel, config, routers):
        routers.overruns[node] += 1
        in_packet = _terminal_buffer(node, channel, config, routers).in_packet
        routers.truncated[node * config.classes + channel] = in_packet
    else:
        _enter(node, sent, config, state)


@compiled
def _enter(node: int, sent: Any, config: Config, state: State) -> None:
    """Find the route of a flit for whose channel of a terminal there is room."""
    state.routers.push_pending[node * config.classes + sent.channel] += 1
    find_route(sent, node, config.local, config, state)


@compiled
def _terminal_buffer(node: int, message_class: int, config: Config, routers: Routers) -> Any:
    """Return the queue of a channel of a terminal."""
    first = node * config.queues + config.local * config.channels
    return routers.vc_buffer[first + message_class]


@compiled
def _is_full(node: int, message_class: int, config: Config, routers: Routers) -> bool:
    """Return whether the queue of a terminal has no room, counting the flits on their way."""
    level = _terminal_buffer(node, message_class, config, routers).level
    pending = routers.push_pending[node * config.classes + message_class]
    return level + pending == config.terminal_depth  # type: ignore[no-any-return]


@compiled
def _end_truncated(node: int, sent: Any, config: Config, state: State) -> None:
    """Give a truncated packet its tail, if there is room; drop the flit that arrives for it.

    Where a flit of another class arrives, or a lower class has a tail, the tail waits. A tail
    takes the place of the flit that arrives.
    """
    routers = state.routers
    first, arrives, given = node * config.classes, sent.valid, False
    for message_class in range(config.classes):
        channel = first + message_class
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
        if waits or _is_full(node, message_class, config, routers):
            continue
        routers.truncated[channel], given = False, True
        sent.channel, sent.data, sent.tag, sent.step = message_class, data, -1, -1
        sent.head, sent.tail = False, True
        _enter(node, sent, config, state)
