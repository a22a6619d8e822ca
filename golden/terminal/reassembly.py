"""Beats put in order; the twin of fingerpost.hdl.terminal.reassembly, which has the rules.

Each beat is kept in the place of its sequence number, and packets are shown in order by source. A
stream of it is a source, or `peers`: what was granted.
"""

from typing import Any

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.terminal.axi_users import unpack
from fingerpost.golden.terminal.queues import (
    front_row,
    step_block_queue,
    step_queue,
    write_row,
)
from fingerpost.golden.terminal.state import AnyConfig, AnyState

IDLE, SHOW, CHECK = range(3)

REQUEST_LENGTH = 16
"""Bits of the length below the slot in the word of a request."""


@compiled
def _rows(at: int, config: AnyConfig) -> int:
    """Return the places of a stream: of a source, or of what was granted."""
    terminal = config.terminal
    rows: int = terminal.space if at == terminal.peers else terminal.rows
    return rows


@compiled
def _place(stream: int, at: int, sequence: int, config: AnyConfig) -> int:
    """Return the place of a sequence number of a stream at a terminal."""
    terminal = config.terminal
    first = terminal.granted_place if at == terminal.peers else at * terminal.rows
    place: int = stream * terminal.places + first + (sequence & (_rows(at, config) - 1))
    return place


@compiled
def _is_present(shown: Any, config: AnyConfig) -> bool:
    """Return whether the place that was read has what it is to have."""
    odd = shown.sequence & _rows(shown.stream, config) != 0
    present: bool = shown.fresh and odd != shown.next_round
    return present


@compiled
def show(stream: int, config: AnyConfig, state: AnyState) -> tuple[bool, int]:
    """Make the beat that may be handed over; return whether there is one, and its source."""
    terminals, terminal = state.terminals, config.terminal
    shown = terminals.reassembly[stream]
    eager, source = shown.stream != terminal.peers, shown.stream
    if not eager:
        granted = terminals.granted[stream]
        source = front_row(granted, terminals.granted_rows, stream, terminal.grants).source
    unpack(terminals.beat[stream], shown.word, shown.last, shown.tag, config)
    terminals.receiver[stream].eager = eager
    return shown.state == SHOW and _is_present(shown, config) and not shown.request, source


@compiled
def is_busy(stream: int, state: AnyState) -> bool:
    """Return whether a packet is shown, or will be next."""
    shown, ready = state.terminals.reassembly[stream], state.terminals.ready[stream]
    return shown.state != IDLE or ready.front_valid  # type: ignore[no-any-return]


@compiled
def step(stream: int, taken: bool, grants: bool, config: AnyConfig, state: AnyState) -> None:
    """Go through a clock edge, in which a beat or a request may arrive."""
    terminals, depth, clock = state.terminals, config.terminal, state.clock[0]
    shown, arrived = terminals.reassembly[stream], terminals.arrived[stream]
    ready, granted = terminals.ready[stream], terminals.granted[stream]
    requests, space, streams = terminals.requests[stream], depth.peers, depth.peers + 1
    body, request = arrived.body, arrived.request
    present = _is_present(shown, config)
    last_taken = taken and shown.last
    parks = shown.state == SHOW and present and shown.request
    checks = shown.state == CHECK
    held = checks and present and shown.late
    resolved = checks and not held
    then = resolved and shown.stream == space  # the source of what was granted is next
    starts = ready.front_valid and (shown.state == IDLE or parks or (resolved and not then))

    # What is read next.
    after = (shown.sequence + 1) & (2 * _rows(shown.stream, config) - 1)
    next_stream, next_sequence = shown.stream, shown.sequence
    if starts:
        row = front_row(ready, terminals.ready_rows, stream, streams)
        next_stream, next_sequence = row.stream, row.sequence
    elif then:
        row = front_row(granted, terminals.granted_rows, stream, depth.grants)
        next_stream, next_sequence = row.source, row.follows
    elif taken:
        next_sequence = after
    reads = starts or taken or then or (shown.state == SHOW and not present)

    # Streams: where they are, and which come next.
    ends, heads = last_taken or then, stream * streams
    if ends:
        terminals.heads[heads + next_stream] = next_sequence
    enters = checks and present and not held
    if shown.late or enters:
        first = stream * streams
        next_ready = write_row(ready, terminals.ready_rows, first, streams, starts, clock)
        next_ready.stream = shown.late_stream if shown.late else shown.stream
        next_ready.sequence = shown.late_sequence if shown.late else shown.sequence
    step_block_queue(ready, starts, shown.late or enters, streams)
    comes, window = body or request, arrived.eager or request
    at = arrived.source if window else space
    rows = _rows(at, config)
    sequence = arrived.sequence & 2 * rows - 1
    shown.late = comes and terminals.heads[heads + at] == sequence
    shown.late_stream, shown.late_sequence = at, sequence

    # Requests.
    oldest = front_row(requests, terminals.request_rows, stream, depth.requests)
    peer, length_granted, follows = oldest.peer, oldest.length, oldest.follows
    if parks:
        first = stream * depth.requests
        parked = write_row(requests, terminals.request_rows, first, depth.requests, grants, clock)
        parked.peer, parked.follows = shown.stream, after
        parked.slot = shown.word >> REQUEST_LENGTH
        parked.length = shown.word & ((1 << REQUEST_LENGTH) - 1)
    step_block_queue(requests, grants, parks, depth.requests)
    if grants:
        first = stream * depth.grants
        fresh = write_row(granted, terminals.granted_rows, first, depth.grants, then, clock)
        fresh.source, fresh.follows = peer, follows
        shown.base = (shown.base + length_granted) & (2 * depth.space - 1)
    step_queue(granted, then, grants, depth.grants)

    # Places.
    place = _place(stream, next_stream, next_sequence, config)
    into = _place(stream, at, sequence, config)
    if reads:
        kept = terminals.places[place]
        shown.word, shown.tag, shown.last = kept.word, kept.tag, kept.last
        shown.request, shown.next_round = kept.request, kept.next_round
        shown.fresh = not (comes and place == into)
    if comes:
        kept = terminals.places[into]
        asked = arrived.slot << REQUEST_LENGTH | arrived.length
        kept.word = asked if request else arrived.word
        kept.tag, kept.last, kept.request = arrived.tag, arrived.last, request
        kept.next_round = sequence & rows == 0
    shown.stored += comes - taken - parks
    shown.stream, shown.sequence = next_stream, next_sequence
    shows = starts or (shown.state == SHOW and not parks)
    shown.state = CHECK if ends or held else SHOW if shows else IDLE
