"""The injection: whoever sends without credits loses flits of its own, and nothing else happens."""

from typing import Any

from amaranth import Mux, Signal, Value
from amaranth.lib import data

from formal.contract import Contract, level
from formal.triangle import PORTS, triangle
from hdl.flit import flit_layout
from hdl.injection import Injection
from hdl.input_port import InputPort

__all__ = ["injection"]


def injection(*, depth: int, register: bool = False) -> Contract:
    """Return what entrance and input port of a terminal promise of any flits, credits or not.

    The queue does not overflow. A flit comes in as it is, or is lost and counted. If a packet that
    is coming in has lost one, the next that comes in is a tail, and does so as soon as there is
    room: every packet that came in ends. Whatever was sent before: of a packet that begins after a
    tail, and after a cycle with room, each flit comes in as it is while there is room, the head as
    a head outside any packet.
    """
    contract = Contract()
    m = contract.m
    routing = triangle()
    width = routing.header.width + 1
    m.submodules.dut = dut = Injection(routing, flit_width=width)
    m.submodules.port = port = InputPort(
        routing, port=PORTS - 1, outputs=tuple(range(PORTS)), channels=1, depth=depth,
        flit_width=width, register=register,
    )  # fmt: skip
    valid, word = contract.anything("valid"), contract.anything("flit", flit_layout(width).size)
    flit: Any = data.View(flit_layout(width), word)
    straps = contract.constant("straps", routing.straps.width)
    m.d.comb += [
        dut.straps.eq(straps),
        dut.valid.eq(valid),
        dut.flit.eq(flit),
        dut.full.eq(port.full),
        dut.inside.eq(port.inside),
        port.straps.eq(straps),
        port.link.valid.eq(dut.next_valid),
        port.link.flit.eq(dut.next_flit),
        port.header.eq(dut.header),
        port.refused.eq(dut.refused),
        port.ready.eq(port.waits & contract.anything("ready")),
        port.granted.eq(contract.anything("granted") & (port.ready & port.nominee).any()),
    ]
    enters = contract.see("enters", dut.next_valid)
    entering = contract.see("entering", dut.next_flit)
    gone = contract.see(
        "gone", (port.granted & port.nominee[0]) | (port.waits & ~port.wants[0].any())
    )
    held = level(contract, "held", depth, up=enters, down=gone)
    contract.claim("room", ~enters | (held != depth))

    # A packet is open once its head is in, until its tail is; it is cut once it has lost a flit.
    opened, cut, lost = Signal(), Signal(), Signal()
    ends = dut.next_flit.tail
    with m.If(enters):
        m.d.sync += opened.eq((opened | dut.next_flit.head) & ~ends)
    m.d.comb += lost.eq(valid & ((held == depth) | cut))
    m.d.sync += cut.eq((cut & ~enters) | (lost & opened & ~(enters & ends)))
    contract.see("opened", opened)
    contract.see("cut", cut)
    contract.claim("ended", ~cut | (held == depth) | (enters & ends & ~dut.next_flit.head))
    contract.claim("as_it_is", ~(valid & ~lost) | (enters & (entering == word)))
    contract.claim("of_nothing", ~enters | (valid & ~lost) | cut)

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
    contract.claim("begins", ~begins | (as_it_is & ~dut.inside))
    contract.claim("goes_on", ~goes_on | (as_it_is & dut.inside))
