"""Switch traversal (ST): granted flits leave their buffers; the twin of hdl.router.output_port."""

from fingerpost.golden.jit.bits import INDEX, SMALL, pop_lowest
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.state import Config, State
from fingerpost.golden.router.vc_buffer import out_channel, pop, row_at


@compiled
def traverse_switch(node: int, granted: int, slots: Slots, config: Config, state: State) -> None:
    """Send the granted flits, discard those without a route; all return a credit."""
    routers = state.routers
    router = routers.router[node]
    base, first, rest = node * config.queues, node * config.ports, granted
    while rest:
        queue, rest = pop_lowest(rest)
        buffer = routers.vc_buffer[base + queue]
        out = out_channel(node, queue, buffer, config, routers.lane)
        at = row_at(node, queue, buffer.read_ptr, config)
        output = buffer.route_port & SMALL
        row, link = routers.row[at], config.link[first + output]
        there = link.dst_node & INDEX
        slots.leaving_to[there] |= 1 << link.dst_port
        flit = slots.leaving[there * config.ports + link.dst_port]
        flit.channel = out - output * config.channels
        flit.data, flit.tag, flit.step = row.data, row.tag, row.step
        flit.head, flit.tail = router.head >> queue & 1, router.tail >> queue & 1
        if router.tail >> queue & 1:
            router.busy &= ~(1 << out)
        else:
            router.busy |= 1 << out
        routers.credits[base + out] -= 1
        if routers.credits[base + out] == 0:
            router.has_credit &= ~(1 << out)
    rest = granted | router.discard
    while rest:
        queue, rest = pop_lowest(rest)
        port = config.port[queue]
        number = queue - port * config.channels
        if port >= config.local:
            terminal = node * config.local_ports + port - config.local
            slots.terminal_returned[terminal] |= 1 << number
        else:
            link = config.link[first + port]
            out = link.src_port * config.channels + number
            slots.returned[link.src_node & INDEX] |= 1 << out
        pop(node, queue, config, routers)
