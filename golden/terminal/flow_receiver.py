"""From the network to AXI4-Stream, inviting packets; the twin of hdl.terminal.flow_receiver.

Every flit is taken in the cycle in which it arrives. See fingerpost.hdl.terminal.flow_receiver for
the rules, and fingerpost.hdl.terminal.windows for how fast the receivers of a terminal invite.

Where the network keeps the order of packets, beats wait in a queue as they come. Else
`golden.terminal.reassembly` puts them in order.
"""

from typing import Any

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.terminal import reassembly
from fingerpost.golden.terminal.axi_users import unpack
from fingerpost.golden.terminal.flow_layout import ACK, ANSWERS, EAGER, GRANT, REQUEST
from fingerpost.golden.terminal.queues import front_row, step_block_queue, step_queue, write_row
from fingerpost.golden.terminal.state import AnyConfig, AnyState


@compiled
def decode(stream: int, config: AnyConfig, state: AnyState) -> None:
    """Read the flit of this cycle."""
    terminals, terminal = state.terminals, config.terminal
    receiver, came = terminals.receiver[stream], terminals.came[stream]
    arrived, fields = terminals.arrived[stream], terminal.fields
    word, head = came.data, came.valid and came.head
    kind = word >> terminal.kind_offset & terminal.kind_mask
    arrived.from_ = arrived.source = word >> fields.source_offset & fields.source_mask
    arrived.length = word >> terminal.length_offset & terminal.length_mask
    arrived.slot = word >> terminal.slot_offset & terminal.slot_mask
    arrived.granted_sequence = word >> terminal.sequence_offset & terminal.sequence_mask
    arrived.sequence = arrived.granted_sequence
    arrived.acked_units = arrived.length if head and kind == ACK else 0
    arrived.granted_slot = arrived.slot if head and kind == GRANT else -1
    arrived.request, arrived.eager = head and kind == REQUEST, kind == EAGER
    arrived.word, arrived.tag, arrived.last = word >> terminal.mark, came.tag, came.tail
    if terminal.single:
        arrived.body = head and kind > REQUEST
        arrived.last = word >> terminal.last_offset & 1 > 0
        return
    arrived.body = came.valid and not came.head
    if arrived.body:
        arrived.source, arrived.eager = receiver.from_, receiver.from_eager
        arrived.sequence = receiver.sequence
    if came.valid:
        receiver.from_, receiver.from_eager = arrived.source, arrived.eager
        receiver.sequence = arrived.sequence + arrived.body


@compiled
def _show(stream: int, config: AnyConfig, state: AnyState) -> tuple[bool, int]:
    """Make the beat that may be handed over; return whether there is one, and its source."""
    if not config.terminal.ordered:
        return reassembly.show(stream, config, state)
    terminals = state.terminals
    queue = terminals.arrivals[stream]
    row = front_row(queue, terminals.arrival_rows, stream, config.terminal.arrivals)
    unpack(terminals.beat[stream], row.data, row.last, row.tag, config)
    terminals.receiver[stream].eager = row.eager
    return queue.front_valid, row.source


@compiled
def front(stream: int, config: AnyConfig, state: AnyState) -> tuple[bool, int]:
    """Make the beat of this cycle; return tvalid, and its source."""
    terminals = state.terminals
    receiver = terminals.receiver[stream]
    present, source = _show(stream, config, state)
    invites = receiver.eager and not receiver.middle
    room = terminals.replies[stream].level <= ANSWERS - 2
    is_open = _is_open(stream // config.classes, config, state)
    receiver.may_invite = is_open and receiver.late_units == 0
    may = (not invites or receiver.may_invite) and (not terminals.beat[stream].last or room)
    return present and (receiver.offered or may), source


@compiled
def _rests(stream: int, config: AnyConfig, state: AnyState) -> bool:
    """Return whether nothing waits to be handed over or granted, and any packet may be invited."""
    terminals = state.terminals
    waits = terminals.arrivals[stream].front_valid or reassembly.is_busy(stream, state)
    waits = waits or terminals.requests[stream].front_valid
    return not waits and _is_open(stream // config.classes, config, state)


@compiled
def _acknowledge(stream: int, config: AnyConfig, state: AnyState) -> int:
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
def step(stream: int, ready: bool, answered: bool, config: AnyConfig, state: AnyState) -> None:
    """Go through a clock edge; `answered`: the oldest answer is sent."""
    terminals, terminal, clock = state.terminals, config.terminal, state.clock[0]
    receiver, beat = terminals.receiver[stream], terminals.beat[stream]
    replies, requests = terminals.replies[stream], terminals.requests[stream]
    taken, eager, last = beat.valid and ready, receiver.eager, beat.last

    # Acknowledges.
    rests = _rests(stream, config, state)
    due_source = receiver.late_source
    units = _acknowledge(stream, config, state)
    if rests:
        receiver.rested, receiver.busy = True, 0
    elif receiver.busy < terminal.busy:
        receiver.busy += 1

    # Grants.
    oldest = front_row(requests, terminals.request_rows, stream, terminal.requests)
    may = requests.front_valid and terminals.granted[stream].level < terminal.grants
    room = replies.level <= ANSWERS - 2
    grants = may and receiver.may_invite and receiver.space >= oldest.length and room
    invited = 0
    if grants:
        invited = oldest.length + 1
        receiver.space -= oldest.length
    if taken and eager:
        invited += 1 if receiver.middle or terminal.single else 2
    if taken and not eager:
        receiver.space += 1
    pace = terminals.pace[stream // config.classes]
    pace.more += invited
    pace.arrives |= terminals.came[stream].valid
    if units or grants:
        reply = write_row(replies, terminals.reply_rows, stream * ANSWERS, ANSWERS, answered, clock)
        reply.grant = grants
        reply.peer, reply.slot, reply.units, reply.base = due_source, 0, units, 0
        if grants:
            reply.peer, reply.slot = oldest.peer, oldest.slot
            reply.base = terminals.reassembly[stream].base
    step_queue(replies, answered, units > 0 or grants, ANSWERS)

    # Arrivals.
    if terminal.ordered:
        _keep(stream, taken, grants, config, state)
    else:
        reassembly.step(stream, taken, grants, config, state)
    receiver.late_units = receiver.units if taken and last else 0
    receiver.late_source = beat.source
    if taken:
        receiver.units = 1 if last or not eager else receiver.units + 1
        receiver.middle = not last
    receiver.offered, receiver.credit = beat.valid and not ready, terminals.came[stream].valid


@compiled
def _keep(stream: int, taken: bool, grants: bool, config: AnyConfig, state: AnyState) -> None:
    """Keep what arrives, in the order in which it comes."""
    terminals, terminal, clock = state.terminals, config.terminal, state.clock[0]
    arrived = terminals.arrived[stream]
    arrivals, requests = terminals.arrivals[stream], terminals.requests[stream]
    if arrived.request:
        first = stream * terminal.requests
        fresh = write_row(requests, terminals.request_rows, first, terminal.requests, grants, clock)
        fresh.peer, fresh.slot, fresh.length = arrived.source, arrived.slot, arrived.length
    step_block_queue(requests, grants, arrived.request, terminal.requests)
    if arrived.body:
        first = stream * terminal.arrivals
        beat = write_row(arrivals, terminals.arrival_rows, first, terminal.arrivals, taken, clock)
        beat.data, beat.tag, beat.last = arrived.word, arrived.tag, arrived.last
        beat.eager, beat.source = arrived.eager, arrived.source
    step_block_queue(arrivals, taken, arrived.body, terminal.arrivals)


@compiled
def _passes(pace: Any, config: AnyConfig, state: AnyState) -> bool:
    """Return whether time passes for the pace of a terminal."""
    seventh = state.clock[0].now % 7
    return bool(pace.row != config.terminal.full and seventh not in (0, 3))


@compiled
def _is_open(node: int, config: AnyConfig, state: AnyState) -> bool:
    """Return whether the receivers of a node may invite."""
    pace = state.terminals.pace[node]
    return bool(pace.invited == 0 and pace.wait <= _passes(pace, config, state))


@compiled
def step_pace(node: int, config: AnyConfig, state: AnyState) -> None:
    """Let the pace of a terminal go through a clock edge, after all receivers of the node."""
    pace = state.terminals.pace[node]
    wait = pace.wait + pace.invited
    if wait != 0 and _passes(pace, config, state):
        wait -= 1
    pace.wait, pace.invited, pace.more = wait, pace.more, 0
    pace.row = min(pace.row + 1, config.terminal.full) if pace.arrives else 0
    pace.arrives = False
