"""A cycle of a network and its terminals: golden.model.Model.step, and what is around it."""

from typing import Any

from golden.compiled.admission import admit, enter
from golden.compiled.allocation import allocate, let_go
from golden.compiled.jit import called, compiled
from golden.compiled.layout import Fixed, Moving, Routers, State, Tape, Terminals
from golden.compiled.prefetch import prefetch
from golden.compiled.queues import write
from golden.compiled.tape import note
from golden.compiled.terminals import credit, give_back, receive, send

__all__ = ["run"]

AHEAD = 8
"""Flits that are looked at beforehand."""

INDEX, SMALL = (1 << 31) - 1, (1 << 16) - 1
"""Numbers have no bits beyond. Where that is said, nobody asks whether an index is negative."""


@compiled
def _advance(chance: int) -> int:
    """Return the state one cycle later, as `golden.algebra.chance.advance`."""
    for _ in range(16):
        feedback = (chance >> 15 ^ chance >> 14 ^ chance >> 12 ^ chance >> 3) & 1
        chance = (chance << 1 | feedback) & 0xFFFF
    return chance


@compiled
def _expect(flit: Any, fixed: Fixed, state: State) -> None:
    """Let the processor fetch what a flit needs when it arrives."""
    prefetch(fixed.steps, flit.step)
    place = flit.place
    if fixed.reached[place] < 0:
        prefetch(state.packets, max(flit.tag, 0))
    else:
        prefetch(state.routers.queue, fixed.end[place] * fixed.channels + flit.channel)


@compiled
def _arrive(fixed: Fixed, state: State, here: int, slot: int) -> None:
    """Take what is on links and terminals."""
    moving, count = state.moving, state.moving.flit_count[here]
    for entry in range(count):
        if entry + AHEAD < count:
            _expect(moving.flits[here, entry + AHEAD], fixed, state)
        flit = moving.flits[here, entry]
        place = flit.place & INDEX
        state.terminals.sent[place] += 1
        node = fixed.reached[place]
        if node < 0:
            receive(flit, fixed, state)
        else:
            admit(flit, node & INDEX, fixed.end[place] & INDEX, slot, fixed, state)
    moving.flit_count[here] = 0


@compiled
def _count_errors(fixed: Fixed, state: State) -> None:
    """Count what was malformed in the cycle before."""
    errors, clock = state.routers.errors, state.clock[0]
    for entry in range(clock.new_errors):
        node = state.moving.new_errors[entry]
        if errors[node] < fixed.most_errors:
            errors[node] += 1
    clock.new_errors = 0


@compiled
def _allocate(fixed: Fixed, state: State, here: int, slot: int) -> None:
    """Let flits go in every router that has something to do."""
    moving, routers = state.moving, state.routers.router
    for entry in range(moving.routed_count[slot]):
        coming = moving.routed[slot, entry]
        routers[coming.node & INDEX].arriving |= 1 << coming.number
    moving.credit_count[1 - here] = 0
    for node in range(fixed.nodes):
        router = routers[node]
        busy = router.waiting | router.drained | router.arriving | router.rounds
        if busy or fixed.courteous:
            allocate(node, fixed, state)
            router.arriving = 0
    for node in range(fixed.nodes):
        if routers[node].sent | routers[node].drained:
            let_go(node, fixed, state, here)


@compiled
def _receive_credits(fixed: Fixed, state: State, here: int, back: int) -> None:
    """Count the credits that arrive; they serve from the next cycle on."""
    moving, routers = state.moving, state.routers
    for entry in range(moving.credit_count[here]):
        number = fixed.returns[moving.credit[here, entry] & INDEX]
        if number >= 0:
            _credit(number & INDEX, fixed, routers)
    for entry in range(back):
        node = state.terminals.back[entry]
        _credit(node * fixed.queues + fixed.local * fixed.channels, fixed, routers)


@compiled
def _credit(number: int, fixed: Fixed, routers: Routers) -> None:
    """Count a credit of an output channel."""
    channel = routers.channel[number]
    channel.credits += 1
    if channel.credits == 1:
        node, out = divmod(number, fixed.queues)
        routers.router[node].credited |= 1 << out


@compiled
def _write(fixed: Fixed, state: State, slot: int) -> None:
    """Write what arrives to its queues."""
    moving, routers = state.moving, state.routers
    for entry in range(moving.routed_count[slot]):
        coming = moving.routed[slot, entry]
        node, number = coming.node & INDEX, coming.number & SMALL
        write(node, number, fixed, routers)
        if number == fixed.local * fixed.channels:
            routers.coming[node] -= 1
    moving.routed_count[slot] = 0


@compiled
def _cycle(fixed: Fixed, state: State, stalls: Any, tape: Tape, row: int) -> None:
    """Go through one cycle, up to and including its clock edge."""
    clock = state.clock[0]
    now = clock.now
    here = now & 1
    launched, routed = fixed.launch_cycles + 1, fixed.routing_register + 1
    credit(fixed, state, here)
    send(fixed, state, now, now % launched)
    if row >= 0:
        note(tape, row, fixed, state)
    slot = now % routed
    # The errors of this cycle are counted in the next; those of the one before, now.
    _count_errors(fixed, state)
    # The terminal comes before the links, but they share no queue.
    enter(fixed, state, (now + 1) % launched, slot)
    _arrive(fixed, state, here, slot)
    back = give_back(fixed, state, stalls)
    if row >= 0:
        for entry in range(back):
            tape.given_credit[row, state.terminals.back[entry]] = 1
    if fixed.selection == 2:
        clock.chance = _advance(clock.chance)
    slot = (now + 1) % routed
    _allocate(fixed, state, here, slot)
    _receive_credits(fixed, state, here, back)
    _write(fixed, state, slot)
    clock.now = now + 1


@compiled
def _natural(fixed: Fixed) -> Fixed:
    """Return the same, and say that sizes are not negative."""
    return Fixed(
        fixed.nodes & INDEX,
        fixed.ports & SMALL,
        fixed.channels & SMALL,
        fixed.local & SMALL,
        fixed.queues & SMALL,
        fixed.terminal_depth & SMALL,
        fixed.rows & INDEX,
        fixed.launch_cycles,
        fixed.routing_register,
        fixed.lanes,
        fixed.courteous,
        fixed.selection,
        fixed.header_mask,
        fixed.data_mask,
        fixed.status,
        fixed.most_errors,
        fixed.most_overruns,
        fixed.first_rank,
        fixed.last_rank,
        fixed.end,
        fixed.reached,
        fixed.returns,
        fixed.increments,
        fixed.raised,
        fixed.port,
        fixed.siblings,
        fixed.depths,
        fixed.bases,
        fixed.limits,
        fixed.steps,
    )


@compiled
def _one(state: State, number: int) -> State:
    """Return the state of one run."""
    routers, moving, terminals = state.routers, state.moving, state.terminals
    return State(
        state.clock[number],
        Routers(
            routers.router[number],
            routers.queue[number],
            routers.channel[number],
            routers.row[number],
            routers.way[number],
            routers.taken[number],
            routers.served[number],
            routers.lane[number],
            routers.passed[number],
            routers.through[number],
            routers.errors[number],
            routers.lost[number],
            routers.cut[number],
            routers.coming[number],
        ),
        Moving(
            moving.flits[number],
            moving.flit_count[number],
            moving.injection[number],
            moving.injection_count[number],
            moving.routed[number],
            moving.routed_count[number],
            moving.credit[number],
            moving.credit_count[number],
            moving.new_errors[number],
        ),
        Terminals(
            terminals.packet[number],
            terminals.end[number],
            terminals.due[number],
            terminals.next_flit[number],
            terminals.credits[number],
            terminals.backlog[number],
            terminals.back[number],
            terminals.flits[number],
            terminals.sent[number],
        ),
        state.fault[number],
        state.winner[number],
        state.packets,
    )


@called
def run(
    fixed: Fixed,
    state: State,
    first: int,
    last: int,
    cycles: int,
    until_delivered: bool,
    stalls: Any,
    tape: Tape,
) -> None:
    """Run each of the runs first..last-1 through some cycles; the tape records the first one.

    `stalls` is (runs, cycles, nodes), or (runs, cycles, 0) where terminals never stall.
    """
    fixed = _natural(fixed)
    for number in range(first, last):
        one = _one(state, number)
        for cycle in range(cycles):
            if until_delivered and one.clock[0].outstanding == 0:
                break
            recorded = number == 0 and cycle < len(tape.valid)
            _cycle(fixed, one, stalls[number, cycle], tape, cycle if recorded else -1)
