"""The side of a subordinate, and a memory; the twin of fingerpost.hdl.terminal.axi4_subordinate.

The memory takes whatever comes. It answers a read from `memory_cycles` after its address on, and a
write from as many after its last beat; reads, and writes, in order, without a pause. With AXI4-Lite
a burst is as many accesses: an address a cycle, and a response of each beat that is written.
"""

from typing import Any

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.records import NEVER
from fingerpost.golden.terminal import packet_queue
from fingerpost.golden.terminal.state import AnyConfig, AnyState


@compiled
def _row(stream: int, write: bool, at: int, config: AnyConfig, state: AnyState) -> Any:
    """Return a row of the queue of reads, or writes."""
    depth = config.terminal.sides.outstanding
    return state.terminals.sides.accesses[(stream // 2 * 2 + write) * depth + at % depth]


@compiled
def offer(stream: int, config: AnyConfig, state: AnyState) -> None:
    """Offer the next beat of a response, from registers alone."""
    sides, user, now = state.terminals.sides, state.terminals.user[stream], state.clock[0].now
    own, merge = sides.subordinate[stream // 2], sides.merge[stream]
    write = _row(stream, True, own.write, config, state)
    read = _row(stream, False, own.read, config, state)
    written = own.writes > 0 and write.due <= now and own.answers <= now
    if packet_queue.choose(merge, written, own.reads > 0 and read.due <= now):
        user.packet, user.index = read.packet, own.sent
    else:
        user.packet, user.index = write.packet, 0
    user.packet += config.terminal.sides.responses
    user.offers = merge.valid


@compiled
def is_ready(stream: int, config: AnyConfig, state: AnyState) -> bool:
    """Return tready: there is room for a read and a write, and no address waits."""
    own, depth = state.terminals.sides.subordinate[stream // 2], config.terminal.sides.outstanding
    room = own.reads < depth and own.writes < depth
    ready: bool = own.data or (room and own.left == 0)
    return ready


@compiled
def step(stream: int, taken: bool, config: AnyConfig, state: AnyState) -> None:
    """Go through a clock edge; `taken`: a beat of a request is."""
    sides, terminal, now = state.terminals.sides, config.terminal.sides, state.clock[0].now
    own, beat = sides.subordinate[stream // 2], state.terminals.beat[stream]
    own.left = max(own.left - 1, 0)

    # Responses.
    user, merge = state.terminals.user[stream + 1], sides.merge[stream + 1]
    ends = user.taken and user.beat == state.packets[user.tag].length - 1
    if user.taken and merge.chosen:
        own.sent = 0 if ends else own.sent + 1
    packet_queue.step_merge(merge, ends)
    reads, writes = ends and merge.chosen, ends and not merge.chosen

    # Requests.
    if taken and own.data:
        own.data = not beat.last
        if beat.last:
            row = _row(stream, True, own.write + own.writes - 1, config, state)
            row.due = now + terminal.memory_cycles
    elif taken:
        own.count += 1
        if own.count == terminal.request_beats:
            packet = state.packets[beat.tag]
            own.count, own.data = 0, packet.write
            own.left = packet.beats if terminal.lite[stream // 2] else 1
            at = own.write + own.writes if own.data else own.read + own.reads
            row = _row(stream, own.data, at, config, state)
            row.packet = beat.tag
            row.due = NEVER if own.data else now + 1 + terminal.memory_cycles
            if own.data:
                own.writes += 1
            else:
                own.reads += 1
    if reads:
        own.read, own.reads = own.read + 1, own.reads - 1
    if writes:
        own.write, own.writes = own.write + 1, own.writes - 1
        if terminal.lite[stream // 2] and own.writes > 0:
            row = _row(stream, True, own.write, config, state)
            own.answers = now + state.packets[row.packet].beats
