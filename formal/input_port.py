"""Input ports and the injection of a terminal, in the smallest network.

It has three nodes, each linked to both others, with tables. Where straps are constants of any value
they are those of any node, and of more: a table may then name a port that is not there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data

from fingerpost.formal.contract import Armed, Contract, at_most_one, in_stages, level, past
from fingerpost.golden.router.pipeline import Pipeline
from fingerpost.golden.routing import Table
from fingerpost.golden.topology import EdgeList
from fingerpost.hdl.lib.header import flit_layout
from fingerpost.hdl.router.injection import Injection
from fingerpost.hdl.router.input_port import InputPort

PORTS = 3
"""Two links and the terminal."""


def triangle() -> Table:
    """Return its routing; a header is two bits, and 3 names no node."""
    return Table(EdgeList(links=[(0, 1), (1, 2), (2, 0)], nodes=3))


def triangle_input(
    m: Module, port: int = 0, *, channels: int, depth: int, pipeline: Pipeline = Pipeline()
) -> InputPort:
    """Return an input port of a node, with its indices, and flits of one bit behind the header."""
    routing = triangle()
    i = InputPort(
        routing,
        outputs=tuple(range(PORTS)),
        channels=channels,
        depth=depth,
        flit_width=routing.header.width + 1,
        pipeline=pipeline,
    )
    m.d.comb += [i.arrival.eq(port), *(i.turns[out].eq(out) for out in i.outputs)]
    return i


def any_outputs(contract: Contract, port: InputPort) -> None:
    """Let flits be eligible, and candidates be granted, at any time."""
    contract.m.d.comb += [
        port.eligible.eq(port.valid & contract.anything("eligible", port.channels)),
        port.eligible_next.eq(port.valid & contract.anything("eligible_next", port.channels)),
        port.granted.eq(contract.anything("granted") & (port.eligible & port.candidate).any()),
    ]


def leaves(port: InputPort, chosen: Value) -> Value:
    """Return whether the front flit of one channel is granted or discarded."""
    discarded = Cat(
        valid & ~request.any() for valid, request in zip(port.valid, port.request, strict=True)
    )
    granted = port.granted.replicate(port.channels) & port.candidate
    return ((granted | discarded) & chosen).any()


def input_port(*, channels: int, depth: int, pipeline: Pipeline = Pipeline()) -> Contract:
    """Return what an input port promises of any flits: heads in packets, bodies without heads.

    The claims are about any one of its virtual channels, on which flits arrive while there is room;
    the other channels may overflow. The straps are those of any node, and of none.

    Each flit returns one credit. Any one flit is armed; once the flits ahead of it have left, it is
    at the front, marked as it arrived, with the route of its packet; if it is granted, its data is
    in switch traversal `pipeline.allocation` cycles later. Whatever arrived before, a good packet
    that begins after a tail has the route of its header, and no error. There is one candidate; if
    channels are eligible in the next cycle, one of them is the next candidate, and stays so until
    it is granted or not eligible any more. Of two, that one is whose last grant was longer ago.
    While a channel stays eligible, now and in the next cycle, each other is granted at most once. A
    reference model gives route and error.
    """
    contract = Contract()
    m = contract.m
    dut = triangle_input(m, channels=channels, depth=depth, pipeline=pipeline)
    routing, width = dut.routing, dut.flit_width
    m.submodules.dut = dut
    valid = contract.anything("valid", channels)
    word = contract.anything("flit", flit_layout(width).size)
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
    ]
    any_outputs(contract, dut)
    granted = contract.see("granted", dut.granted)
    eligible_next = contract.see("eligible_next", dut.eligible_next)
    contract.assume(at_most_one(valid))
    chosen = contract.one_of("chosen", channels)

    def of(values: Value) -> Value:
        return (values & chosen).any()

    candidate = contract.see("candidate", dut.candidate)
    contract.claim("candidate", at_most_one(candidate) & candidate.any())
    could = (candidate & dut.eligible).any()
    others = eligible_next & ~candidate
    before, kept = past(m, candidate), past(m, could & ~granted)
    some = past(m, Mux(could & ~granted, 0, others))
    contract.claim("kept", ~kept | (candidate == before))
    if channels > 1:
        contract.claim("chosen", ~some.any() | (candidate & some).any())
    _turns(contract, dut, chosen, some)

    # Credits.
    request = contract.see("request", Cat(of(Cat(r[k] for r in dut.request)) for k in range(PORTS)))
    goes = contract.see("goes", leaves(dut, chosen))
    arrives = contract.see("arrives", of(valid))
    held = level(contract, "held", depth, up=arrives, down=goes)
    credit = of(dut.link.credit)
    owed = level(contract, "owed", depth + pipeline.credit, up=arrives, down=credit)
    contract.assume(~arrives | (held != depth))  # more than credits allow: one may be on its way
    late = Signal()  # a flit is not yet in the buffer
    if dut.write_cycles:
        m.d.sync += late.eq(arrives)
    contract.claim("valid", of(dut.valid) == (held != late))
    contract.claim("full", of(dut.full) == (held == depth))
    contract.claim("credits", owed == held + in_stages(m, goes, pipeline.credit - 1) + credit)

    # Its marks, and its route.
    table = [straps.word_select(node, len(straps) // 3) for node in range(3)]
    port = Signal(2)
    for node, entry in enumerate(table):
        with m.If(header == node):
            m.d.comb += port.eq(entry)
    good = ~refused & (header != 3) & (port < PORTS)
    true = _reference(m, flit, good, port, arrives)
    contract.claim("in_packet", of(dut.in_packet) == true.in_packet)
    contract.claim("error", ~arrives | (dut.error == true.error))
    contract.claim("no_error", valid.any() | ~dut.error)

    armed = Armed(contract, arrives, goes, held)
    front = armed.front & ~(late & (held == 1))
    its_route, its_head = armed.keep("its_route", true.route), armed.keep("its_head", true.head)
    its_tail, its_data = armed.keep("its_tail", true.tail), armed.keep("its_data", flit.data)
    contract.claim("route", ~front | (request == its_route))
    afresh = _afresh(m, flit, good, port, arrives)
    contract.claim("no_blame", ~afresh.any() | ~dut.error)
    its_port = armed.keep("its_port", afresh)
    contract.claim("passes", ~(front & its_port.any()) | (request == its_port))
    contract.claim("head", ~front | (of(dut.head) == its_head))
    contract.claim("tail", ~front | (of(dut.tail) == its_tail))
    crosses = past(m, front & granted & of(candidate), pipeline.allocation)
    contract.claim("data", ~crosses | (dut.st_flit.data == its_data))
    marks = Cat(dut.st_flit.head, dut.st_flit.tail) == Cat(its_head, its_tail)
    contract.claim("marks", ~crosses | marks)
    return contract


@dataclass(frozen=True)
class _True:
    """What an arriving flit is."""

    in_packet: Value
    head: Value
    tail: Value
    route: Value
    error: Value


def _reference(m: Module, flit: Any, good: Value, port: Value, arrives: Value) -> _True:
    """Model a channel: its packet is discarded, or routed to a port, or there is none."""
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
    route = Signal(PORTS)
    with m.If(arrives & flit.head & ended & good):
        m.d.comb += route.eq(Cat(port == k for k in range(PORTS)))
    with m.Elif(arrives & ~flit.head):
        m.d.comb += route.eq(under_way)
    with m.If(arrives):
        m.d.sync += [ended.eq(flit.tail), under_way.eq(Mux(flit.tail, 0, route))]
    return route


def _turns(contract: Contract, dut: InputPort, chosen: Value, some: Value) -> None:
    """Claim that channels take turns; if any, one of `some` was to become the candidate.

    While a channel stays eligible each other is granted at most once. It does not become the
    candidate in place of one that was granted before it was.
    """
    m = contract.m
    if dut.channels == 1:
        return
    other = contract.one_of("other", dut.channels)
    contract.assume(other != chosen)
    went = dut.candidate & dut.granted.replicate(dut.channels)
    waits, once = Signal(), Signal()
    m.d.comb += waits.eq((chosen & dut.eligible_next & dut.eligible & ~went).any())
    m.d.sync += once.eq(waits & (once | (other & went).any()))
    contract.claim("turn", ~(once & waits & (other & went).any()))
    recent = Signal()  # of the two the chosen one was granted last
    with m.If((chosen & went).any()):
        m.d.sync += recent.eq(1)
    with m.Elif((other & went).any()):
        m.d.sync += recent.eq(0)
    both = (chosen & some).any() & (other & some).any()
    contract.claim("oldest", ~(both & past(m, recent) & (chosen & dut.candidate).any()))


def injection(
    *,
    depth: int,
    pipeline: Pipeline = Pipeline(),
    classes: int = 1,
    header_cycles: int = 0,
) -> Contract:
    """Return what injection and input port of a terminal promise of any flits, credits or not.

    The claims are about any one message class; at most one flit enters in a cycle. The buffer does
    not overflow. A flit enters unchanged, or is dropped and counted. If a packet that is entering
    has lost a flit, the next flit that enters is a tail, as soon as there is room and no flit of
    another class arrives; of several such tails that of the lowest class comes first. So every
    packet that enters ends. Whatever was sent before: of a packet that begins after a tail, and
    after a cycle in which such a tail could enter, each flit enters unchanged while there is room,
    the head as a head outside any packet.

    Parameters
    ----------
    classes : int
        Message classes.
    header_cycles : int
        Cycles of header generation: all of this is said of flits so many cycles later.
    """
    contract = Contract()
    m = contract.m
    port = triangle_input(m, PORTS - 1, channels=classes, depth=depth, pipeline=pipeline)
    routing, width = port.routing, port.flit_width
    routing.header_cycles = header_cycles
    m.submodules.dut = dut = Injection(routing, flit_width=width, classes=classes)
    m.submodules.port = port
    sent = contract.anything("valid", classes)
    word = contract.anything("flit", flit_layout(width).size)
    contract.assume(at_most_one(sent))
    straps = contract.constant("straps", routing.straps.width)
    m.d.comb += [
        dut.straps.eq(straps),
        dut.valid.eq(sent),
        dut.flit.eq(word),
        dut.full.eq(port.full),
        dut.in_packet.eq(port.in_packet),
        port.straps.eq(straps),
        port.link.valid.eq(dut.next_valid),
        port.link.flit.eq(dut.next_flit),
        # The generator of tables takes no cycles: registers stand for those of others.
        port.header.eq(past(m, Value.cast(dut.header), header_cycles)),
        port.refused.eq(past(m, dut.refused, header_cycles)),
    ]
    any_outputs(contract, port)
    every, same = past(m, sent, header_cycles), past(m, word, header_cycles)
    flit: Any = data.View(flit_layout(width), same)
    chosen = contract.one_of("chosen", classes)

    def of(values: Value) -> Value:
        return (values & chosen).any()

    valid = contract.see("arrives", of(every))
    enters = contract.see("enters", of(dut.next_valid))
    entering = contract.see("entering", dut.next_flit)
    gone = contract.see("gone", leaves(port, chosen))
    held = level(contract, "held", depth, up=enters, down=gone)
    contract.claim("room", ~enters | (held != depth))
    others = Value.cast(0)
    if classes > 1:
        contract.claim("one_at_a_time", at_most_one(dut.next_valid))
        lower = dut.next_valid & (chosen - 1)[:classes]
        others = contract.see("others", (every & ~chosen).any() | lower.any())

    # A packet is open from its head to its tail; it is truncated once it has lost a flit.
    opened, truncated, lost = Signal(), Signal(), Signal()
    ends = dut.next_flit.tail
    with m.If(enters):
        m.d.sync += opened.eq((opened | dut.next_flit.head) & ~ends)
    m.d.comb += lost.eq(valid & ((held == depth) | truncated))
    m.d.sync += truncated.eq((truncated & ~enters) | (lost & opened & ~(enters & ends)))
    contract.see("opened", opened)
    contract.see("truncated", truncated)
    due = truncated & (held != depth) & ~others
    contract.claim("ended", ~due | (enters & ends & ~dut.next_flit.head))
    contract.claim("as_it_is", ~(valid & ~lost) | (enters & (entering == same)))
    contract.claim("of_nothing", ~enters | (valid & ~lost) | truncated)
    if classes > 1:
        higher = dut.next_valid & ~(chosen | (chosen - 1)[:classes])
        contract.claim("lowest_first", ~due | ~higher.any())

    free = (held != depth) & ~others
    _passes(
        contract, dut, of, flit=flit, arrives=valid, enters=enters, room=held != depth, free=free
    )
    before, counted = past(m, dut.overruns), past(m, lost)
    after = Mux(before.all(), before, before + counted)
    contract.claim("counted", ~past(m, valid) | (dut.overruns == after))
    contract.claim("counts_nothing", past(m, every.any()) | (dut.overruns == before))
    return contract


def _passes(
    contract: Contract,
    dut: Injection,
    of: Callable[[Value], Value],
    *,
    flit: Any,
    arrives: Value,
    enters: Value,
    room: Value,
    free: Value,
) -> None:
    """Claim that a good packet passes after whatever came before."""
    m = contract.m
    ended, fresh, under_way = Signal(init=1), Signal(init=1), Signal()
    with m.If(arrives):
        m.d.sync += ended.eq(flit.tail)
    m.d.sync += fresh.eq(Mux(arrives, flit.tail, ended) & free | fresh & ~arrives)
    begins = contract.see("begins", arrives & flit.head & fresh & room)
    goes_on = contract.see("goes_on", arrives & ~flit.head & under_way & room)
    with m.If(arrives):
        m.d.sync += under_way.eq((begins | goes_on) & ~flit.tail)
    as_it_is = enters & (Value.cast(dut.next_flit) == Value.cast(flit))
    contract.claim("begins", ~begins | (as_it_is & ~of(dut.in_packet)))
    contract.claim("goes_on", ~goes_on | (as_it_is & of(dut.in_packet)))
