"""A deflection router, flit by flit; the counterpart of fingerpost.hdl.deflection.router.

A hop takes four cycles, each with a register behind it:

| stage | reads | writes | what it does |
|---|---|---|---|
| arrive | link | arrived | ejection; injection into a slot that is empty |
| rank | arrived | ranked | order of priorities; the table is read |
| switch, first part | ranked | switched | the first ranks of switches |
| switch, second part | switched | link | the other ranks; the key of each flit |

With `hop_cycles` 3 the register `switched` is left out. Nothing is ever held: a register is
overwritten in each cycle, and what was in it has gone on. So `cycle` goes through the stages from
the last to the first; only links are there twice, those of this cycle and those of the next.
"""

from typing import Any

from fingerpost.golden.deflection.state import Config, State
from fingerpost.golden.jit.bits import INDEX, pop_lowest, trailing_zeros
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.jit.memory import prefetch


@compiled
def cycle(node: int, waiting: bool, table: Any, config: Config, state: State) -> int:
    """Run a router through a cycle, up to its clock edge, but for what its terminal injects.

    `waiting`: the terminal offers a flit. `table` has those of all routers. Return the slot into
    which what is offered goes, for `inject`; -1 if it does not.
    """
    router = state.routers.router[node]
    base = config.base[node] & INDEX
    links = config.base[node + 1] - base
    _count_errors(node, config, state)
    if config.link_up:
        _lose(node, base, config, state)
    _switch_last(node, base, links, config, state)
    if config.hop_cycles == 4:
        _switch_first(node, base, links, config, state)
    _rank(node, base, table, config, state)
    if config.link_up:
        _write(node, table, config, state)
    _arrive(node, base, links, table, config, state)
    _eject(node, base, config, state)
    slot = _free_slot(node, waiting, config, state)
    if config.link_up:
        told = state.routers.told[node]
        router.down_inputs, router.down_outputs = told.inputs, told.outputs
    return slot


@compiled
def inject(
    node: int, slot: int, tag: int, destination: int, table: Any, config: Config, state: State
) -> None:
    """Put the flit of the terminal into a slot; without such a `destination`, -1, count it only."""
    router = state.routers.router[node]
    flit = state.routers.arrived[config.base[node] + slot]
    if destination < 0:
        router.refused = True
        return
    flit.tag, flit.destination = tag, destination
    flit.key, flit.epoch, flit.old = config.most_key, state.clock[0].epoch, False
    prefetch(table, node * config.destinations + destination)
    router.arrived |= 1 << slot


@compiled
def _count_errors(node: int, config: Config, state: State) -> None:
    """Count the flit that was refused in the cycle before; note whether the terminal waits."""
    routers = state.routers
    router = routers.router[node]
    if router.refused and routers.errors[node] < config.max_errors:
        routers.errors[node] += 1
    state.clock[0].waits |= router.pending


@compiled
def _lose(node: int, base: int, config: Config, state: State) -> None:
    """Count the flits of this cycle on links that are down; `_arrive` drops them."""
    clock, routers = state.clock[0], state.routers
    links, rest = routers.links[clock.now & 1], routers.router[node].down_outputs
    while rest:
        slot, rest = pop_lowest(rest)
        if links[base + slot].valid:
            routers.dropped[clock.dropped] = links[base + slot].tag
            clock.dropped += 1
            routers.lost[node] = min(routers.lost[node] + 1, config.max_lost)


@compiled
def _switch(
    slots: Any, base: int, mask: int, down: int, crosses: int, part: Any, config: Config, place: Any
) -> None:
    """Let the flits of a router pass the switches of a cycle; `place` tells where each comes from.

    The flit of higher priority decides if it prefers a side, else the other one. `slots` are those
    of all routers; `mask` those of this one in which flits are, `down` those whose links are down,
    and `crosses` the switches that exchange these.
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
        if down and (down >> a | down >> b) & 1:
            swap = crosses >> (number - part[0]) & 1 != 0
        elif in_a.rank < in_b.rank:
            swap = a_goes or (not a_stays and b_goes)
        else:
            swap = b_goes or (not b_stays and a_goes)
        if swap:
            place[switch.a], place[switch.b] = b, a


@compiled
def _switch_last(node: int, base: int, links: int, config: Config, state: State) -> None:
    """Let the flits of a router pass the last switches, and leave: nearer, or deflected."""
    routers, place, second = state.routers, state.routers.place, config.hop_cycles - 3
    router = routers.router[node]
    before = routers.switched if second else routers.ranked
    mask = router.switched if second else router.ranked
    down = router.switched_down if second else router.ranked_down
    after = routers.links[(state.clock[0].now + 1) & 1]
    if mask:
        part = config.part[links, second:]
        crosses = config.crosses[node] >> (part[0] - config.part[links, 0])
        _switch(before, base, mask, down, crosses, part, config, place)
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
def _switch_first(node: int, base: int, links: int, config: Config, state: State) -> None:
    """Let the flits of a router pass the first switches, up to the register behind them."""
    routers, place = state.routers, state.routers.place
    router, found, down = routers.router[node], 0, 0
    if router.ranked:
        part, before = config.part[links], router.ranked_down
        crosses = config.crosses[node]
        _switch(routers.ranked, base, router.ranked, before, crosses, part, config, place)
        for slot in range(links):
            if router.ranked >> place[slot] & 1:
                routers.switched[base + slot] = routers.ranked[base + place[slot]]
                found |= 1 << slot
            down |= (before >> place[slot] & 1) << slot
    router.switched, router.switched_down = found, down


@compiled
def _rank(node: int, base: int, table: Any, config: Config, state: State) -> None:
    """Order the flits of a router by priority, and look up what brings them nearer."""
    routers = state.routers
    router = routers.router[node]
    rest = router.arrived
    while rest:
        slot, rest = pop_lowest(rest)
        flit, ranked = routers.arrived[base + slot], routers.ranked[base + slot]
        routers.ranked[base + slot] = flit
        entry = table[node * config.destinations + flit.destination]
        key = flit.key if flit.old else flit.key + config.most_key + 1
        ranked.rank = key * config.ports + slot
        ranked.wanted, ranked.distance = entry.productive, entry.distance
    router.ranked, router.ranked_down = router.arrived, router.arrived_down


@compiled
def _write(node: int, table: Any, config: Config, state: State) -> None:
    """Write into the table what was given a cycle ago; flits that arrived then come before."""
    given, writing = state.routers.write[node], state.routers.writing[node]
    if writing.valid:
        entry = table[node * config.destinations + writing.destination]
        entry.productive, entry.distance = writing.productive, writing.distance
    state.routers.writing[node] = given
    given.valid = False


@compiled
def _arrive(node: int, base: int, links: int, table: Any, config: Config, state: State) -> None:
    """Take what is on the links that are up."""
    clock, routers = state.clock[0], state.routers
    router, now = routers.router[node], routers.links[clock.now & 1]
    mask, down = 0, router.down_inputs
    for slot in range(links):
        source = config.source[base + slot]
        if not now[source].valid:
            continue
        state.sent[config.port_index[source]] += 1
        if down >> slot & 1:
            continue
        flit = routers.arrived[base + slot]
        routers.arrived[base + slot] = now[source]
        flit.old = flit.epoch != clock.epoch
        prefetch(table, node * config.destinations + flit.destination)
        mask |= 1 << slot
    router.arrived, router.arrived_down = mask, down


@compiled
def _eject(node: int, base: int, config: Config, state: State) -> None:
    """Let each ejection port that is ready take a flit at home: an old one, or the first."""
    clock, routers = state.clock[0], state.routers
    router, home, old = routers.router[node], 0, 0
    rest = router.arrived
    while rest:
        slot, rest = pop_lowest(rest)
        if routers.arrived[base + slot].key == 0:
            home |= 1 << slot
            if routers.arrived[base + slot].old:
                old |= 1 << slot
    if not home:
        return
    for port in range(config.ejections):
        here = home & config.ejects[node, port]
        if here == 0 or router.taking >> port & 1 == 0:
            continue
        slot = trailing_zeros(here & old if here & old else here)
        out = routers.ejected[clock.ejected]
        clock.ejected += 1
        out.tag, out.node, out.port = routers.arrived[base + slot].tag, node, port
        router.arrived &= ~(1 << slot)


@compiled
def _free_slot(node: int, waiting: bool, config: Config, state: State) -> int:
    """Return the slot into which what the terminal offers goes, -1 if it waits; note whether."""
    clock, router = state.clock[0], state.routers.router[node]
    free = config.enters[node] & ~(router.arrived | router.arrived_down)
    if clock.held and not router.pending:
        free = 0
    router.refused, router.ready = False, free != 0
    enters = free != 0 and waiting
    waits = waiting and not enters
    router.pending = waits and (router.pending or (clock.ticked and not clock.held))
    return trailing_zeros(free) if enters else -1
