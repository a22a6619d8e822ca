"""Switch allocation (SA): which flits cross in a cycle; the twin of hdl.router.switch_allocator.

Each input has one *candidate*, a queue: see `golden.router.input_port.nominate`. Each output grants
one of the candidates that request it, the least recently granted. A head that *yields* comes after
all others until so many packets have passed it; then it is *promoted*.
"""

from typing import Any

from fingerpost.golden.jit.bits import SMALL, pop_lowest
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.jit.memory import prefetch
from fingerpost.golden.router.state import Config, Routers
from fingerpost.golden.router.vc_buffer import row_at

PROMOTED, UNPROMOTED = -(1 << 40), 1 << 40
"""Priorities of the heads of yielding inputs: before, and after, all others."""


@compiled
def unpromoted_heads(node: int, heads: int, config: Config, routers: Routers) -> int:
    """Return the mask of the heads that still yield."""
    unpromoted, rest = 0, heads & config.yielding
    while rest:
        queue, rest = pop_lowest(rest)
        at = node * config.queues + queue
        output = routers.vc_buffer[at].route_port & SMALL
        if routers.vc_buffer[at].passed < _limit(queue, output, config):
            unpromoted |= 1 << queue
    return unpromoted


@compiled
def _limit(queue: int, output: int, config: Config) -> int:
    """Return the bypass limit of a head at an output; 0 if its input does not yield there."""
    limit: int = config.bypass_limits[config.port[queue] * config.ports + output]
    return limit


@compiled
def grant_outputs(
    node: int,
    candidates: int,
    heads: int,
    tails: int,
    now: int,
    config: Config,
    routers: Routers,
    winner: Any,
) -> int:
    """Return the mask of the candidates that their outputs grant: the least recently granted."""
    base = node * config.queues
    rest = candidates
    while rest:
        queue, rest = pop_lowest(rest)
        buffer = routers.vc_buffer[base + queue]
        prefetch(routers.row, row_at(node, queue, buffer.read_ptr, config))
        output = buffer.route_port & SMALL
        other = winner[output]
        if other < 0 or _last_grant(node, queue, output, heads, config, routers) < _last_grant(
            node, other & SMALL, output, heads, config, routers
        ):
            winner[output] = queue
    granted, rest = 0, candidates
    while rest:
        queue, rest = pop_lowest(rest)
        output = routers.vc_buffer[base + queue].route_port & SMALL
        if winner[output] == queue:
            winner[output] = -1
            granted |= 1 << queue
            if config.lanes > 1 and not tails >> queue & 1:
                continue
            port_index = node * config.ports + output
            routers.input_last_grant[port_index * config.ports + config.port[queue]] = now
    return granted


@compiled
def _last_grant(
    node: int, queue: int, output: int, heads: int, config: Config, routers: Routers
) -> int:
    """Return when an output last granted an input, plus the priority of a head that yields."""
    port_index = node * config.ports + output
    last_grant = routers.input_last_grant[port_index * config.ports + config.port[queue]]
    if heads & config.yielding & 1 << queue:
        limit = _limit(queue, output, config)
        if limit:
            promoted = routers.vc_buffer[node * config.queues + queue].passed >= limit
            last_grant += config.promoted if promoted else config.unpromoted
    return last_grant  # type: ignore[no-any-return]


@compiled
def count_bypasses(
    node: int,
    granted: int,
    heads: int,
    unpromoted: int,
    router: Any,
    config: Config,
    routers: Routers,
) -> None:
    """Count the packets that pass the heads that yield: tails of others a cycle before."""
    base, first = node * config.queues, node * config.ports
    rest = unpromoted & ~granted
    while rest:
        queue, rest = pop_lowest(rest)
        buffer = routers.vc_buffer[base + queue]
        output = buffer.route_port & SMALL
        if router.tails_passed >> output & 1:
            buffer.passed += routers.tail_passed[first + output] != queue
    rest = granted & heads & config.yielding
    while rest:
        queue, rest = pop_lowest(rest)
        routers.vc_buffer[base + queue].passed = 0
    router.tails_passed, rest = 0, granted & router.tail
    while rest:
        queue, rest = pop_lowest(rest)
        output = routers.vc_buffer[base + queue].route_port & SMALL
        router.tails_passed |= 1 << output
        routers.tail_passed[first + output] = queue
