"""From the network, inviting packets, one after the other: golden.terminal.flow_receiver."""

from typing import Any

from fingerpost.golden.compiled.jit import compiled
from fingerpost.golden.compiled.state import Config, State
from fingerpost.golden.compiled.terminal import pace
from fingerpost.golden.compiled.terminal.axi_model import unpack
from fingerpost.golden.compiled.terminal.queues import step_block_queue, step_queue, write_row
from fingerpost.golden.terminal.flow_layout import ACK, ANSWERS, EAGER, GRANT, REQUEST

__all__ = ["front", "front_row", "step"]


@compiled
def front_row(queue: Any, rows: Any, stream: int, depth: int) -> Any:
    """Return the row at the front of a queue."""
    return rows[stream * depth + queue.read]


@compiled
def front(stream: int, config: Config, state: State) -> bool:
    """Make the beat of this cycle; return tvalid."""
    terminals, terminal = state.terminals, config.terminal
    receiver, arrivals = terminals.receiver[stream], terminals.arrivals[stream]
    row = front_row(arrivals, terminals.arrival_rows, stream, terminal.arrivals)
    unpack(terminals.beat[stream], row.data, row.last, row.tag, config)
    invites = row.eager and not receiver.middle
    room = terminals.replies[stream].level <= ANSWERS - 3
    is_open = pace.is_open(stream // config.classes, config, state)
    receiver.may_invite = is_open and receiver.late_units == 0
    may = (not invites or receiver.may_invite) and (not row.last or room)
    return arrivals.front_valid and (receiver.offered or may)


@compiled
def _acknowledge(stream: int, config: Config, state: State) -> int:
    """Count the units of the packet that was handed over; return those that are acknowledged."""
    terminals, terminal = state.terminals, config.terminal
    receiver = terminals.receiver[stream]
    if receiver.late_units == 0:
        return 0
    place = stream * terminal.peers + receiver.late_source
    before = terminals.withheld[place]
    closed = before >= terminal.withheld
    shut = not receiver.rested and (closed or receiver.busy == terminal.busy)
    units = receiver.late_units + before
    now = units > terminal.withheld if shut else units >= terminal.batch
    kept = units
    if now:
        kept = terminal.withheld if shut else 0
        if closed and not shut:
            receiver.rested = False
    terminals.withheld[place] = kept
    return units - kept  # type: ignore[no-any-return]


@compiled
def step(
    stream: int, ready: bool, answered: bool, config: Config, state: State
) -> tuple[int, int, int]:
    """Go through a clock edge; `answered`: the oldest answer is sent.

    Return the peer and units of an acknowledge that arrives, units being 0 if there is none, and
    the slot of a grant, -1 if there is none.
    """
    terminals, terminal, clock = state.terminals, config.terminal, state.clock[0]
    receiver, came = terminals.receiver[stream], terminals.came[stream]
    arrivals, requests = terminals.arrivals[stream], terminals.requests[stream]
    replies = terminals.replies[stream]
    row = front_row(arrivals, terminals.arrival_rows, stream, terminal.arrivals)
    valid = terminals.beat[stream].valid
    taken = valid and ready
    last, eager, source = row.last, row.eager, row.source

    # Acknowledges.
    node = stream // config.classes
    waits = arrivals.front_valid or requests.front_valid
    rests = not waits and pace.is_open(node, config, state)
    due_source = receiver.late_source
    units = _acknowledge(stream, config, state)
    if rests:
        receiver.rested, receiver.busy = True, 0
    elif receiver.busy < terminal.busy:
        receiver.busy += 1

    # Grants.
    request = front_row(requests, terminals.request_rows, stream, terminal.requests)
    grants = (
        requests.front_valid
        and receiver.may_invite
        and receiver.space >= request.length
        and replies.level <= ANSWERS - 4
    )
    invited = 0
    if grants:
        invited = request.length + 1
        receiver.space -= request.length
    if taken and eager:
        invited += 2 - receiver.middle
    if taken and not eager:
        receiver.space += 1
    pace.invite(node, invited, came.valid, state)
    if units or grants:
        reply = write_row(replies, terminals.reply_rows, stream * ANSWERS, ANSWERS, answered, clock)
        reply.grant = grants
        reply.peer, reply.slot, reply.units = due_source, 0, units
        if grants:
            reply.peer, reply.slot = request.peer, request.slot
    step_queue(replies, answered, units > 0 or grants, ANSWERS)

    # Arrivals.
    word, head = came.data, came.valid and came.head
    kind = word >> terminal.kind_offset & terminal.kind_mask
    from_ = word >> terminal.source_offset & terminal.source_mask
    length = word >> terminal.length_offset & terminal.length_mask
    slot = word >> terminal.slot_offset & terminal.slot_mask
    if head and kind == REQUEST:
        fresh = write_row(
            requests,
            terminals.request_rows,
            stream * terminal.requests,
            terminal.requests,
            grants,
            clock,
        )
        fresh.peer, fresh.slot, fresh.length = from_, slot, length
    step_block_queue(requests, grants, head and kind == REQUEST, terminal.requests)
    body = came.valid and not came.head
    if body:
        arrival = write_row(
            arrivals,
            terminals.arrival_rows,
            stream * terminal.arrivals,
            terminal.arrivals,
            taken,
            clock,
        )
        arrival.data, arrival.tag, arrival.last = word, came.tag, came.tail
        arrival.eager, arrival.source = receiver.from_eager, receiver.from_
    step_block_queue(arrivals, taken, body, terminal.arrivals)
    if head:
        receiver.from_, receiver.from_eager = from_, kind == EAGER
    receiver.late_units = receiver.units if taken and last else 0
    receiver.late_source = source
    if taken:
        receiver.units = 1 if last or not eager else receiver.units + 1
        receiver.middle = not last
    receiver.offered, receiver.credit = valid and not ready, came.valid
    acked_units = length if head and kind == ACK else 0
    return from_, acked_units, slot if head and kind == GRANT else -1
