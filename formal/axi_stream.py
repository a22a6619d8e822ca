"""AXI4-Stream terminals: nothing lost, nothing made up, and neither side ever stuck."""

from typing import Any

from amaranth import Cat, Mux, Signal
from amaranth.lib import data

from fingerpost.formal.contract import Armed, Contract, level, past
from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.hdl.lib.flit import flit_layout
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.terminal.axi_receiver import AxiReceiver
from fingerpost.hdl.terminal.axi_sender import AxiSender


def axi_receiver(*, depth: int, status: int = 0) -> Contract:
    """Return what a receiver of two bytes promises, of any flits and any reader.

    What is offered stays, as it is, until it is taken. Any one flit that is no head comes out
    once, in order, with its data, its mark and the source of the last head before it. Heads do
    not come out; each leaves as soon as it is at the front. One credit goes back for each flit,
    in the cycle after it has left.
    """
    contract = Contract()
    m = contract.m
    layout = AxiLayout(data_width=16, nodes=3, header=2, status=status)
    width = layout.body.width + status
    m.submodules.dut = dut = AxiReceiver(layout, flit_width=width, depth=depth)
    stream, eject = dut.stream, dut.eject
    valid, word = contract.free(eject, "valid", "flit")
    (ready,) = contract.free(stream, "tready")
    flit: Any = data.View(flit_layout(width), word)
    offers = contract.see("tvalid", stream.tvalid)

    # The router sends no more than it has credits for.
    there = level(contract, "there", depth, up=valid, down=eject.credit)
    contract.assume((there != depth) | ~valid)
    credit = contract.see("credit", eject.credit)
    contract.claim("credit", ~credit | (there != 0))

    # What is offered stays.
    payload = Cat(stream.tdata, stream.tkeep, stream.tlast, stream.tuser)
    contract.claim_stays(offers, ready, payload)

    # Something leaves in every cycle, or is offered and not taken.
    held = Signal(range(depth + 1), name="held")
    goes, went = Signal(), Signal()
    m.d.comb += goes.eq(Mux(offers, ready, held != 0))
    m.d.sync += [held.eq(held + valid - goes), went.eq(goes)]
    contract.see("held", held)
    contract.claim("of_nothing", ~offers | (held != 0))
    contract.claim("one_credit", credit == went)

    source, now = Signal(layout.number), Signal(layout.number)
    head: Any = data.View(struct(layout.head), flit.data[: layout.head.width])
    m.d.comb += now.eq(Mux(flit.head, head.source, source))
    with m.If(valid):
        m.d.sync += source.eq(now)
    armed = Armed(contract, valid, goes, held)
    kept: Any = data.View(flit_layout(width), armed.keep("kept", word))
    kept_source = armed.keep("source", now)
    body: Any = data.View(struct(layout.body), kept.data[: layout.body.width])
    bad = kept.tail & (body.error | kept.data[layout.body.width :].any())
    both = Cat(1, ~kept.tail | body.last_byte)
    contract.claim("no_head", ~armed.front | (offers == ~kept.head))
    comes = armed.front & offers
    contract.claim("data", ~comes | (stream.tdata == body.data))
    contract.claim("last", ~comes | (stream.tlast == kept.tail))
    contract.claim("keep", ~comes | (stream.tkeep == both))
    contract.claim("user", ~comes | (stream.tuser == Cat(bad, kept_source)))
    return contract


def axi_sender(*, credits: int, timeout: int) -> Contract:
    """Return what a sender of two bytes promises, whatever its terminal does, polite or not.

    No flit without a credit; a head before the first beat of a packet, with what the table said
    of it, and never without one; then each beat that was taken, once, in order and as it was. What
    has no terminal is taken in every cycle and sends nothing. While there are credits tready is
    low for one cycle at most. A packet that waits for its next beat is closed after exactly
    `timeout` cycles, if there is a credit, and its rest is taken and sends nothing.
    """
    contract = Contract()
    m = contract.m
    layout = AxiLayout(data_width=16, nodes=3, header=2)
    width = layout.body.width
    m.submodules.dut = dut = AxiSender(layout, flit_width=width, credits=credits, timeout=timeout)
    stream, inject = dut.stream, dut.inject
    contract.free(stream, "tvalid", "tdata", "tkeep", "tlast", "tuser")
    head, known = contract.free(dut, "head", "known")
    (credit,) = contract.free(inject, "credit")
    ready, valid = contract.see("tready", stream.tready), contract.see("valid", inject.valid)
    contract.see("flit", inject.flit)
    flit: Any = data.View(flit_layout(width), inject.flit)
    is_head, is_tail = flit.head, flit.tail

    there = level(contract, "there", credits, up=valid, down=credit)
    contract.assume((there != 0) | ~credit)
    some = there != credits
    contract.claim("room", some | ~valid)

    # Heads and tails take turns.
    inside = Signal()
    with m.If(valid):
        m.d.sync += inside.eq(~is_tail)
    contract.claim("head_first", ~valid | (is_head == ~inside))
    contract.claim("has_beats", ~(valid & is_head & is_tail))

    # The beat that was taken and is still to be sent, and what becomes of its packet.
    takes, body = stream.tvalid & ready, valid & ~is_head
    full, first, midst, fate = Signal(), Signal(), Signal(), Signal()
    closes = contract.see("closes", body & ~full)
    goes_on = Mux(midst, fate & ~closes, known)
    kept_head, kept_last = Signal.like(dut.head), Signal()
    kept: Any = Signal(struct(layout.body))
    m.d.sync += full.eq((takes & goes_on) | (full & ~body))
    with m.If(takes):
        m.d.sync += [midst.eq(~stream.tlast), fate.eq(goes_on), first.eq(~midst)]
        m.d.sync += [kept_head.eq(head), kept_last.eq(stream.tlast)]
        m.d.sync += [kept.data.eq(stream.tdata), kept.error.eq(stream.tlast & stream.tuser)]
        m.d.sync += kept.last_byte.eq(stream.tlast & stream.tkeep[1])
    with m.Elif(closes):
        m.d.sync += fate.eq(0)
    contract.see("full", full)
    as_it_is = (flit.data == kept.as_value()) & (is_tail == kept_last)
    contract.claim("head", ~(valid & is_head) | (full & first & (flit.data == kept_head)))
    contract.claim("as_it_is", ~(body & full) | as_it_is)
    contract.claim("none_lost", ~(takes & goes_on & full) | body)

    # It is not stuck.
    low = contract.see("low", ~ready & some)
    contract.claim("ready", ~(low & past(m, low)))
    contract.claim("dropped_at_once", full | ready)

    _time_out(contract, timeout, inside & ~full, closes, some)
    if timeout:
        marked = flit.data == 1  # an error mark, no data
        contract.claim("closed", ~closes | (is_tail & marked))
    refused = Signal.like(dut.refused)
    more = takes & ~midst & ~known & ~refused.all()
    late = Signal()  # it counts what it has taken in the cycle before
    m.d.sync += [late.eq(more), refused.eq(refused + more)]
    contract.claim("counted", dut.refused == (refused - late)[:8])
    expired = Signal.like(dut.expired)
    m.d.sync += expired.eq(expired + (closes & ~expired.all()))
    contract.claim("late_counted", dut.expired == expired)
    return contract


def _time_out(contract: Contract, timeout: int, waits: Any, closes: Any, some: Any) -> None:
    """Claim when a packet is closed."""
    if not timeout:
        contract.claim("in_time", ~closes)
        return
    m, quiet = contract.m, Signal(range(timeout + 1))
    m.d.sync += quiet.eq(Mux(waits, Mux(quiet == timeout, quiet, quiet + 1), 0))
    contract.see("quiet", quiet)
    contract.claim("in_time", closes == (waits & some & (quiet == timeout)))
