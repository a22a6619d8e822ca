"""Admission, flit by flit: golden.model.overruns, and what golden.model.model does of it."""

from typing import Any

from golden.compiled.jit import compiled, lowest
from golden.compiled.layout import Fixed, Routers, State
from golden.compiled.queues import lay

__all__ = ["admit", "enter"]


@compiled
def _choice(node: int, choices: int, fixed: Fixed, state: State) -> int:
    """Return which of the steps is taken, by what the decision is told besides."""
    if fixed.selection == 0:
        return 0
    if fixed.selection == 1:
        return _free(node, fixed, state.routers)
    selection = state.clock[0].chance ^ (node * 0x9E37 & 0xFFFF)
    return (selection * choices) >> 16  # type: ignore[no-any-return]


@compiled
def _free(node: int, fixed: Fixed, routers: Routers) -> int:
    """Return a bit for each port that no flit waits for."""
    router, free = routers.router[node], (1 << fixed.ports) - 1
    wanted = router.wanted
    while wanted:
        out = lowest(wanted)
        wanted &= wanted - 1
        if routers.channel[node * fixed.queues + out].wants & router.waiting:
            free &= ~(1 << fixed.port[out])
    return free


@compiled
def admit(flit: Any, node: int, place: int, slot: int, fixed: Fixed, state: State) -> None:
    """Give a flit that arrives at an input its way, and put it among those that are written."""
    moving, clock = state.moving, state.clock[0]
    number = (place - node * fixed.ports) * fixed.channels + flit.channel
    queue = state.routers.queue[node * fixed.queues + number]
    follows = queue.inside
    head = flit.head and not follows
    stray = not (flit.head or follows)

    coming = moving.routed[slot, moving.routed_count[slot]]
    moving.routed_count[slot] += 1
    coming.node, coming.number = node, number
    # A flit outside any packet is drained as a packet of its own. What follows a head has
    # the way of its head, whatever is written here.
    way_port, way_channel, data, onward = -1, 0, flit.data, flit.step
    error = flit.head if follows else stray
    if head:
        first = fixed.steps[flit.step]
        step = first
        if fixed.selection:
            step = fixed.steps[flit.step + _choice(node, first.choices, fixed, state)]
        bad = step.port < 0
        port = ~step.port if bad else step.port
        if port != fixed.local:
            raised = fixed.increments[place * fixed.ports + port]
            way_channel = fixed.raised[flit.channel] if raised else flit.channel
        way_port = -1 if bad else port
        data = (flit.data & ~fixed.header_mask) | step.header
        onward = step.next
        error = bad
    row = lay(node, number, way_port, way_channel, flit.tail or stray, fixed, state.routers)
    row.data, row.tag, row.step = data, flit.tag, onward
    queue.inside = (head or follows) and not flit.tail
    if error:
        moving.new_errors[clock.new_errors] = node
        clock.new_errors += 1


@compiled
def enter(fixed: Fixed, state: State, injection: int, slot: int) -> None:
    """Admit what the terminals sent, but what comes without a credit."""
    moving, routers, clock = state.moving, state.routers, state.clock[0]
    if clock.cuts:
        _end_cut(fixed, state, injection, slot)
    for entry in range(moving.injection_count[injection]):
        sent = moving.injection[injection, entry]
        if sent.place < 0:  # it was lost, or has ended a packet that was cut
            continue
        node, queue = sent.node, _door(sent.node, fixed, routers)
        if queue.level + routers.coming[node] == fixed.terminal_depth:
            routers.lost[node] += 1
            routers.cut[node] = queue.inside
            clock.cuts += queue.inside
        else:
            routers.coming[node] += 1
            admit(sent, node, sent.place, slot, fixed, state)
    moving.injection_count[injection] = 0


@compiled
def _door(node: int, fixed: Fixed, routers: Routers) -> Any:
    """Return the queue of a terminal."""
    return routers.queue[node * fixed.queues + fixed.local * fixed.channels]


@compiled
def _end_cut(fixed: Fixed, state: State, injection: int, slot: int) -> None:
    """End the packets that have lost a flit, where there is room; lose what comes."""
    moving, routers, clock = state.moving, state.routers, state.clock[0]
    count = moving.injection_count[injection]
    for node in range(fixed.nodes):
        if not routers.cut[node]:
            continue
        # Its data is whatever the terminal has on its link: 0 if it sends nothing.
        data = 0
        for entry in range(count):
            sent = moving.injection[injection, entry]
            if sent.node == node:
                data, sent.place = sent.data, -1
                routers.lost[node] += 1
        if _door(node, fixed, routers).level + routers.coming[node] == fixed.terminal_depth:
            continue
        routers.cut[node] = False
        clock.cuts -= 1
        tail = moving.injection[injection, count]
        tail.data, tail.tag, tail.channel, tail.head, tail.tail = data, -1, 0, False, True
        routers.coming[node] += 1
        admit(tail, node, node * fixed.ports + fixed.local, slot, fixed, state)
