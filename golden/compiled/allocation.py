"""Switch and virtual-channel allocation, router by router: fingerpost.golden.model.allocation.

The queues of a router are bits of a mask, so that all of them are looked at at once.
"""

from typing import Any

from fingerpost.golden.compiled.bits import SMALL, pop_lowest, trailing_zeros
from fingerpost.golden.compiled.jit import compiled
from fingerpost.golden.compiled.prefetch import prefetch
from fingerpost.golden.compiled.state import Config, Routers, State
from fingerpost.golden.compiled.vc_buffers import out_channel, row_at


@compiled
def allocate(node: int, config: Config, state: State, winner: Any) -> int:
    """Return the mask of the flits of a router that leave; take the clock edge.

    `winner` is a row of `State.winner`.
    """
    routers, now = state.routers, state.clock[0].now
    router = routers.router[node]
    if config.lanes > 1 and config.classes == 1:
        _choose_lane(node, 0, router, config, routers)
    heads = router.valid & router.head
    unpromoted = _unpromoted(node, heads, config, routers)
    eligible = _eligible(node, router, config, routers)
    candidates = eligible & router.candidate
    granted = 0
    if candidates:
        tails = router.tail
        granted = _output_arbitration(node, candidates, heads, tails, now, config, routers, winner)
    if config.channels > 1:
        eligible_next = _predict_eligible(node, eligible, unpromoted, router, config, routers)
        _input_arbitration(node, candidates, granted, eligible_next, now, router, config, routers)
        _batches(node, granted, heads, unpromoted, router, config, routers)
    if config.yielding:
        _count_bypasses(node, granted, heads, unpromoted, router, config, routers)
    return granted


@compiled
def _choose_lane(
    node: int, message_class: int, router: Any, config: Config, routers: Routers
) -> None:
    """Choose the lane of a head from the terminal; see `Allocation._choose_lane`."""
    queue, base = config.local * config.channels + message_class, node * config.queues
    bit, buffer = 1 << queue, routers.vc_buffer[base + queue]
    if not router.valid & router.head & bit or buffer.route_port == config.local:
        return
    at, first = node * config.classes + message_class, buffer.route_channel
    first += buffer.route_port * config.channels
    lane, found = routers.lane[at], -1
    for other in range(config.lanes):
        out = first + other
        free = router.has_credit & ~router.busy & 1 << out
        if free and not routers.channel[base + out].served & bit:
            if other == lane:
                return
            if found < 0:
                found = other
    if found < 0:
        return
    channel = routers.channel[base + first + lane]
    channel.request &= ~bit
    if channel.request == 0:
        router.requested &= ~(1 << (first + lane))
    routers.lane[at] = found
    routers.channel[base + first + found].request |= bit
    router.requested |= 1 << (first + found)


@compiled
def _unpromoted(node: int, heads: int, config: Config, routers: Routers) -> int:
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
def _eligible(node: int, router: Any, config: Config, routers: Routers) -> int:
    """Return the mask of the flits that have a credit and, if heads, a free channel.

    A head that is served in this batch is not eligible.
    """
    base, eligible = node * config.queues, 0
    outs = router.has_credit & router.requested
    while outs:
        out, outs = pop_lowest(outs)
        channel = routers.channel[base + out]
        busy = router.busy >> out & 1
        eligible |= channel.request & ~(router.head if busy else channel.served)
    return eligible & router.valid  # type: ignore[no-any-return]


@compiled
def _output_arbitration(
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
def _predict_eligible(
    node: int, eligible: int, unpromoted: int, router: Any, config: Config, routers: Routers
) -> int:
    """Return the mask of what is eligible in the next cycle; see `Allocation._predict_eligible`."""
    base, first = node * config.queues, config.local * config.channels
    for local in range(first, first + config.classes):
        if not router.requested >> local & 1:
            continue
        channel, busy = routers.channel[base + local], router.busy >> local & 1 > 0
        requests = channel.request & router.valid
        pending = router.head & ~channel.served
        changing = ~router.head if busy else pending & ~unpromoted
        ends = router.tail if busy else ~router.tail
        if requests & router.candidate & changing & ends:
            eligible &= ~(requests & router.head)
            if busy and router.has_credit >> local & 1:
                eligible |= requests & pending
    return eligible


@compiled
def _input_arbitration(
    node: int,
    candidates: int,
    granted: int,
    eligible_next: int,
    now: int,
    router: Any,
    config: Config,
    routers: Routers,
) -> None:
    """Choose the candidates of the next cycle; see `Allocation._input_arbitration`."""
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
    """Leave out what requests the candidate's output, if there is more; see `Allocation`."""
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
def _batches(
    node: int,
    granted: int,
    heads: int,
    unpromoted: int,
    router: Any,
    config: Config,
    routers: Routers,
) -> None:
    """Mask what is granted while heads are pending; end the batches without a pending head."""
    base = node * config.queues
    outs, rest = router.batch_open, granted & heads
    while rest:
        queue, rest = pop_lowest(rest)
        buffer = routers.vc_buffer[base + queue]
        outs |= 1 << out_channel(node, queue, buffer, config, routers.lane)
    while outs:
        out, outs = pop_lowest(outs)
        channel = routers.channel[base + out]
        requests = channel.request & heads
        begins, pending = requests & granted, requests & ~channel.served & ~unpromoted
        channel.served = channel.served | begins if pending & ~begins else 0
        if channel.served:
            router.batch_open |= 1 << out
        else:
            router.batch_open &= ~(1 << out)


@compiled
def _count_bypasses(
    node: int,
    granted: int,
    heads: int,
    unpromoted: int,
    router: Any,
    config: Config,
    routers: Routers,
) -> None:
    """Count the packets that pass the heads that yield; see `BypassLimit.step`."""
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
