"""From the network to AXI4-Stream, inviting packets; the twin of fingerpost.hdl.terminal's.

Every flit is taken in the cycle in which it arrives. See fingerpost.hdl.terminal.flow_receiver for
the rules.
"""

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.terminal import order, pace
from fingerpost.golden.terminal.axi_users import unpack
from fingerpost.golden.terminal.flow_layout import ACK, ANSWERS, EAGER, GRANT, REQUEST
from fingerpost.golden.terminal.queues import step_queue, write_row
from fingerpost.golden.terminal.state import AnyConfig, AnyState


@compiled
def front(stream: int, config: AnyConfig, state: AnyState) -> tuple[bool, int]:
    """Make the beat of this cycle; return tvalid, and its source."""
    terminals = state.terminals
    receiver = terminals.receiver[stream]
    present, word, last, eager, source, tag = order.front(stream, config, state)
    unpack(terminals.beat[stream], word, last, tag, config)
    invites = eager and not receiver.middle
    room = terminals.replies[stream].level <= ANSWERS - 2
    is_open = pace.is_open(stream // config.classes, config, state)
    receiver.may_invite = is_open and receiver.late_units == 0
    may = (not invites or receiver.may_invite) and (not last or room)
    return present and (receiver.offered or may), source


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
def step(
    stream: int, ready: bool, answered: bool, config: AnyConfig, state: AnyState
) -> tuple[int, int, int, int]:
    """Go through a clock edge; `answered`: the oldest answer is sent.

    Return the peer and units of an acknowledge that arrives, units being 0 if there is none; the
    slot of a grant, -1 if there is none, and the sequence number of its first beat.
    """
    terminals, terminal, clock = state.terminals, config.terminal, state.clock[0]
    receiver, came = terminals.receiver[stream], terminals.came[stream]
    replies = terminals.replies[stream]
    _, _, last, eager, source, _ = order.front(stream, config, state)
    valid = terminals.beat[stream].valid
    taken = valid and ready

    # Acknowledges.
    node = stream // config.classes
    rests = pace.is_open(node, config, state) and order.rests(stream, config, state)
    due_source = receiver.late_source
    units = _acknowledge(stream, config, state)
    if rests:
        receiver.rested, receiver.busy = True, 0
    elif receiver.busy < terminal.busy:
        receiver.busy += 1

    # Grants.
    may, peer, slot, length, base = order.oldest_request(stream, config, state)
    room = replies.level <= ANSWERS - 2
    grants = may and receiver.may_invite and receiver.space >= length and room
    invited = 0
    if grants:
        invited = length + 1
        receiver.space -= length
    if taken and eager:
        invited += 1 if receiver.middle or terminal.single else 2
    if taken and not eager:
        receiver.space += 1
    pace.invite(node, invited, came.valid, state)
    if units or grants:
        reply = write_row(replies, terminals.reply_rows, stream * ANSWERS, ANSWERS, answered, clock)
        reply.grant = grants
        reply.peer, reply.slot, reply.units, reply.base = due_source, 0, units, 0
        if grants:
            reply.peer, reply.slot, reply.base = peer, slot, base
    step_queue(replies, answered, units > 0 or grants, ANSWERS)

    # Arrivals.
    word, head = came.data, came.valid and came.head
    kind = word >> terminal.kind_offset & terminal.kind_mask
    from_ = word >> terminal.source_offset & terminal.source_mask
    length = word >> terminal.length_offset & terminal.length_mask
    slot = word >> terminal.slot_offset & terminal.slot_mask
    sequence = word >> terminal.sequence_offset & terminal.sequence_mask
    acked_units = length if head and kind == ACK else 0
    granted_slot = slot if head and kind == GRANT else -1
    beat_from, beat_eager, beat_sequence, tail = from_, kind == EAGER, sequence, came.tail
    body = came.valid and not came.head
    if terminal.single:
        body = head and kind > REQUEST
        tail = word >> terminal.last_offset & 1 > 0
    elif body:
        beat_from, beat_eager = receiver.from_, receiver.from_eager
        beat_sequence = receiver.sequence
    if came.valid and not terminal.single:
        receiver.from_, receiver.from_eager = beat_from, beat_eager
        receiver.sequence = beat_sequence + body
    order.arrive(
        stream,
        taken,
        grants,
        body,
        head and kind == REQUEST,
        beat_from,
        beat_eager,
        beat_sequence,
        word >> terminal.mark,
        tail,
        came.tag,
        slot,
        length,
        config,
        state,
    )
    receiver.late_units = receiver.units if taken and last else 0
    receiver.late_source = source
    if taken:
        receiver.units = 1 if last or not eager else receiver.units + 1
        receiver.middle = not last
    receiver.offered, receiver.credit = valid and not ready, came.valid
    return from_, acked_units, granted_slot, sequence
