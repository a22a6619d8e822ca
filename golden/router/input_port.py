"""An input of a router: flits arrive, are counted, and nominated; twin of hdl.router.input_port.

The *candidate* of an input is the queue whose flit may be granted in this cycle.
"""

from typing import Any

from fingerpost.golden.jit.bits import pop_lowest, trailing_zeros
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.route_stage import find_route
from fingerpost.golden.router.state import Config, Routers, State
from fingerpost.golden.router.vc_buffer import push_flit, terminal_channel


@compiled
def arrive(node: int, slots: Slots, config: Config, state: State) -> None:
    """Take the flits from links to a router."""
    rest = slots.arriving[node] & (1 << config.local) - 1
    slots.arriving[node] = 0
    while rest:
        port, rest = pop_lowest(rest)
        place = node * config.ports + port
        state.sent[place] += 1
        find_route(slots.flits[place], node, port, config, state)


@compiled
def push(node: int, config: Config, routers: Routers) -> None:
    """Count the flits that have been written to their queues."""
    rest = routers.router[node].push
    while rest:
        queue, rest = pop_lowest(rest)
        push_flit(node, queue, config, routers)
        port = config.port[queue]
        if port >= config.local:
            routers.push_pending[terminal_channel(node, queue, config)] -= 1


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
