"""A cycle of deflection routers and their terminals, phase by phase: see the package."""

from typing import Any

from fingerpost.golden.compiled.bits import INDEX, pop_lowest, trailing_zeros
from fingerpost.golden.compiled.deflection.kinds import (
    data_of,
    end_cycle,
    inject,
    note_received,
    note_sent,
    receive,
    send,
    waits,
)
from fingerpost.golden.compiled.deflection.state import Config, Recording, State
from fingerpost.golden.compiled.jit import called, compiled
from fingerpost.golden.compiled.prefetch import prefetch


@compiled
def _receive(config: Config, state: State) -> None:
    """Count what came out, and give it to terminals."""
    clock, terminals = state.clock[0], state.terminals
    for entry in range(clock.ejected):
        out = state.routers.ejected[entry]
        terminals.flits[out.node] += 1
        terminals.sent[out.node * config.ports + config.local] += 1
        receive(out, config, state)


@compiled
def _switch(slots: Any, base: int, mask: int, part: Any, config: Config, place: Any) -> None:
    """Let the flits of a router pass the switches of a cycle; `place` tells where each comes from.

    `slots` are those of all routers, `mask` those of this one in which flits are.
    """
    for slot in range(len(place)):
        place[slot] = slot
    for number in range(part[0], part[1]):
        switch = config.switch[number]
        a, b = place[switch.a], place[switch.b]
        in_a, in_b = slots[base + a], slots[base + b]
        wanted_a = in_a.wanted if mask >> a & 1 else 0
        wanted_b = in_b.wanted if mask >> b & 1 else 0
        a_stays, a_goes = wanted_a & switch.first != 0, wanted_a & switch.second != 0
        b_goes, b_stays = wanted_b & switch.first != 0, wanted_b & switch.second != 0
        a_stays, a_goes = a_stays and not a_goes, a_goes and not a_stays
        b_stays, b_goes = b_stays and not b_goes, b_goes and not b_stays
        if in_a.rank < in_b.rank:
            swap = a_goes or (not a_stays and b_goes)
        else:
            swap = b_goes or (not b_stays and a_goes)
        if swap:
            place[switch.a], place[switch.b] = b, a


@compiled
def _depart(node: int, base: int, links: int, config: Config, state: State) -> None:
    """Let the flits of a router leave: nearer, or deflected."""
    routers, place, cycle = state.routers, state.routers.place, config.hop_cycles - 3
    router = routers.router[node]
    before = routers.switched if cycle else routers.ranked
    mask = router.switched if cycle else router.ranked
    after = routers.links[(state.clock[0].now + 1) & 1]
    if mask:
        _switch(before, base, mask, config.part[links, cycle:], config, place)
    for slot in range(links):
        valid = mask != 0 and mask >> place[slot] & 1 != 0
        after[base + slot].valid = valid
        if valid:
            flit, leaves = before[base + place[slot]], after[base + slot]
            leaves.tag, leaves.destination = flit.tag, flit.destination
            leaves.epoch = flit.epoch
            if flit.wanted >> slot & 1:
                leaves.key = flit.distance - 1
            elif config.directed:  # the way back may be long
                leaves.key = config.most_key
            else:
                leaves.key = min(flit.distance + 1, config.most_key)


@compiled
def _pass(node: int, base: int, links: int, config: Config, state: State) -> None:
    """Let the flits of a router pass the first ranks of switches, up to the register."""
    routers, place = state.routers, state.routers.place
    router, found = routers.router[node], 0
    if router.ranked:
        _switch(routers.ranked, base, router.ranked, config.part[links], config, place)
        for slot in range(links):
            if router.ranked >> place[slot] & 1:
                routers.switched[base + slot] = routers.ranked[base + place[slot]]
                found |= 1 << slot
    router.switched = found


@compiled
def _rank(node: int, base: int, config: Config, state: State) -> None:
    """Order the flits of a router by priority, and look up what brings them nearer."""
    routers = state.routers
    router = routers.router[node]
    rest = router.arrived
    while rest:
        slot, rest = pop_lowest(rest)
        flit, ranked = routers.arrived[base + slot], routers.ranked[base + slot]
        routers.ranked[base + slot] = flit
        entry = config.table[node * config.destinations + flit.destination]
        key = flit.key if flit.old else flit.key + config.most_key + 1
        ranked.rank = key * config.ports + slot
        ranked.wanted, ranked.distance = entry.productive, entry.distance
    router.ranked = router.arrived


@compiled
def _arrive(node: int, base: int, links: int, config: Config, state: State) -> None:
    """Let flits arrive, eject, and inject."""
    clock, routers, terminals = state.clock[0], state.routers, state.terminals
    router, now = routers.router[node], routers.links[clock.now & 1]
    mask = home = old = 0
    for slot in range(links):
        source = config.source[base + slot]
        if not now[source].valid:
            continue
        terminals.sent[config.port_index[source]] += 1
        flit = routers.arrived[base + slot]
        routers.arrived[base + slot] = now[source]
        flit.old = flit.epoch != clock.epoch
        prefetch(config.table, node * config.destinations + flit.destination)
        mask |= 1 << slot
        if flit.key == 0:
            home |= 1 << slot
            if flit.old:
                old |= 1 << slot
    if home:
        for port in range(config.ejections):
            here = home & config.ejects[node, port]
            if here == 0 or router.taking >> port & 1 == 0:
                continue
            slot = trailing_zeros(here & old if here & old else here)
            out = routers.ejected[clock.ejected]
            clock.ejected += 1
            out.tag, out.node, out.port = routers.arrived[base + slot].tag, node, port
            mask &= ~(1 << slot)
    free = config.enters[node] & ~mask
    if clock.held and not router.pending:
        free = 0
    router.refused, router.ready = False, free != 0
    waiting = waits(node, config, state)
    if free and waiting:
        mask |= _inject(node, base, trailing_zeros(free), config, state)
        waiting = False
    router.pending = waiting and (router.pending or (clock.ticked and not clock.held))
    router.arrived = mask


@compiled
def _inject(node: int, base: int, slot: int, config: Config, state: State) -> int:
    """Take the flit of a terminal; return the slot as a mask if its destination exists."""
    flit = state.routers.arrived[base + slot]
    tag, destination = inject(node, config, state)
    if destination < 0:
        state.routers.router[node].refused = True
        return 0
    flit.tag, flit.destination = tag, destination
    flit.key, flit.epoch, flit.old = config.most_key, state.clock[0].epoch, False
    prefetch(config.table, node * config.destinations + destination)
    return 1 << slot


@compiled
def _note(recording: Recording, row: int, config: Config, state: State) -> None:
    """Note the registers before the clock edge."""
    routers = state.routers
    links = routers.links[state.clock[0].now & 1]
    for slot in range(len(links)):
        flit, at = links[slot], config.port_index[slot]
        if flit.valid:
            recording.valid[row, at], recording.epoch[row, at] = 1, flit.epoch
            recording.key[row, at] = flit.key
            recording.destination[row, at] = flit.destination
            recording.data[row, at] = data_of(flit.tag, config, state)
    for node in range(config.nodes):
        recording.errors[row, node] = routers.errors[node]


@compiled
def _end_cycle(config: Config, state: State) -> None:
    """Change the epoch, and the terminals that may inject."""
    clock, stopping = state.clock[0], state.routers.waits
    clock.epoch = clock.count >> config.epoch & 1
    if config.wait_limit >= 0:
        clock.ticked = clock.count & ((1 << config.wait_limit) - 1) == 0
        clock.held = clock.hold
        stage = clock.count % len(stopping)
        clock.hold = stopping[stage] and (clock.hold or clock.ticked)
        stopping[stage] = clock.waits
    clock.count += 1


@compiled
def _cycle(config: Config, state: State, stalls: Any, recording: Recording, row: int) -> None:
    """Run one cycle, up to and including its clock edge; record it if `row` is not negative."""
    clock, routers = state.clock[0], state.routers
    _receive(config, state)
    send(config, state, stalls)
    if row >= 0:
        _note(recording, row, config, state)
        note_sent(recording.terminal, row, config, state)
    clock.ejected = clock.waits = 0
    for node in range(config.nodes):
        base = config.base[node] & INDEX
        links = config.base[node + 1] - base
        if routers.router[node].refused and routers.errors[node] < config.max_errors:
            routers.errors[node] += 1
        clock.waits |= routers.router[node].pending
        _depart(node, base, links, config, state)
        if config.hop_cycles == 4:
            _pass(node, base, links, config, state)
        _rank(node, base, config, state)
        _arrive(node, base, links, config, state)
    end_cycle(config, state, stalls)
    _end_cycle(config, state)
    if row >= 0:
        note_received(recording.terminal, row, config, state)
    clock.now += 1


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
    for cycle in range(cycles):
        if until_delivered and state.clock[0].outstanding == 0:
            break
        row = cycle if cycle < len(recording.valid) else -1
        _cycle(config, state, stalls, recording, row)
