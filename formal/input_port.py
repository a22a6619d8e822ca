"""The input port: whatever comes with credits leaves in order, by its way, and gives them back."""

from dataclasses import dataclass
from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data

from formal.armed import Armed
from formal.contract import Contract, at_most_one, level
from formal.triangle import PORTS, triangle
from hdl.flit import flit_layout
from hdl.input_port import InputPort

__all__ = ["input_port"]


def input_port(*, channels: int, depth: int, register: bool = False) -> Contract:
    """Return what an input port promises of any flits: heads in packets, bodies without heads.

    The claims are about any one of its channels, to which flits come while there is room; what
    comes on the others may find none. The straps are those of any node, and of none.

    Each flit gives back one credit. Any one flit is armed; once those have gone that were there
    when it came it is at the front, as what it is, with the way of its packet, and if it is taken
    its data crosses in the next cycle. Whatever came before, a good packet that begins after a tail
    has the way of its header, and no error. One channel is nominated, if any can go soon one of
    them in the next cycle, and stays so until it is taken or not ready any more; while a channel
    goes on being ready, and ready soon, each other is taken at most once. Way and error are told by
    a reference.
    """
    contract = Contract()
    m = contract.m
    routing = triangle()
    width = routing.header.width + 1
    m.submodules.dut = dut = InputPort(
        routing, port=0, outputs=tuple(range(PORTS)), channels=channels, depth=depth,
        flit_width=width, register=register,
    )  # fmt: skip
    valid = contract.anything("valid", channels)
    word = contract.anything("flit", flit_layout(width).size)
    ready, taken = contract.anything("ready", channels), contract.anything("taken")
    refused = contract.anything("refused")
    straps = contract.constant("straps", routing.straps.width)
    flit: Any = data.View(flit_layout(width), word)
    header = flit.data[: routing.header.width]
    m.d.comb += [
        dut.link.valid.eq(valid),
        dut.link.flit.eq(flit),
        dut.header.eq(header),
        dut.refused.eq(refused),
        dut.straps.eq(straps),
        dut.ready.eq(ready & dut.waits),
    ]
    granted = contract.see("granted", taken & (dut.ready & dut.nominee).any())
    soon = contract.see("soon", contract.anything("later", channels) & dut.waits)
    m.d.comb += [dut.granted.eq(granted), dut.soon.eq(soon)]
    contract.assume(at_most_one(valid))
    chosen = contract.one_of("chosen", channels)

    def of(values: Value) -> Value:
        return (values & chosen).any()

    nominee = contract.see("nominee", dut.nominee)
    contract.claim("nominee", at_most_one(nominee) & nominee.any())
    before, some, kept = Signal.like(nominee), Signal.like(nominee), Signal()
    could = (nominee & dut.ready).any()
    others = soon & ~nominee
    m.d.sync += [before.eq(nominee), kept.eq(could & ~granted)]
    m.d.sync += some.eq(Mux(could & ~granted, 0, others))
    contract.claim("kept", ~kept | (nominee == before))
    contract.claim("somebody", ~some.any() | (nominee & some).any())
    _turns(contract, dut, chosen)

    # Credits.
    wants = contract.see("wants", Cat(of(Cat(w[k] for w in dut.wants)) for k in range(PORTS)))
    drained = of(dut.waits) & ~wants.any()
    goes = contract.see("goes", (granted & of(nominee)) | drained)
    arrives = contract.see("arrives", of(valid))
    held = level(contract, "held", depth, up=arrives, down=goes)
    owed = level(contract, "owed", depth + 1, up=arrives, down=of(dut.link.credit))
    contract.assume(~arrives | (held != depth))  # more than credits allow: one may be on its way
    late = Signal()  # a flit is not yet in the queue
    if register:
        m.d.sync += late.eq(arrives)
    contract.claim("waits", of(dut.waits) == (held != late))
    contract.claim("full", of(dut.full) == (held == depth))
    contract.claim("credits", owed == held + of(dut.link.credit))

    # What it is, and its way.
    table = [straps.word_select(node, len(straps) // 3) for node in range(3)]
    port = Signal(2)
    for node, entry in enumerate(table):
        with m.If(header == node):
            m.d.comb += port.eq(entry)
    good = ~refused & (header != 3) & (port < PORTS)
    true = _reference(m, flit, good, port, arrives)
    contract.claim("inside", of(dut.inside) == true.inside)
    contract.claim("error", ~arrives | (dut.error == true.error))
    contract.claim("no_error", valid.any() | ~dut.error)

    armed = Armed(contract, arrives, goes, held)
    front = armed.front & ~(late & (held == 1))
    its_way, its_head = armed.keep("its_way", true.way), armed.keep("its_head", true.head)
    its_tail, its_data = armed.keep("its_tail", true.tail), armed.keep("its_data", flit.data)
    contract.claim("way", ~front | (wants == its_way))
    afresh = _afresh(m, flit, good, port, arrives)
    contract.claim("no_blame", ~afresh.any() | ~dut.error)
    its_port = armed.keep("its_port", afresh)
    contract.claim("passes", ~(front & its_port.any()) | (wants == its_port))
    contract.claim("head", ~front | (of(dut.head) == its_head))
    contract.claim("tail", ~front | (of(dut.last) == its_tail))
    crosses = Signal()
    m.d.sync += crosses.eq(front & granted & of(nominee))
    contract.claim("data", ~crosses | (dut.crossing.data == its_data))
    marks = Cat(dut.crossing.head, dut.crossing.tail) == Cat(its_head, its_tail)
    contract.claim("marks", ~crosses | marks)
    return contract


@dataclass(frozen=True)
class _True:
    """What an arriving flit is."""

    inside: Value
    head: Value
    tail: Value
    way: Value
    error: Value


def _reference(m: Module, flit: Any, good: Value, port: Value, arrives: Value) -> _True:
    """Tell it of a channel: a packet is going nowhere, or to a port, or there is none."""
    nowhere, none = PORTS, PORTS + 1
    packet, now = Signal(range(PORTS + 2), init=none), Signal(range(PORTS + 2))
    outside = packet == none
    m.d.comb += now.eq(packet)
    with m.If(outside):
        m.d.comb += now.eq(Mux(flit.head & good, port, nowhere))
    tail = flit.tail | (outside & ~flit.head)
    with m.If(arrives):
        m.d.sync += packet.eq(Mux(tail, none, now))
    error = Mux(outside, ~flit.head | ~good, flit.head)
    return _True(~outside, outside, tail, Cat(now == k for k in range(PORTS)), error)


def _afresh(m: Module, flit: Any, good: Value, port: Value, arrives: Value) -> Value:
    """Return the port of a good packet that begins after a tail, whatever came before; else 0."""
    ended, under_way = Signal(init=1), Signal(PORTS)
    way = Signal(PORTS)
    with m.If(arrives & flit.head & ended & good):
        m.d.comb += way.eq(Cat(port == k for k in range(PORTS)))
    with m.Elif(arrives & ~flit.head):
        m.d.comb += way.eq(under_way)
    with m.If(arrives):
        m.d.sync += [ended.eq(flit.tail), under_way.eq(Mux(flit.tail, 0, way))]
    return way


def _turns(contract: Contract, dut: InputPort, chosen: Value) -> None:
    """Claim that while a channel can go, and soon, each other is taken at most once."""
    m = contract.m
    if dut.channels == 1:
        return
    other = contract.one_of("other", dut.channels)
    contract.assume(other != chosen)
    went = dut.nominee & dut.granted.replicate(dut.channels)
    waits, once = Signal(), Signal()
    m.d.comb += waits.eq((chosen & dut.soon & dut.ready & ~went).any())
    m.d.sync += once.eq(waits & (once | (other & went).any()))
    contract.claim("turn", ~(once & waits & (other & went).any()))
