"""An input of a router: flits arrive, and are counted; the twin of hdl.router.input_port."""

from fingerpost.golden.jit.bits import pop_lowest
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.route_stage import find_route
from fingerpost.golden.router.state import Config, Routers, State
from fingerpost.golden.router.vc_buffer import push_flit


@compiled
def arrive(node: int, slots: Slots, config: Config, state: State) -> None:
    """Take the flits from links to a router."""
    rest = slots.arriving[node] & ~(1 << config.local)
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
        message_class = queue - config.local * config.channels
        if message_class >= 0:
            routers.push_pending[node * config.classes + message_class] -= 1
