"""What goes in and comes out, cycle by cycle, for `fingerpost.golden.engine.base.Record`."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.state import Config, State
from fingerpost.golden.terminal.credit import CreditConfig
from fingerpost.golden.terminal.state import AxiRecording, OsLinkConfig, OsLinkRecording

Array = NDArray[Any]


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
