"""The queue: no flit lost, none twice, all in order, each with its own way."""

from amaranth import Mux, Signal

from formal.armed import Armed
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
    armed = Armed(contract, arrives, goes, held)
    its_way, its_tail = armed.keep("its_way", way), armed.keep("its_tail", tail)
    its_head, its_row = armed.keep("its_head", ~inside), armed.keep("its_row", dut.newest)
    front, underway = armed.front, Signal()
    with m.If(goes & (front | underway)):
        m.d.sync += underway.eq(Mux(front, its_head & ~its_tail, ~dut.last))
    for name, value in (("wants", dut.wants), ("head", dut.head), ("last", dut.last)):
        contract.see(name, value)
    contract.claim("head", ~front | (dut.head == its_head))
    contract.claim("tail", ~front | (dut.last == its_tail))
    contract.claim("way", ~((front & its_head) | underway) | (dut.wants == its_way))
    contract.claim("row", ~front | (dut.oldest == its_row))
    contract.claim("kept", ~(armed.here & arrives & (dut.newest == its_row)))
    return contract
