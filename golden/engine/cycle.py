"""A cycle of a network and its terminals, phase by phase: see the table in `golden.engine`."""

from collections.abc import Callable
from concurrent.futures import Executor
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from fingerpost.golden.arrays import Array
from fingerpost.golden.jit.bits import INDEX, SMALL, advance_chance
from fingerpost.golden.jit.compile import called, compiled, compiled_once
from fingerpost.golden.jit.memory import prefetch
from fingerpost.golden.router import router
from fingerpost.golden.router.delay_line import Slots, join, slots_of
from fingerpost.golden.router.fetch import CACHED, fetch
from fingerpost.golden.router.state import Config, State
from fingerpost.golden.terminal.credit import CreditConfig
from fingerpost.golden.terminal.state import AxiRecording, OsLinkConfig, OsLinkRecording


class Wires(NamedTuple):
    """What is on links with credits, or in the place of it at terminals: (cycles, links) each."""

    valid: Array
    head: Array
    tail: Array
    data: Array
    credit: Array


class Recording(NamedTuple):
    """What terminals give, what is seen on the links of routers, and counters, of a `Record`."""

    given: Wires
    seen: Wires
    errors: Array
    overruns: Array
    links: Any  # `CellRecording`, or nothing
    terminal: Any  # `AxiRecording`, `OsLinkRecording`, or nothing


def make_recording(config: Config, cycles: int) -> Recording:
    """Return room for so many cycles."""
    kinds = (np.uint32, np.bool_, np.bool_, np.int64, np.uint32)
    places, outputs = (cycles, config.places), (cycles, config.nodes * config.ports)
    given, seen = (Wires(*(np.zeros(at, kind) for kind in kinds)) for at in (places, outputs))
    noted: Any = ()
    if not isinstance(config.terminal, CreditConfig):
        kind = OsLinkRecording if isinstance(config.terminal, OsLinkConfig) else AxiRecording
        streams = cycles, config.places * config.classes
        noted = kind(*(np.zeros(streams, np.int64) for _ in kind._fields))
    errors, overruns = np.zeros((2, cycles, config.nodes), np.int64)
    return Recording(given, seen, errors, overruns, config.links.recording(*outputs), noted)


@compiled
def note(recording: Recording, row: int, slots: Slots, config: Config, state: State) -> None:
    """Note what the terminals send, and the registers before the clock edge."""
    routers = state.routers
    for node in range(config.nodes):
        recording.errors[row, node] = routers.errors[node]
        recording.overruns[row, node] = min(routers.overruns[node], config.max_overruns)
    for terminal in range(config.places):
        flit = slots.injecting[terminal]
        if flit.valid:
            recording.given.valid[row, terminal] = 1 << flit.channel
            recording.given.head[row, terminal] = flit.head
            recording.given.tail[row, terminal] = flit.tail
            recording.given.data[row, terminal] = flit.data
    for output in range(config.nodes * config.ports):
        link = config.link[output]
        flit = slots.flits[link.dst_node * config.ports + link.dst_port]
        if link.dst_node >= 0 and slots.arriving[link.dst_node] >> link.dst_port & 1:
            recording.seen.valid[row, output] = 1 << flit.channel
            recording.seen.head[row, output] = flit.head
            recording.seen.tail[row, output] = flit.tail
            recording.seen.data[row, output] = flit.data
    all_channels = (1 << config.channels) - 1
    for place in range(config.nodes * config.ports):
        link = config.link[place]
        if link.src_node < 0:
            continue
        credits = slots.credits[link.src_node] >> link.src_port * config.channels
        credits &= all_channels
        local = place % config.ports - config.local
        if local >= 0:
            credits = slots.terminal_credits[link.src_node * config.local_ports + local]
        recording.seen.credit[row, place] = credits


@compiled
def note_returned(recording: Recording, row: int, slots: Slots, config: Config) -> None:
    """Note the credits that terminals return."""
    for terminal in range(config.places):
        node = terminal // config.local_ports
        port = config.local + terminal - node * config.local_ports
        returned = slots.credits[node] >> port * config.channels & (1 << config.channels) - 1
        recording.given.credit[row, terminal] = returned


AHEAD = 8
"""Terminals for which packets are fetched beforehand."""


@compiled
def _arrives(node: int, port: int, slots: Slots, config: Config, state: State) -> bool:
    """Return whether a flit arrives at the terminal at a port, and count it."""
    bit, at = 1 << port, node * config.ports + port
    if node + AHEAD < config.nodes and slots.arriving[node + AHEAD] & bit:
        prefetch(state.packets, max(slots.flits[at + AHEAD * config.ports].tag, 0))
    if not slots.arriving[node] & bit:
        return False
    state.sent[at] += 1
    return True


@compiled
def _natural(config: Config) -> Config:
    """Return the same, and tell the compiler that sizes are not negative: see `INDEX`."""
    return Config(
        config.nodes & INDEX,
        config.places & INDEX,
        config.local_ports & SMALL,
        config.ports & SMALL,
        config.channels & SMALL,
        config.classes & SMALL,
        config.per_class & SMALL,
        config.local & SMALL,
        config.queues & SMALL,
        config.terminal_depth & SMALL,
        config.used_queues & SMALL,
        *config[11:],
    )


@compiled
def _of_routers(config: Config, state: State) -> tuple[Config, State]:
    """Return the same without links, terminals and packets: the same types whatever these are."""
    others: Any = 0
    return Config(*config[:-2], 0, 0), State(*state[:3], 0, 0, *state[5:-1], others)


@compiled_once
def _routers(part: int, config: Config, state: State) -> None:
    """Run the routers of a part of the network through a cycle."""
    config, part = _natural(config), part & SMALL
    parts, winner = len(state.winner), state.winner[part]
    slots = slots_of(state.in_flight, state.clock[0].now, part)
    first, end = config.nodes * part // parts, config.nodes * (part + 1) // parts
    for node in range(first & INDEX, end & INDEX):
        if config.nodes > CACHED:
            fetch(node, slots, config, state.routers)
        router.step(node & INDEX, slots, winner, config, state)


@compiled
def _tick(config: Config, state: State) -> None:
    """Go on to the next cycle."""
    clock = state.clock[0]
    if config.selection == 2:
        clock.chance = advance_chance(clock.chance)
    clock.now += 1


class Share(NamedTuple):
    """What of each cycle is run: terminals, the parts `first` to `end` - 1, and the clock edge.

    `row` is where the first cycle is recorded.
    """

    terminals: bool
    first: int
    end: int
    clock: bool
    row: int


def whole(state: State) -> Share:
    """Return all of each cycle, recorded from the first one on."""
    return Share(True, 0, len(state.winner), True, 0)


@cache
def cycles_of(links: ModuleType, terminals: ModuleType) -> called:
    """Return what runs routers with links and terminals of some kinds through some cycles.

    Parameters
    ----------
    links, terminals : module
        The functions of the kinds: those of `golden.link.flit_link` and `golden.terminal.credit`.
    """

    @called
    def run(
        config: Config,
        state: State,
        cycles: int,
        until_delivered: bool,
        stalls: Any,
        recording: Recording,
        share: Share,
    ) -> None:
        """Run a share of some cycles of one run, and record those for which there is room.

        `state` is that of one run. `stalls` has what terminals draw in these cycles, one behind the
        other; nothing where they never stall.
        """
        config = _natural(config)
        for cycle in range(cycles):
            if until_delivered and state.clock[0].outstanding == 0:
                break
            if share.terminals:
                row, now = share.row + cycle, state.clock[0].now
                recorded = row < len(recording.errors)
                join(state.in_flight, config, now)
                slots = slots_of(state.in_flight, now, 0)
                if recorded:
                    links.note_links(recording.links, row, config, state)
                links.step_links(slots, config, state)
                terminals.receive_credits(slots, config, state)
                terminals.send(slots, config, state, stalls)
                if recorded:
                    note(recording, row, slots, config, state)
                    terminals.note_sent(recording.terminal, row, config, state)
                for node in range(config.nodes):
                    for local in range(config.local_ports):
                        port = config.local + local
                        if _arrives(node, port, slots, config, state):
                            flit = slots.flits[node * config.ports + port]
                            place = node * config.local_ports + local
                            terminals.receive(flit, place, config, state)
                terminals.return_credits(slots, config, state, stalls)
                if recorded:
                    note_returned(recording, row, slots, config)
                    terminals.note_received(recording.terminal, row, config, state)
            for part in range(share.first, share.end):
                _routers(part, *_of_routers(config, state))
            if share.clock:
                _tick(config, state)

    return run


def run_in_parts(
    run: Callable[..., None],
    config: Config,
    state: State,
    cycles: int,
    until_delivered: bool,
    stalls: Any,
    recording: Recording,
    pool: Executor,
) -> None:
    """Run whole cycles with a thread of `pool` for each part of the network.

    `run` is the compiled form of what runs through cycles.

    No part reads what another writes in the same cycle: links and credits take a cycle or more.
    """
    clock, rest = state.clock[0], (config, state, 1, False, stalls, recording)
    for row in range(cycles):
        if until_delivered and not clock["outstanding"]:
            break
        run(*rest, Share(True, 0, 0, False, row))
        shares = (Share(False, part, part + 1, False, 0) for part in range(len(state.winner)))
        for part in [pool.submit(run, *rest, share) for share in shares]:
            part.result()
        run(*rest, Share(False, 0, 0, True, 0))
