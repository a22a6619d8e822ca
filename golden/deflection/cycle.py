"""A cycle of deflection routers and their terminals.

No output of a router depends on an input of the same cycle, so each goes through the whole cycle
before the next one does.
"""

from types import ModuleType
from typing import Any

from fingerpost.golden.deflection import router
from fingerpost.golden.deflection.state import Config, Recording, State
from fingerpost.golden.jit.compile import called, compiled


def cycles_of(terminals: ModuleType) -> called:
    """Return what runs routers with terminals of a kind through some cycles.

    Parameters
    ----------
    terminals : module
        The functions of the kind: those of `fingerpost.golden.deflection.single_flit`.
    """

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
        clock = state.clock[0]
        table = state.routers.table if config.link_up else config.table
        for row in range(cycles):
            if until_delivered and clock.outstanding == 0:
                break
            recorded = row < len(recording.valid)
            for entry in range(clock.ejected):
                out = state.routers.ejected[entry]
                _count(out.node, config, state)
                terminals.receive(out, config, state)
            terminals.send(config, state, stalls)
            if recorded:
                _note(recording, row, config, state)
                terminals.note_sent(recording, row, config, state)
            clock.ejected = clock.dropped = clock.waits = 0
            for node in range(config.nodes):
                waiting = terminals.waits(node, config, state)
                slot = router.cycle(node, waiting, table, config, state)
                if slot >= 0:
                    tag, destination = terminals.inject(node, config, state)
                    router.inject(node, slot, tag, destination, table, config, state)
            for entry in range(clock.dropped):
                terminals.drop(state.routers.dropped[entry], config, state)
            terminals.end_cycle(config, state, stalls)
            _end_cycle(config, state)
            if recorded:
                terminals.note_received(recording, row, config, state)
            clock.now += 1

    return run


@compiled
def _count(node: int, config: Config, state: State) -> None:
    """Count a flit that came out."""
    state.flits[node] += 1
    state.sent[node * config.ports + config.local] += 1


@compiled
def _end_cycle(config: Config, state: State) -> None:
    """Change the epoch, and the terminals that may inject: only those that are pending, or all."""
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
def _note(recording: Recording, row: int, config: Config, state: State) -> None:
    """Note the registers before the clock edge; of data, what has it."""
    routers = state.routers
    links = routers.links[state.clock[0].now & 1]
    for slot in range(len(links)):
        flit, at = links[slot], config.port_index[slot]
        if flit.valid:
            recording.valid[row, at], recording.epoch[row, at] = 1, flit.epoch
            recording.key[row, at] = flit.key
            recording.destination[row, at] = flit.destination
            recording.data[row, at] = flit.tag
    for node in range(config.nodes):
        recording.errors[row, node] = routers.errors[node]
        recording.lost[row, node] = routers.lost[node]
