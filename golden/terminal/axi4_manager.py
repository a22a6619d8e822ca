"""The side of a manager, and a manager; the twin of fingerpost.hdl.terminal.axi4_manager."""

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.terminal import axi4_reads, axi4_writes, packet_merge
from fingerpost.golden.terminal.state import AnyConfig, AnyState


@compiled
def offer(stream: int, config: AnyConfig, state: AnyState) -> None:
    """Offer the next beat of a request, from registers alone."""
    node, sides, user = stream // 2, state.terminals.sides, state.terminals.user[stream]
    reads, queue, merge = sides.reads[node], sides.queue[node], sides.merge[stream]
    writes, lite = sides.writes[node], config.terminal.sides.lite[node]
    if packet_merge.choose(merge, reads.ready, writes.ready if lite else queue.valid):
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
    axi4_reads.step(node, user.taken and not merge.chosen, tail, config, state)
    axi4_writes.step(node, user.taken and merge.chosen, tail, config, state)
    packet_merge.step(merge, tail)
    response, beat = sides.response[node], state.terminals.beat[stream]
    response.valid = False
    if taken:
        packet = state.packets[beat.tag]
        response.packet, response.last = beat.tag - config.terminal.sides.responses, beat.last
        whole = config.terminal.sides.parts == 1 or packet.write or response.high
        response.valid, response.high = whole, not whole
