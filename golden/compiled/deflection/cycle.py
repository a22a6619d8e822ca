"""A cycle of deflection routers and their terminals, phase by phase: see the package."""

from typing import Any

from fingerpost.golden.compiled.bits import INDEX, pop_lowest, trailing_zeros
from fingerpost.golden.compiled.deflection.state import Config, Recording, State
from fingerpost.golden.compiled.jit import called, compiled
from fingerpost.golden.compiled.prefetch import prefetch
from fingerpost.golden.compiled.records import NEVER

__all__ = ["run"]


@compiled
def _receive(config: Config, state: State) -> None:
    """Check and count what came out."""
    clock, terminals = state.clock[0], state.terminals
    for entry in range(clock.ejected):
        out = state.routers.ejected[entry]
        packet = state.packets[out.tag]
        terminals.held[out.node * config.ejections + out.port] = out.tag
        terminals.flits[out.node] += 1
        terminals.sent[out.node * config.ports + config.local] += 1
        wrong = packet.destination != out.node or not packet.expected or packet.delivered >= 0
        if wrong:
            if clock.faults < len(state.fault):
                fault = state.fault[clock.faults]
                fault.cycle, fault.node, fault.packet = clock.now, out.node, out.tag
                clock.faults += 1
        else:
            clock.outstanding -= 1
        packet.delivered = clock.now


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
def _arrive(node: int, base: int, links: int, config: Config, state: State) -> bool:
    """Let flits arrive, eject, and inject; return whether one can be injected."""
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
    router.refused = False
    waits = terminals.due[node] <= clock.now
    if free and waits:
        mask |= _inject(node, base, trailing_zeros(free), config, state)
        waits = False
    router.pending = waits and (router.pending or (clock.ticked and not clock.held))
    router.arrived = mask
    ready: bool = free != 0
    return ready


@compiled
def _inject(node: int, base: int, slot: int, config: Config, state: State) -> int:
    """Take the next packet of a terminal; return the slot as a mask if its destination exists."""
    clock, terminals = state.clock[0], state.terminals
    number = terminals.packet[node]
    packet, flit = state.packets[number], state.routers.arrived[base + slot]
    packet.entered = clock.now
    more = number + 1 < terminals.end[node]
    terminals.packet[node] = number + 1
    terminals.due[node] = state.packets[number + 1].time if more else NEVER
    if packet.number >= config.terminals:
        state.routers.router[node].refused = True
        return 0
    flit.tag, flit.destination = number, packet.number
    flit.key, flit.epoch, flit.old = config.most_key, clock.epoch, False
    prefetch(config.table, node * config.destinations + flit.destination)
    return 1 << slot


@compiled
def _note(recording: Recording, row: int, config: Config, state: State) -> None:
    """Note what terminals offer, and the registers before the clock edge."""
    clock, routers, terminals = state.clock[0], state.routers, state.terminals
    links = routers.links[clock.now & 1]
    for slot in range(len(links)):
        flit, at = links[slot], config.port_index[slot]
        if flit.valid:
            recording.valid[row, at], recording.epoch[row, at] = 1, flit.epoch
            recording.key[row, at] = flit.key
            recording.destination[row, at] = flit.destination
            recording.data[row, at] = state.packets[flit.tag].data
    for entry in range(clock.ejected):
        out = routers.ejected[entry]
        recording.out_valid[row, out.node] |= 1 << out.port
    for port in range(len(terminals.held)):
        tag = terminals.held[port]
        recording.out_data[row, port] = state.packets[tag].data if tag >= 0 else 0
    for node in range(config.nodes):
        recording.errors[row, node] = routers.errors[node]
        if terminals.due[node] <= clock.now:
            packet = state.packets[terminals.packet[node]]
            recording.given_valid[row, node] = 1
            recording.given_destination[row, node] = packet.number
            recording.given_data[row, node] = packet.data


@compiled
def _end_cycle(config: Config, state: State, stalls: Any) -> None:
    """Change the epoch, the terminals that may inject, and what ejection ports take."""
    clock, waits = state.clock[0], state.routers.waits
    clock.epoch = clock.count >> config.epoch & 1
    if config.wait_limit >= 0:
        clock.ticked = clock.count & ((1 << config.wait_limit) - 1) == 0
        clock.held = clock.hold
        stage = clock.count % len(waits)
        clock.hold = waits[stage] and (clock.hold or clock.ticked)
        waits[stage] = clock.waits
    clock.count += 1
    every = (1 << config.ejections) - 1
    for node in range(config.nodes):
        taking = every
        if len(stalls):
            for port in range(config.ejections):
                if stalls[node * config.ejections + port]:
                    taking &= ~(1 << port)
        state.routers.router[node].taking = taking


@compiled
def _cycle(config: Config, state: State, stalls: Any, recording: Recording, row: int) -> None:
    """Run one cycle, up to and including its clock edge; record it if `row` is not negative."""
    clock, routers = state.clock[0], state.routers
    _receive(config, state)
    if row >= 0:
        _note(recording, row, config, state)
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
        ready = _arrive(node, base, links, config, state)
        if row >= 0:
            recording.ready[row, node] = ready
    _end_cycle(config, state, stalls)
    if row >= 0:
        for node in range(config.nodes):
            recording.eject_ready[row, node] = routers.router[node].taking
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

    `state` is that of one run. `stalls` has the ejection ports in each cycle, one cycle behind the
    other; nothing where terminals never stall.
    """
    ports = config.nodes * config.ejections
    for cycle in range(cycles):
        if until_delivered and state.clock[0].outstanding == 0:
            break
        row = cycle if cycle < len(recording.valid) else -1
        drawn = stalls[cycle * ports : (cycle + 1) * ports]
        _cycle(config, state, drawn, recording, row)
