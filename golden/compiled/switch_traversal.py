"""Switch traversal, router by router: the flits that leave their queues, and their credits."""

from fingerpost.golden.compiled.bits import pop_lowest
from fingerpost.golden.compiled.delay_line import Slot, push
from fingerpost.golden.compiled.jit import compiled
from fingerpost.golden.compiled.prefetch import prefetch
from fingerpost.golden.compiled.state import Config, State
from fingerpost.golden.compiled.vc_buffers import out_channel, pop, row_at

__all__ = ["traverse_switch"]


@compiled
def traverse_switch(node: int, config: Config, state: State, flits: Slot, credits: Slot) -> None:
    """Send the granted flits, discard those without a route; all return a credit."""
    routers = state.routers
    router = routers.router[node]
    base, rest = node * config.queues, router.granted
    while rest:
        queue, rest = pop_lowest(rest)
        buffer = routers.vc_buffer[base + queue]
        out = out_channel(node, queue, buffer, config, routers.lane)
        at = row_at(node, queue, buffer.read_ptr, config)
        row, tail = routers.row[at], routers.route[at].tail
        flit = push(flits)
        flit.data, flit.tag, flit.step = row.data, row.tag, row.step
        flit.node, flit.port_index = node, node * config.ports + buffer.route_port
        if buffer.route_port == config.local:
            prefetch(state.packets, max(row.tag, 0))
        flit.channel = out - buffer.route_port * config.channels
        flit.head, flit.tail = router.head >> queue & 1, tail
        channel = routers.channel[base + out]
        channel.busy = not tail
        channel.credits -= 1
        if channel.credits == 0:
            router.has_credit &= ~(1 << out)
    count, rest = credits.length[0], router.granted | router.discard
    while rest:
        queue, rest = pop_lowest(rest)
        credits.entries[count] = base + queue
        count += 1
        pop(node, queue, config, routers)
    credits.length[0] = count
    router.granted = 0
