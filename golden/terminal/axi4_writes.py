"""Writes of a manager; the twin of fingerpost.hdl.terminal.axi4_writes.

Their data is there when it is wanted; with AXI4-Lite it needs no queue. Packets of writes are
issued in their order, so a packet stands for its tag.
"""

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.terminal import packet_queue
from fingerpost.golden.terminal.state import AnyConfig, AnyState


@compiled
def step(node: int, leaves: bool, tail: bool, config: AnyConfig, state: AnyState) -> None:
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
