"""Packets that wait until they are complete: they leave once, whole, in order, or are dropped."""

from typing import Any

from amaranth import Cat, Mux, Signal

from fingerpost.formal.contract import Contract, past
from fingerpost.hdl.terminal.packet_queue import PacketQueue

__all__ = ["packet_queue"]

BYTES, NUMBER = 1, 1


def packet_queue(*, depth: int) -> Contract:
    """Return what a queue promises of any user and any sender.

    A beat is accepted unless all rows are in use by packets that can leave. What is offered stays
    until it is taken, and is of a packet that is complete; such a packet is offered within two
    cycles, and then without a pause. Beats leave in order, as they came, but those of packets of
    more than `depth` beats: none of these leaves, and `dropped` is asserted once for each.
    """
    contract = Contract()
    m = contract.m
    m.submodules.dut = dut = PacketQueue(bytes=BYTES, number=NUMBER, depth=depth)
    source, stream = dut.source, dut.stream
    names = "tdata", "tlast", "tuser"
    contract.free(source, "tvalid", *names)
    contract.free(dut, "dest")
    contract.free(stream, "tready")
    ready, valid = contract.see("ready", source.tready), contract.see("valid", stream.tvalid)
    came, goes = source.tvalid & ready, valid & stream.tready
    entering = Cat(*(getattr(source, name) for name in names), dut.dest)
    leaving: Any = Cat(*(getattr(stream, name) for name in names), dut.tdest)

    # The packet that arrives: beats of it that are kept, and whether it is too long.
    length, too_long = Signal(range(depth + 1)), Signal()
    kept, ends = Signal(), Signal()
    overflows = came & ~too_long & (length == depth)
    m.d.comb += [kept.eq(came & ~too_long & ~overflows), ends.eq(kept & source.tlast)]
    m.d.sync += length.eq(Mux(ends | overflows, 0, length + kept))
    with m.If(came):
        m.d.sync += too_long.eq((too_long | overflows) & ~source.tlast)
    contract.claim("dropped", dut.dropped == overflows)

    # Beats of complete packets that have not left.
    complete = Signal(range(depth + 1))
    m.d.sync += complete.eq(complete + Mux(ends, length + 1, 0) - goes)
    contract.see("complete", complete)
    contract.see("length", length)
    contract.claim("complete", ~valid | (complete != 0))
    full = complete + length == depth
    contract.claim("ready", ready | (full & (complete != 0)))
    contract.claim("room", complete + length <= depth)
    waits = (complete != 0) & ~valid
    contract.claim("soon", ~(waits & past(m, waits)))
    inside = Signal()  # a packet has begun to leave
    with m.If(goes):
        m.d.sync += inside.eq(~stream.tlast)
    contract.claim("no_pause", valid | ~inside)
    contract.claim_stays(valid, stream.tready, leaving)

    # Any one beat, with those before it; it is forgotten with its packet.
    arm, here, gone = contract.anything("arm"), Signal(), Signal()
    ahead, kept_beat, mine = Signal(range(depth + 1)), Signal.like(entering), Signal()
    with m.If(arm & kept & ~here & ~gone):
        m.d.sync += [
            *(here.eq(1), mine.eq(~source.tlast), kept_beat.eq(entering)),
            ahead.eq(complete + length - goes),
        ]
    with m.Elif(here & mine & overflows):
        m.d.sync += [here.eq(0), mine.eq(0)]
    with m.Elif(here):
        m.d.sync += [
            *(ahead.eq(ahead - goes), here.eq(~(goes & (ahead == 0)))),
            *(gone.eq(goes & (ahead == 0)), mine.eq(mine & ~ends)),
        ]
    front = valid & here & (ahead == 0)
    contract.claim("as_it_came", ~front | (leaving == kept_beat))
    contract.claim("in_order", ~(goes & here & mine) | (ahead != 0))
    return contract
