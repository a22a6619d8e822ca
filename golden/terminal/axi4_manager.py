"""A manager, its reads, its writes and its side; the twin of fingerpost.hdl.terminal.axi4_manager.

Packets of reads are issued in their order, and so are those of writes: a packet stands for its tag.
The data of a write is there when it is wanted; with AXI4-Lite it needs no queue.
"""

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.terminal import packet_queue
from fingerpost.golden.terminal.state import AnyConfig, AnyState


@compiled
def _fits(node: int, config: AnyConfig, state: AnyState) -> bool:
    """Return whether the read that is held can be sent: a tag is free, and rows for its data."""
    reads, sides = state.terminals.sides.reads[node], config.terminal.sides
    if not reads.held or reads.issued - reads.head == sides.outstanding:
        return False
    fits: bool = reads.reserved + state.packets[reads.issued].beats <= sides.rows
    return fits


@compiled
def step_reads(node: int, taken: bool, tail: bool, config: AnyConfig, state: AnyState) -> None:
    """Go through a clock edge; `taken`: a beat of the request is, `tail`: the last one."""
    sides, terminal, clock = state.terminals.sides, config.terminal.sides, state.clock[0]
    reads, response = sides.reads[node], sides.response[node]
    ready = not (taken and tail) and _fits(node, config, state)
    issues, may_begin = taken and tail, reads.in_flight < terminal.most

    # What is handed out, by what has arrived before this cycle.
    fetches = reads.head < reads.issued and (
        state.packets[reads.head].complete
        or (reads.arriving == reads.head and reads.fetched != reads.arrived)
    )
    if reads.valid and reads.last:
        state.packets[reads.head - 1].delivered = clock.now
        clock.outstanding -= 1
        reads.in_flight -= 1
    reads.valid, reads.last = fetches, False
    if fetches:
        reads.last = reads.fetched == state.packets[reads.head].beats - 1
        reads.fetched = 0 if reads.last else reads.fetched + 1
        reads.reserved -= 1
        reads.head += reads.last

    # The request.
    if taken:
        reads.beat = 0 if tail else reads.beat + 1
    if issues:
        reads.reserved += state.packets[reads.issued].beats
        reads.issued += 1
        reads.held = False
    reads.ready = ready
    if not reads.held and reads.issued < reads.end and may_begin:
        packet = state.packets[reads.issued]
        if packet.time <= clock.now:
            packet.accepted, reads.held = clock.now, True
            reads.in_flight += 1

    # The response.
    if response.valid and not state.packets[response.packet].write:
        reads.arriving = response.packet
        reads.arrived = 0 if response.last else reads.arrived + 1
        if response.last:
            state.packets[response.packet].complete = True


@compiled
def step_writes(node: int, leaves: bool, tail: bool, config: AnyConfig, state: AnyState) -> None:
    """Go through a clock edge; `leaves`: a beat does, the `tail` of its packet."""
    sides, terminal, clock = state.terminals.sides, config.terminal.sides, state.clock[0]
    writes, queue, response = sides.writes[node], sides.queue[node], sides.response[node]
    depth, waiting = terminal.rows * terminal.parts, writes.issued - writes.head
    may_begin = writes.in_flight < terminal.most and waiting < terminal.outstanding

    # What is handed out, by what has arrived before this cycle.
    if writes.valid:
        state.packets[writes.head - 1].delivered = clock.now
        clock.outstanding -= 1
        writes.in_flight -= 1
    writes.valid = writes.head < writes.issued and state.packets[writes.head].complete

    # The request and its data enter the queue, or leave at once.
    if terminal.lite[node]:
        enters, last = leaves, tail and leaves
    else:
        enters = writes.ready and packet_queue.is_ready(queue, depth)
        last = enters and writes.beat == state.packets[writes.issued].length - 1
        packet_queue.step(queue, enters, last, leaves, tail, depth)
    writes.ready = writes.held and not last
    if writes.held:
        writes.held = not last
    elif writes.issued < writes.end and may_begin:
        packet = state.packets[writes.issued]
        if packet.time <= clock.now:
            packet.accepted, writes.held = clock.now, True
            writes.in_flight += 1
    if enters:
        writes.beat = 0 if last else writes.beat + 1
    writes.issued += last
    writes.head += writes.valid

    # The response.
    if response.valid and state.packets[response.packet].write:
        state.packets[response.packet].complete = True


@compiled
def offer(stream: int, config: AnyConfig, state: AnyState) -> None:
    """Offer the next beat of a request, from registers alone."""
    node, sides, user = stream // 2, state.terminals.sides, state.terminals.user[stream]
    reads, queue, merge = sides.reads[node], sides.queue[node], sides.merge[stream]
    writes, lite = sides.writes[node], config.terminal.sides.lite[node]
    if packet_queue.choose(merge, reads.ready, writes.ready if lite else queue.valid):
        user.packet = writes.issued if lite else queue.tag
        user.index = writes.beat if lite else queue.index
    else:
        user.packet, user.index = reads.issued, reads.beat
    user.offers = merge.valid


@compiled
def step(stream: int, taken: bool, config: AnyConfig, state: AnyState) -> None:
    """Go through a clock edge; `taken`: a beat of a response arrives at this stream."""
    node, sides = stream // 2, state.terminals.sides
    user, merge = state.terminals.user[stream - 1], sides.merge[stream - 1]
    tail = user.taken and user.beat == state.packets[user.tag].length - 1
    step_reads(node, user.taken and not merge.chosen, tail, config, state)
    step_writes(node, user.taken and merge.chosen, tail, config, state)
    packet_queue.step_merge(merge, tail)
    response, beat = sides.response[node], state.terminals.beat[stream]
    response.valid = False
    if taken:
        packet = state.packets[beat.tag]
        response.packet, response.last = beat.tag - config.terminal.sides.responses, beat.last
        whole = config.terminal.sides.parts == 1 or packet.write or response.high
        response.valid, response.high = whole, not whole
