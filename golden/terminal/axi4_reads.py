"""Reads of a manager; the twin of fingerpost.hdl.terminal.axi4_reads.

Packets of reads are issued in their order, so a packet stands for its tag.
"""

from fingerpost.golden.jit.compile import compiled
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
def step(node: int, taken: bool, tail: bool, config: AnyConfig, state: AnyState) -> None:
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
