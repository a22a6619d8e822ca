"""Route computation (RC) of a flit that arrives; the twin of hdl.router.route_stage."""

from typing import Any

from fingerpost.golden.jit.bits import INDEX, SMALL, pop_lowest
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.state import Config, Routers, State
from fingerpost.golden.router.vc_buffer import write_row


@compiled
def _choice(node: int, at: int, config: Config, state: State) -> int:
    """Return which of the steps from `at` on is taken: by chance, or by what ports are free."""
    choices = config.steps[at].choices
    if choices == 1:
        return at
    if config.selection == 2:
        selection = state.clock[0].chance ^ (node * 0x9E37 & 0xFFFF)
        return at + ((selection * choices) >> 16)  # type: ignore[no-any-return]
    free = _free_ports(node, config, state.routers)
    for step in range(at, at + choices):
        port = config.steps[step].port
        if free >> (~port if port < 0 else port) & 1:
            return step
    return at


@compiled
def _free_ports(node: int, config: Config, routers: Routers) -> int:
    """Return the mask of the output ports that no flit requests."""
    router, free = routers.router[node], (1 << config.ports) - 1
    rest = router.requested
    while rest:
        out, rest = pop_lowest(rest)
        if routers.channel[node * config.queues + out].request & router.valid:
            free &= ~(1 << config.port[out])
    return free


@compiled
def find_route(flit: Any, node: int, arrival: int, config: Config, state: State) -> None:
    """Write a flit that arrives at an input to its row, with its route; note it in `routed`."""
    queue = arrival * config.channels + flit.channel
    router = state.routers.router[node]
    buffer = state.routers.vc_buffer[node * config.queues + queue]
    continues_packet = buffer.in_packet
    head = flit.head and not continues_packet
    orphan = not (flit.head or continues_packet)
    router.routed |= 1 << queue
    # A flit outside any packet is discarded as a packet of its own. The flits behind a head have
    # its route, whatever is written here.
    route_port, route_channel, data, onward = -1, 0, flit.data, flit.step
    error = flit.head if continues_packet else orphan
    if head:
        at = flit.step & INDEX
        step = config.steps[at]
        if config.selection:
            step = config.steps[_choice(node, at, config, state)]
        unroutable = step.port < 0
        port = ~step.port if unroutable else step.port
        own = flit.channel
        if arrival >= config.local:  # the channel of a terminal is the class
            own = own * config.per_class
        if port < config.local:
            turn = (node * config.ports + arrival) * config.ports + (port & SMALL)
            increments = config.vc_increments[turn]
            route_channel = config.next_vc[own] if increments else own
        elif config.classes > 1:
            route_channel = own // config.per_class
        route_port = -1 if unroutable else port
        data = (flit.data & ~config.header_mask) | step.header
        onward = step.next
        error = unroutable
    tail = flit.tail or orphan
    row = write_row(node, queue, route_port, route_channel, tail, config, state.routers)
    row.data, row.tag, row.step = data, flit.tag, onward
    buffer.in_packet = (head or continues_packet) and not flit.tail
    router.new_errors += error
