"""What routers need that come later in a cycle, fetched while the processor is at another one.

In large networks nothing of a router is in the cache when its turn comes, and what one thing is
needed for is only known when the thing before is there: the flits that arrive, then the decisions
on their headers, then the output channels that these name. Each step is taken some nodes earlier.
"""

from fingerpost.golden.jit.bits import pop_lowest
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.jit.memory import prefetch
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.state import Config, Routers
from fingerpost.golden.router.vc_buffer import row_at

CACHED = 2000
"""Nodes whose records stay in the caches of a processor, more or less."""

AHEAD = 4
"""Nodes from one step to the next."""


@compiled
def fetch(node: int, slots: Slots, config: Config, routers: Routers) -> None:
    """Take each step for the router that is so many nodes ahead."""
    if node + 3 * AHEAD < config.nodes:
        _fetch_waiting(node + 3 * AHEAD, slots, config, routers)
    if node + 2 * AHEAD < config.nodes:
        _fetch_decisions(node + 2 * AHEAD, slots, config, routers)
    if node + AHEAD < config.nodes:
        _fetch_outputs(node + AHEAD, slots, config, routers)


@compiled
def _fetch_waiting(node: int, slots: Slots, config: Config, routers: Routers) -> None:
    """Fetch the flits that arrive, and what those need that wait in the queues."""
    router, base, turns = routers.router[node], node * config.queues, config.ports * config.ports
    arriving = slots.arriving[node]
    if arriving:
        for port in range(0, config.ports, 2):  # two are shorter than a line of the cache
            prefetch(slots.flits, node * config.ports + port)
    if arriving | router.valid:
        prefetch(config.link, node * config.ports)
        prefetch(config.vc_increments, node * turns)
        prefetch(routers.input_last_grant, node * turns)
        prefetch(routers.credits, base)
    outs = router.requested
    while outs:
        out, outs = pop_lowest(outs)
        prefetch(routers.channel, base + out)
    queues = router.valid
    while queues:
        queue, queues = pop_lowest(queues)
        prefetch(routers.vc_buffer, base + queue)
        prefetch(routers.row, row_at(node, queue, 0, config))


@compiled
def _fetch_decisions(node: int, slots: Slots, config: Config, routers: Routers) -> None:
    """Fetch the decisions on the flits that arrive, and the queues that they enter."""
    ports = slots.arriving[node] & (1 << config.local) - 1
    while ports:
        port, ports = pop_lowest(ports)
        flit = slots.flits[node * config.ports + port]
        queue = port * config.channels + flit.channel
        prefetch(config.steps, flit.step)
        prefetch(routers.vc_buffer, node * config.queues + queue)
        prefetch(routers.row, row_at(node, queue, 0, config))


@compiled
def _fetch_outputs(node: int, slots: Slots, config: Config, routers: Routers) -> None:
    """Fetch the output channels that the flits that arrive request, or near ones."""
    ports = slots.arriving[node] & (1 << config.local) - 1
    while ports:
        port, ports = pop_lowest(ports)
        flit = slots.flits[node * config.ports + port]
        out = config.steps[flit.step].port * config.channels + flit.channel
        prefetch(routers.channel, node * config.queues + max(out, 0))
