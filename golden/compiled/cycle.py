"""A cycle of a network and its terminals, phase by phase: see the table in `golden.compiled`."""

from typing import Any

from fingerpost.golden.compiled.allocation import allocate
from fingerpost.golden.compiled.bits import INDEX, SMALL
from fingerpost.golden.compiled.delay_line import Slot, slot_of
from fingerpost.golden.compiled.jit import called, compiled
from fingerpost.golden.compiled.prefetch import prefetch
from fingerpost.golden.compiled.recording import Recording, note, note_returned
from fingerpost.golden.compiled.route_stage import enter, find_route, terminal_queue
from fingerpost.golden.compiled.state import Config, Routers, State
from fingerpost.golden.compiled.switch_traversal import traverse_switch
from fingerpost.golden.compiled.terminal.kinds import (
    note_received,
    note_sent,
    receive,
    receive_credits,
    return_credits,
    send,
)
from fingerpost.golden.compiled.vc_buffers import push_flit

__all__ = ["run"]

AHEAD = 8
"""Flits whose records are fetched beforehand."""

LINK_CYCLES, CREDIT_CYCLES = 2, 1
"""From the grant of a flit to its arrival, over switch and link; and of its credit."""


@compiled
def _advance_chance(chance: int) -> int:
    """Return the state one cycle later, as `fingerpost.golden.algebra.chance.advance`."""
    for _ in range(16):
        feedback = (chance >> 15 ^ chance >> 14 ^ chance >> 12 ^ chance >> 3) & 1
        chance = (chance << 1 | feedback) & 0xFFFF
    return chance


@compiled
def _count_errors(config: Config, state: State) -> None:
    """Count the malformed flits of the cycle before."""
    errors, clock = state.routers.errors, state.clock[0]
    for entry in range(clock.new_errors):
        node = state.in_flight.new_errors[entry]
        if errors[node] < config.max_errors:
            errors[node] += 1
    clock.new_errors = 0


@compiled
def _fetch(flit: Any, config: Config, state: State) -> None:
    """Let the processor fetch what a flit needs when it arrives."""
    prefetch(config.steps, flit.step)
    port_index = flit.port_index
    if config.dst_node[port_index] < 0:
        prefetch(state.packets, max(flit.tag, 0))
    else:
        queue = config.link_dst[port_index] * config.channels + flit.channel
        prefetch(state.routers.vc_buffer, queue)


@compiled
def _arrive(config: Config, state: State, flits: Slot, pushes: Slot) -> None:
    """Take the flits from links to routers and terminals."""
    count = flits.length[0]
    for entry in range(count):
        if entry + AHEAD < count:
            _fetch(flits.entries[entry + AHEAD], config, state)
        flit = flits.entries[entry]
        port_index = flit.port_index & INDEX
        state.terminals.sent[port_index] += 1
        node = config.dst_node[port_index]
        if node < 0:
            receive(flit, config, state)
        else:
            find_route(
                flit, node & INDEX, config.link_dst[port_index] & INDEX, pushes, config, state
            )
    flits.length[0] = 0


@compiled
def _allocate(config: Config, state: State, pushes: Slot) -> None:
    """Allocate in every router that has something to do."""
    routers = state.routers.router
    for entry in range(pushes.length[0]):
        pushed = pushes.entries[entry]
        routers[pushed.node & INDEX].push |= 1 << pushed.queue
    for node in range(config.nodes):
        router = routers[node]
        works = router.valid | router.discard | router.push | router.batch_open
        if works or config.has_bypass_limits:
            allocate(node, config, state)
            router.push = 0


@compiled
def _traverse(config: Config, state: State, flits: Slot, credits: Slot) -> None:
    """Let the flits leave that are granted, or discarded."""
    routers = state.routers.router
    credits.length[0] = 0
    for node in range(config.nodes):
        if routers[node].granted | routers[node].discard:
            traverse_switch(node, config, state, flits, credits)


@compiled
def _receive_credits(config: Config, state: State, credits: Slot, returned: int) -> None:
    """Count the credits that arrive; they can be used from the next cycle on."""
    for entry in range(credits.length[0]):
        channel = config.credit_dst[credits.entries[entry] & INDEX]
        if channel >= 0:
            _receive_credit(channel & INDEX, config, state.routers)
    for entry in range(returned):
        channel = state.terminals.back[entry] & INDEX
        _receive_credit(terminal_queue(channel, config), config, state.routers)


@compiled
def _receive_credit(number: int, config: Config, routers: Routers) -> None:
    """Count a credit of an output channel, counted over all routers."""
    channel = routers.channel[number]
    channel.credits += 1
    if channel.credits == 1:
        node, out = divmod(number, config.queues)
        routers.router[node].has_credit |= 1 << out


@compiled
def _push(config: Config, state: State, pushes: Slot) -> None:
    """Count the flits that have been written to their queues."""
    for entry in range(pushes.length[0]):
        pushed = pushes.entries[entry]
        node, queue = pushed.node & INDEX, pushed.queue & SMALL
        push_flit(node, queue, config, state.routers)
        message_class = queue - config.local * config.channels
        if message_class >= 0:
            state.routers.push_pending[node * config.classes + message_class] -= 1
    pushes.length[0] = 0


@compiled
def _cycle(config: Config, state: State, stalls: Any, recording: Recording, row: int) -> None:
    """Run one cycle, up to and including its clock edge; record it if `row` is not negative."""
    clock, in_flight = state.clock[0], state.in_flight
    now = clock.now
    receive_credits(config, state, now)
    send(config, state, now, stalls)
    if row >= 0:
        note(recording, row, config, state)
        note_sent(recording.terminal, row, config, state)
    _count_errors(config, state)
    routed = slot_of(in_flight.pushes, now + config.routing_register)
    enter(config, state, now, routed)
    _arrive(config, state, slot_of(in_flight.flits, now), routed)
    returned = return_credits(config, state, stalls)
    if row >= 0:
        note_returned(recording, row, config, state, returned)
        note_received(recording.terminal, row, config, state)
    if config.selection == 2:
        clock.chance = _advance_chance(clock.chance)
    pushes = slot_of(in_flight.pushes, now)
    _allocate(config, state, pushes)
    leaving = slot_of(in_flight.flits, now + LINK_CYCLES)
    _traverse(config, state, leaving, slot_of(in_flight.credits, now + CREDIT_CYCLES))
    _receive_credits(config, state, slot_of(in_flight.credits, now), returned)
    _push(config, state, pushes)
    clock.now = now + 1


@compiled
def _natural(config: Config) -> Config:
    """Return the same, and tell the compiler that sizes are not negative: see `INDEX`."""
    return Config(
        config.nodes & INDEX,
        config.ports & SMALL,
        config.channels & SMALL,
        config.classes & SMALL,
        config.per_class & SMALL,
        config.local & SMALL,
        config.queues & SMALL,
        config.terminal_depth & SMALL,
        config.rows & INDEX,
        config.used_queues & SMALL,
        *config[10:],
    )


@called
def run(
    config: Config,
    state: State,
    cycles: int,
    until_delivered: bool,
    stalls: Any,
    recording: Recording,
) -> None:
    """Run one run through some cycles, and record as many of them as there is room for.

    `state` is that of one run. `stalls` has what terminals draw in these cycles, one behind the
    other; nothing where they never stall.
    """
    config = _natural(config)
    for cycle in range(cycles):
        if until_delivered and state.clock[0].outstanding == 0:
            break
        row = cycle if cycle < len(recording.valid) else -1
        _cycle(config, state, stalls, recording, row)
