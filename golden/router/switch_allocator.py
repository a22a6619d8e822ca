"""Switch allocation (SA): which flits cross in a cycle; the twin of hdl.router.switch_allocator.

Each input has one *candidate*, a queue. Each output grants one of the candidates that request it,
the least recently granted, and each input chooses its next candidate the same way. A head that
*yields* comes after all others until so many packets have passed it; then it is *promoted*.
"""

from typing import Any

from fingerpost.golden.jit.bits import SMALL, pop_lowest, trailing_zeros
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.jit.prefetch import prefetch
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
def nominate(
    node: int,
    candidates: int,
    granted: int,
    eligible_next: int,
    now: int,
    router: Any,
    config: Config,
    routers: Routers,
) -> None:
    """Choose the candidate of each input for the next cycle.

    An eligible candidate that is denied stays; so does, where links have lanes, one that is granted
    and no tail. Else it is the least recently granted of those that are eligible then, or else the
    queue to which a flit is written. With lanes those come first that request another output than
    the present candidate: arbitration is by packet, and its packet goes on.
    """
    base, buffers = node * config.queues, routers.vc_buffer
    previous = router.candidate
    denied, rest = 0, candidates & ~granted
    while rest:
        queue, rest = pop_lowest(rest)
        denied |= config.siblings[queue]
    rest = granted & ~router.tail if config.lanes > 1 else 0
    while rest:
        queue, rest = pop_lowest(rest)
        denied |= config.siblings[queue]
    rest = router.push & ~denied & ~previous
    while rest:
        queue, rest = pop_lowest(rest)
        router.candidate = (router.candidate & ~config.siblings[queue]) | 1 << queue
    rest = eligible_next & ~previous & ~denied
    while rest:
        best = trailing_zeros(rest)
        siblings = config.siblings[best]
        others = rest & siblings
        rest &= ~siblings
        if config.lanes > 1:
            candidate = previous & router.valid & siblings
            others = _elsewhere_first(node, others, candidate, config, routers)
            best = trailing_zeros(others)
        _, others = pop_lowest(others)
        while others:
            queue, others = pop_lowest(others)
            if buffers[base + queue].last_grant < buffers[base + best].last_grant:
                best = queue
        router.candidate = (router.candidate & ~siblings) | 1 << best
    rest = granted
    while rest:
        queue, rest = pop_lowest(rest)
        buffers[base + queue].last_grant = now


@compiled
def _elsewhere_first(
    node: int, others: int, candidate: int, config: Config, routers: Routers
) -> int:
    """Leave out what requests the output of the candidate, if there is more."""
    if not candidate:
        return others
    base = node * config.queues
    used = routers.vc_buffer[base + trailing_zeros(candidate)].route_port
    elsewhere, rest = 0, others
    while rest:
        queue, rest = pop_lowest(rest)
        if routers.vc_buffer[base + queue].route_port != used:
            elsewhere |= 1 << queue
    return elsewhere or others


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
    """Count the packets that pass the heads that yield: tails of others in switch traversal."""
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
