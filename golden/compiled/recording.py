"""What goes in and comes out, cycle by cycle, for `fingerpost.golden.compiled.base.Record`."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.compiled.delay_line import slot_of
from fingerpost.golden.compiled.jit import compiled
from fingerpost.golden.compiled.state import Config, State
from fingerpost.golden.compiled.terminal.state import AxiRecording, CreditConfig

__all__ = ["Recording", "make_recording", "note", "note_returned"]

Array = NDArray[Any]


class Recording(NamedTuple):
    """The fields of `given`, of `seen`, and the counters, of a `Record`."""

    given_valid: Array
    given_head: Array
    given_tail: Array
    given_data: Array
    given_credit: Array
    valid: Array
    head: Array
    tail: Array
    data: Array
    credit: Array
    errors: Array
    overruns: Array
    terminal: Any  # `AxiRecording`, or nothing


def make_recording(config: Config, cycles: int) -> Recording:
    """Return room for so many cycles."""
    kinds = (np.uint32, np.bool_, np.bool_, np.int64, np.uint32)
    given = (np.zeros((cycles, config.nodes), kind) for kind in kinds)
    seen = (np.zeros((cycles, config.nodes * config.ports), kind) for kind in kinds)
    counters = (np.zeros((cycles, config.nodes), np.int64) for _ in range(2))
    noted: Any = ()
    if not isinstance(config.terminal, CreditConfig):
        streams = cycles, config.nodes * config.classes
        noted = AxiRecording(*(np.zeros(streams, np.int64) for _ in AxiRecording._fields))
    return Recording._make([*given, *seen, *counters, noted])


@compiled
def note(recording: Recording, row: int, config: Config, state: State) -> None:
    """Note what the terminals send, and the registers before the clock edge."""
    in_flight, routers, now = state.in_flight, state.routers, state.clock[0].now
    for node in range(config.nodes):
        recording.errors[row, node] = routers.errors[node]
        recording.overruns[row, node] = min(routers.overruns[node], config.max_overruns)
    injected = slot_of(in_flight.injection, now + config.header_cycles)
    for entry in range(injected.length[0]):
        flit = injected.entries[entry]
        recording.given_valid[row, flit.node] = 1 << flit.channel
        recording.given_head[row, flit.node] = flit.head
        recording.given_tail[row, flit.node] = flit.tail
        recording.given_data[row, flit.node] = flit.data
    flits = slot_of(in_flight.flits, now)
    for entry in range(flits.length[0]):
        flit = flits.entries[entry]
        recording.valid[row, flit.port_index] = 1 << flit.channel
        recording.head[row, flit.port_index] = flit.head
        recording.tail[row, flit.port_index] = flit.tail
        recording.data[row, flit.port_index] = flit.data
    credits = slot_of(in_flight.credits, now)
    for entry in range(credits.length[0]):
        port_index, channel = divmod(credits.entries[entry], config.channels)
        recording.credit[row, port_index] |= 1 << channel


@compiled
def note_returned(recording: Recording, row: int, config: Config, state: State, count: int) -> None:
    """Note the first `count` channels in the list of those that return a credit."""
    for entry in range(count):
        node, message_class = divmod(state.terminals.back[entry], config.classes)
        recording.given_credit[row, node] |= 1 << message_class
