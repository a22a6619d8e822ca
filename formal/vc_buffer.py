"""Virtual-channel buffer: no flit lost, duplicated or reordered, each with its own route."""

from amaranth import Mux, Signal

from fingerpost.formal.armed import Armed
from fingerpost.formal.contract import Contract, at_most_one, level
from fingerpost.hdl.router.vc_buffer import VcBuffer

__all__ = ["vc_buffer"]


def vc_buffer(*, depth: int, outputs: int, early: bool = False) -> Contract:
    """Return the contract of a virtual-channel buffer, for any flits pushed while there is room.

    One symbolic flit is tracked. Once the flits ahead of it are popped, it is at the front, with
    its tail, and with its route if it is a head. It is in the row where it was written, to which
    nothing else is written meanwhile. The request holds until the tail is popped. The buffer is
    full if no room is left behind a pending push, known `early` or not at all.
    """
    contract = Contract()
    m = contract.m
    m.submodules.dut = dut = VcBuffer(depth=depth, outputs=outputs)
    push, pop, route, tail = contract.free(dut, "push", "pop", "push_route", "push_tail")
    contract.assume(at_most_one(route))
    held = level(contract, "level", depth, up=push, down=pop)
    contract.assume((held != depth) | ~push)
    contract.assume((held != 0) | ~pop)
    m.d.comb += dut.push_pending.eq(push if early else 0)
    contract.claim("full", dut.full == (held + dut.push_pending == depth))
    contract.claim("valid", dut.valid == (held != 0))

    in_packet = Signal()  # the head of the packet that arrives has been pushed
    with m.If(push):
        m.d.sync += in_packet.eq(~tail)
    armed = Armed(contract, push, pop, held)
    its_route, its_tail = armed.keep("its_route", route), armed.keep("its_tail", tail)
    its_head, its_row = armed.keep("its_head", ~in_packet), armed.keep("its_row", dut.write_ptr)
    front, underway = armed.front, Signal()
    with m.If(pop & (front | underway)):
        m.d.sync += underway.eq(Mux(front, its_head & ~its_tail, ~dut.tail))
    for name, value in (("request", dut.request), ("head", dut.head), ("tail", dut.tail)):
        contract.see(name, value)
    contract.claim("head", ~front | (dut.head == its_head))
    contract.claim("tail", ~front | (dut.tail == its_tail))
    contract.claim("route", ~((front & its_head) | underway) | (dut.request == its_route))
    contract.claim("row", ~front | (dut.read_ptr == its_row))
    contract.claim("kept", ~(armed.here & push & (dut.write_ptr == its_row)))
    return contract
