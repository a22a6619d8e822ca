"""VC allocation (VA): which packet may begin on an output channel; twin of hdl.router.vc_allocator.

An output channel is held by a packet from its head to its tail. Heads that request a free channel
get it in batches: a queue that is *served* is masked while other heads are *pending*; when none is,
the mask clears. A flit is *eligible* if its channel has a credit and is its packet's, or free. The
queues of a router are bits of a mask, so that all of them are looked at at once.
"""

from typing import Any

from fingerpost.golden.jit.bits import pop_lowest
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.state import Config, Routers
from fingerpost.golden.router.vc_buffer import out_channel


@compiled
def choose_lane(node: int, local: int, router: Any, config: Config, routers: Routers) -> None:
    """Choose the lane of a head from a terminal, where there is one message class.

    It is the next one in turn; if that is not free, the first that is.
    """
    queue, base = (config.local + local) * config.channels, node * config.queues
    bit, buffer = 1 << queue, routers.vc_buffer[base + queue]
    if not router.valid & router.head & bit or buffer.route_port >= config.local:
        return
    at, first = node * config.local_ports + local, buffer.route_channel
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
def eligible_flits(node: int, router: Any, config: Config, routers: Routers) -> int:
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
def predict_eligible(
    node: int, eligible: int, unpromoted: int, router: Any, config: Config, routers: Routers
) -> int:
    """Return the mask of what is eligible in the next cycle if all candidates are granted.

    Then the channel of a terminal becomes busy where a head begins a packet, and free where a tail
    ends one. At links that is not predicted: other channels fill the cycle between two packets.
    """
    base = node * config.queues
    rest = router.requested >> config.local * config.channels
    while rest:
        local, rest = pop_lowest(rest)
        local += config.local * config.channels
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
def step_batches(
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
def receive_credits(node: int, slots: Slots, config: Config, routers: Routers) -> None:
    """Count the credits that arrive; they can be used from the next cycle on."""
    rest = slots.credits[node]
    slots.credits[node] = 0
    for terminal in range(node * config.local_ports, (node + 1) * config.local_ports):
        slots.terminal_credits[terminal] = 0
    while rest:
        out, rest = pop_lowest(rest)
        routers.credits[node * config.queues + out] += 1
        routers.router[node].has_credit |= 1 << out
