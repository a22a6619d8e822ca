"""Injection: a terminal that violates credits loses flits of its own; nothing else happens."""

from typing import Any

from amaranth import Mux, Signal, Value
from amaranth.lib import data

from fingerpost.formal.contract import Contract, level
from fingerpost.formal.triangle import PORTS, triangle_input
from fingerpost.hdl.lib.flit import flit_layout
from fingerpost.hdl.router.injection import Injection

__all__ = ["injection"]


def injection(*, depth: int, register: bool = False) -> Contract:
    """Return what injection and input port of a terminal promise of any flits, credits or not.

    The buffer does not overflow. A flit enters unchanged, or is dropped and counted. If a packet
    that is entering has lost a flit, the next flit that enters is a tail, as soon as there is room:
    every packet that enters ends. Whatever was sent before: of a packet that begins after a tail,
    and after a cycle with room, each flit enters unchanged while there is room, the head as a head
    outside any packet.
    """
    contract = Contract()
    m = contract.m
    port = triangle_input(PORTS - 1, channels=1, depth=depth, register=register)
    routing, width = port.routing, port.flit_width
    m.submodules.dut = dut = Injection(routing, flit_width=width)
    m.submodules.port = port
    valid, word = contract.anything("valid"), contract.anything("flit", flit_layout(width).size)
    flit: Any = data.View(flit_layout(width), word)
    straps = contract.constant("straps", routing.straps.width)
    m.d.comb += [
        dut.straps.eq(straps),
        dut.valid.eq(valid),
        dut.flit.eq(flit),
        dut.full.eq(port.full),
        dut.in_packet.eq(port.in_packet),
        port.straps.eq(straps),
        port.link.valid.eq(dut.next_valid),
        port.link.flit.eq(dut.next_flit),
        port.header.eq(dut.header),
        port.refused.eq(dut.refused),
        port.eligible.eq(port.valid & contract.anything("eligible")),
        port.granted.eq(contract.anything("granted") & (port.eligible & port.candidate).any()),
    ]
    enters = contract.see("enters", dut.next_valid)
    entering = contract.see("entering", dut.next_flit)
    gone = contract.see(
        "gone", (port.granted & port.candidate[0]) | (port.valid & ~port.request[0].any())
    )
    held = level(contract, "held", depth, up=enters, down=gone)
    contract.claim("room", ~enters | (held != depth))

    # A packet is open from its head to its tail; it is truncated once it has lost a flit.
    opened, truncated, lost = Signal(), Signal(), Signal()
    ends = dut.next_flit.tail
    with m.If(enters):
        m.d.sync += opened.eq((opened | dut.next_flit.head) & ~ends)
    m.d.comb += lost.eq(valid & ((held == depth) | truncated))
    m.d.sync += truncated.eq((truncated & ~enters) | (lost & opened & ~(enters & ends)))
    contract.see("opened", opened)
    contract.see("truncated", truncated)
    contract.claim("ended", ~truncated | (held == depth) | (enters & ends & ~dut.next_flit.head))
    contract.claim("as_it_is", ~(valid & ~lost) | (enters & (entering == word)))
    contract.claim("of_nothing", ~enters | (valid & ~lost) | truncated)

    _afresh(contract, dut, flit=flit, arrives=valid, room=held != depth)
    due = Signal.like(dut.overruns)
    m.d.sync += due.eq(Mux(dut.overruns.all(), dut.overruns, dut.overruns + lost))
    contract.claim("counted", dut.overruns == due)
    return contract


def _afresh(contract: Contract, dut: Injection, *, flit: Any, arrives: Value, room: Value) -> None:
    """Claim that a good packet passes after whatever came before."""
    m = contract.m
    ended, fresh, under_way = Signal(init=1), Signal(init=1), Signal()
    with m.If(arrives):
        m.d.sync += ended.eq(flit.tail)
    m.d.sync += fresh.eq(Mux(arrives, flit.tail, ended) & room | fresh & ~arrives)
    begins = contract.see("begins", arrives & flit.head & fresh & room)
    goes_on = contract.see("goes_on", arrives & ~flit.head & under_way & room)
    with m.If(arrives):
        m.d.sync += under_way.eq((begins | goes_on) & ~flit.tail)
    as_it_is = dut.next_valid & (Value.cast(dut.next_flit) == Value.cast(flit))
    contract.claim("begins", ~begins | (as_it_is & ~dut.in_packet))
    contract.claim("goes_on", ~goes_on | (as_it_is & dut.in_packet))
