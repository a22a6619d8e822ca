"""Beats and requests as they come, where the network keeps the order of packets."""

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.terminal.queues import front_row, step_block_queue, write_row
from fingerpost.golden.terminal.state import AnyConfig, AnyState


@compiled
def front(
    stream: int, config: AnyConfig, state: AnyState
) -> tuple[bool, int, bool, bool, int, int]:
    """Return whether there is a beat: word, last, from a window, source, tag."""
    order = state.terminals.order
    queue = order.arrivals[stream]
    row = front_row(queue, order.arrival_rows, stream, config.terminal.order.arrivals)
    return queue.front_valid, row.data, row.last, row.eager, row.source, row.tag


@compiled
def rests(stream: int, config: AnyConfig, state: AnyState) -> bool:
    """Return whether nothing waits to be handed over, or granted."""
    order = state.terminals.order
    return not order.arrivals[stream].front_valid and not order.requests[stream].front_valid


@compiled
def oldest_request(
    stream: int, config: AnyConfig, state: AnyState
) -> tuple[bool, int, int, int, int]:
    """Return whether there is a request: peer, slot, length, sequence number to be granted."""
    order = state.terminals.order
    queue = order.requests[stream]
    row = front_row(queue, order.request_rows, stream, config.terminal.order.requests)
    return queue.front_valid, row.peer, row.slot, row.length, 0


@compiled
def arrive(
    stream: int,
    taken: bool,
    grants: bool,
    body: bool,
    request: bool,
    source: int,
    eager: bool,
    sequence: int,
    word: int,
    last: bool,
    tag: int,
    slot: int,
    length: int,
    config: AnyConfig,
    state: AnyState,
) -> None:
    """Go through a clock edge, in which a beat or a request may arrive."""
    order, depth, clock = state.terminals.order, config.terminal.order, state.clock[0]
    arrivals, requests = order.arrivals[stream], order.requests[stream]
    if request:
        first = stream * depth.requests
        fresh = write_row(requests, order.request_rows, first, depth.requests, grants, clock)
        fresh.peer, fresh.slot, fresh.length = source, slot, length
    step_block_queue(requests, grants, request, depth.requests)
    if body:
        first = stream * depth.arrivals
        beat = write_row(arrivals, order.arrival_rows, first, depth.arrivals, taken, clock)
        beat.data, beat.tag, beat.last = word, tag, last
        beat.eager, beat.source = eager, source
    step_block_queue(arrivals, taken, body, depth.arrivals)
