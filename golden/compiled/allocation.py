"""Who goes next, router by router: golden.model.allocation, rounds and courtesy.

The queues of a router are bits of a word, so that what is asked of all of them is asked at once.
"""

from typing import Any

from golden.compiled.jit import compiled, lowest
from golden.compiled.layout import Fixed, Routers, State
from golden.compiled.prefetch import prefetch
from golden.compiled.queues import out_channel, take

__all__ = ["allocate", "let_go"]


@compiled
def allocate(node: int, fixed: Fixed, state: State) -> None:
    """Choose the flits of one router that go."""
    routers, now = state.routers, state.clock[0].now
    router = routers.router[node]
    heads = router.waiting & router.head
    polite = _polite(node, heads, fixed, routers)
    ready = _ready(node, router, fixed, routers)
    nominees = ready & router.nominated
    sent = 0
    if nominees:
        sent = _arbitration(node, nominees, heads, now, fixed, routers, state.winner)
    if fixed.channels > 1:
        soon = _foresee(node, ready, polite, router, fixed, routers)
        _nominate(node, nominees, sent, soon, now, router, fixed, routers)
        _rounds(node, sent, heads, polite, router, fixed, routers)
    if fixed.courteous:
        _let_pass(node, sent, heads, polite, fixed, routers)
    router.sent = sent


@compiled
def _polite(node: int, heads: int, fixed: Fixed, routers: Routers) -> int:
    """Return the heads that let others pass, as bits."""
    polite, rest = 0, heads if fixed.courteous else 0
    while rest:
        number = lowest(rest)
        rest &= rest - 1
        at = node * fixed.queues + number
        if routers.passed[at] < _limit(number, routers.queue[at].way_port, fixed):
            polite |= 1 << number
    return polite


@compiled
def _limit(number: int, output: int, fixed: Fixed) -> int:
    """Return how many packets a head lets pass at an output; 0 if it is no guest there."""
    limit: int = fixed.limits[fixed.port[number] * fixed.ports + output]
    return limit


@compiled
def _ready(node: int, router: Any, fixed: Fixed, routers: Routers) -> int:
    """Return who has a credit and, if it is a head, a channel that is not busy, and its turn."""
    base, ready = node * fixed.queues, 0
    outs = router.credited & router.wanted
    while outs:
        channel = routers.channel[base + lowest(outs)]
        outs &= outs - 1
        ready |= channel.wants & ~(router.head if channel.busy else channel.gone)
    return ready & router.waiting  # type: ignore[no-any-return]


@compiled
def _arbitration(
    node: int, nominees: int, heads: int, now: int, fixed: Fixed, routers: Routers, winner: Any
) -> int:
    """Return the nominees that their outputs take: whoever has waited longest."""
    base = node * fixed.queues
    rest = nominees
    while rest:
        number = lowest(rest)
        rest &= rest - 1
        queue = routers.queue[base + number]
        prefetch(routers.row, node * fixed.rows + fixed.bases[number] + queue.oldest)
        output = queue.way_port
        other = winner[output]
        if other < 0 or _turn(node, number, output, heads, fixed, routers) < _turn(
            node, other, output, heads, fixed, routers
        ):
            winner[output] = number
    sent, rest = 0, nominees
    while rest:
        number = lowest(rest)
        rest &= rest - 1
        output = routers.queue[base + number].way_port
        if winner[output] == number:
            winner[output] = -1
            sent |= 1 << number
            place = node * fixed.ports + output
            routers.served[place * fixed.ports + fixed.port[number]] = now
    return sent


@compiled
def _turn(node: int, number: int, output: int, heads: int, fixed: Fixed, routers: Routers) -> int:
    """Return when an output last took something from an input, before or after all turns."""
    place = node * fixed.ports + output
    turn = routers.served[place * fixed.ports + fixed.port[number]]
    if fixed.courteous and heads >> number & 1:
        limit = _limit(number, output, fixed)
        if limit:
            insists = routers.passed[node * fixed.queues + number] >= limit
            turn += fixed.first_rank if insists else fixed.last_rank
    return turn  # type: ignore[no-any-return]


@compiled
def _foresee(
    node: int, ready: int, polite: int, router: Any, fixed: Fixed, routers: Routers
) -> int:
    """Return who can go in the next cycle if all nominees go now.

    Then the channel of a terminal is busy where a head begins a packet, and is not where one
    ends. At links that is not foreseen: other channels fill the cycle between two packets.
    """
    base, local = node * fixed.queues, fixed.local * fixed.channels
    if not router.wanted >> local & 1:
        return ready
    channel = routers.channel[base + local]
    asks = channel.wants & router.waiting
    due = router.head & ~channel.gone
    rest = asks & router.nominated & (~router.head if channel.busy else due & ~polite)
    changes = False
    while rest:
        number = lowest(rest)
        rest &= rest - 1
        at = node * fixed.rows + fixed.bases[number] + routers.queue[base + number].oldest
        changes |= routers.way[at].tail == channel.busy
    if changes:
        ready &= ~(asks & router.head)
        if channel.busy and channel.credits > 0:
            ready |= asks & due
    return ready


@compiled
def _nominate(
    node: int,
    nominees: int,
    sent: int,
    soon: int,
    now: int,
    router: Any,
    fixed: Fixed,
    routers: Routers,
) -> None:
    """Nominate for the next cycle.

    Who could have gone stays nominated. Else it is the one of the other channels that can go
    soon that was not taken for longest; or else the channel to which a flit comes.
    """
    base, taken = node * fixed.queues, routers.taken
    nominated = router.nominated
    lost, rest = 0, nominees & ~sent
    while rest:
        lost |= fixed.siblings[lowest(rest)]
        rest &= rest - 1
    rest = router.arriving & ~lost & ~nominated
    while rest:
        number = lowest(rest)
        rest &= rest - 1
        router.nominated = (router.nominated & ~fixed.siblings[number]) | 1 << number
    rest = soon & ~nominated & ~lost
    while rest:
        best = lowest(rest)
        siblings = fixed.siblings[best]
        others = rest & siblings
        rest &= ~siblings
        others &= others - 1
        while others:
            number = lowest(others)
            others &= others - 1
            if taken[base + number] < taken[base + best]:
                best = number
        router.nominated = (router.nominated & ~siblings) | 1 << best
    rest = sent
    while rest:
        taken[base + lowest(rest)] = now
        rest &= rest - 1


@compiled
def _rounds(
    node: int, sent: int, heads: int, polite: int, router: Any, fixed: Fixed, routers: Routers
) -> None:
    """Note who goes while others are due, and end the rounds in which nobody is due any more."""
    base = node * fixed.queues
    outs, rest = router.rounds, sent & heads
    while rest:
        number = lowest(rest)
        rest &= rest - 1
        queue = routers.queue[base + number]
        outs |= 1 << out_channel(node, number, queue, fixed, routers.lane)
    while outs:
        number = lowest(outs)
        outs &= outs - 1
        channel = routers.channel[base + number]
        asks = channel.wants & heads
        begins, due = asks & sent, asks & ~channel.gone & ~polite
        channel.gone = channel.gone | begins if due & ~begins else 0
        if channel.gone:
            router.rounds |= 1 << number
        else:
            router.rounds &= ~(1 << number)


@compiled
def _let_pass(
    node: int, sent: int, heads: int, polite: int, fixed: Fixed, routers: Routers
) -> None:
    """Count the packets that pass heads."""
    base, first = node * fixed.queues, node * fixed.ports
    rest = polite & ~sent
    while rest:
        at = base + lowest(rest)
        rest &= rest - 1
        through = routers.through[first + routers.queue[at].way_port]
        routers.passed[at] += through >= 0 and through != at
    rest = sent & heads
    while rest:
        routers.passed[base + lowest(rest)] = 0
        rest &= rest - 1
    for port in range(fixed.ports):
        routers.through[first + port] = -1
    rest = sent
    while rest:
        number = lowest(rest)
        rest &= rest - 1
        queue = routers.queue[base + number]
        tail = routers.way[node * fixed.rows + fixed.bases[number] + queue.oldest].tail
        if tail:
            routers.through[first + queue.way_port] = base + number


@compiled
def let_go(node: int, fixed: Fixed, state: State, here: int) -> None:
    """Let flits cross, and those go that have no way; all give back a credit."""
    routers, moving = state.routers, state.moving
    router = routers.router[node]
    base, count, rest = node * fixed.queues, moving.flit_count[here], router.sent
    while rest:
        number = lowest(rest)
        rest &= rest - 1
        queue = routers.queue[base + number]
        out = out_channel(node, number, queue, fixed, routers.lane)
        at = node * fixed.rows + fixed.bases[number] + queue.oldest
        row, tail = routers.row[at], routers.way[at].tail
        crossing = moving.flits[here, count]
        count += 1
        crossing.data, crossing.tag, crossing.step = row.data, row.tag, row.step
        crossing.node, crossing.place = node, node * fixed.ports + queue.way_port
        if queue.way_port == fixed.local:
            prefetch(state.packets, max(row.tag, 0))
        crossing.channel = out - queue.way_port * fixed.channels
        crossing.head, crossing.tail = router.head >> number & 1, tail
        channel = routers.channel[base + out]
        channel.busy = not tail
        channel.credits -= 1
        if channel.credits == 0:
            router.credited &= ~(1 << out)
    moving.flit_count[here] = count
    count, rest = moving.credit_count[1 - here], router.sent | router.drained
    while rest:
        number = lowest(rest)
        rest &= rest - 1
        moving.credit[1 - here, count] = base + number
        count += 1
        take(node, number, fixed, routers)
    moving.credit_count[1 - here] = count
    router.sent = 0
