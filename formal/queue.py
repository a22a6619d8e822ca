"""The queue: no flit lost, none twice, all in order, each with its own way."""

from amaranth import Mux, Signal, Value

from formal.contract import Contract, at_most_one, level
from hdl.queue import Queue

__all__ = ["queue"]


def queue(*, depth: int, outputs: int) -> Contract:
    """Return what a queue promises of any flits that come while there is room.

    Any one of them is armed. Once the flits have gone that were there when it came, it is at the
    front, with its tail, with its way if it is a head, and in the row where it was written. In
    that row nothing else is written meanwhile. The way holds until the tail goes.
    """
    contract = Contract()
    m = contract.m
    m.submodules.dut = dut = Queue(depth=depth, outputs=outputs)
    arrives, goes = contract.anything("arrives"), contract.anything("goes")
    way, tail = contract.anything("way", outputs), contract.anything("tail")
    m.d.comb += [
        dut.arrives.eq(arrives), dut.way.eq(way), dut.tail.eq(tail), dut.goes.eq(goes),
    ]  # fmt: skip
    contract.assume(at_most_one(way))
    held = level(contract, "level", depth, up=arrives, down=goes)
    contract.assume((held != depth) | ~arrives)
    contract.assume((held != 0) | ~goes)
    contract.claim("full", dut.full == (held == depth))
    contract.claim("waits", dut.waits == (held != 0))

    inside = Signal()  # the flits that come are of a packet whose head has come
    with m.If(arrives):
        m.d.sync += inside.eq(~tail)
    arm, armed, ahead = _arm(contract, arrives, goes, held)
    its_way, its_tail, its_head = Signal(outputs), Signal(), Signal()
    its_row, underway = Signal.like(dut.newest), Signal()
    with m.If(arm):
        m.d.sync += [
            its_way.eq(way), its_tail.eq(tail), its_head.eq(~inside), its_row.eq(dut.newest),
        ]  # fmt: skip
    front = armed & (ahead == 0)
    with m.If(goes & (front | underway)):
        m.d.sync += underway.eq(Mux(front, its_head & ~its_tail, ~dut.last))
    for name, value in (("wants", dut.wants), ("head", dut.head), ("last", dut.last)):
        contract.see(name, value)
    contract.claim("head", ~front | (dut.head == its_head))
    contract.claim("tail", ~front | (dut.last == its_tail))
    contract.claim("way", ~((front & its_head) | underway) | (dut.wants == its_way))
    contract.claim("row", ~front | (dut.oldest == its_row))
    contract.claim("kept", ~(armed & arrives & (dut.newest == its_row)))
    return contract


def _arm(
    contract: Contract, arrives: Value, goes: Value, held: Signal
) -> tuple[Value, Signal, Signal]:
    """Return whether a flit is armed now, whether it is there, and how many are ahead of it."""
    m = contract.m
    armed, before, ahead = Signal(), Signal(), Signal.like(held)
    arm = contract.see("arm", contract.anything("choose") & arrives & ~before)
    with m.If(arm):
        m.d.sync += [before.eq(1), armed.eq(1), ahead.eq(held - goes)]
    with m.Elif(armed & goes):
        m.d.sync += [ahead.eq(ahead - 1), armed.eq(ahead != 0)]
    contract.see("armed", armed)
    contract.see("ahead", ahead)
    return arm, armed, ahead
