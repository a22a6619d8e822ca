"""AXI4-Stream terminals: sender, receiver, and the endpoints that share one."""

from typing import Any

from amaranth import Cat, Mux, Signal
from amaranth.lib import data

from fingerpost.formal.contract import (
    Armed,
    Contract,
    about,
    at_most_one,
    at_most_times,
    claim_room,
    level,
    past,
    stays,
)
from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.hdl.lib.header import flit_layout, struct
from fingerpost.hdl.terminal.axi_interface import AxiReceiver
from fingerpost.hdl.terminal.axi_sender import AxiSender
from fingerpost.hdl.terminal.endpoints import Concentrator, Distributor


def axi_receiver(*, depth: int, status: int = 0) -> Contract:
    """Return what a receiver of two bytes promises, of any flits and any reader.

    What is offered stays, as it is, until it is taken. Any one flit that is no head comes out
    once, in order, with its data, its mark and the source of the last head before it. Heads do
    not come out; each leaves as soon as it is at the front. One credit goes back for each flit,
    in the cycle after it has left.
    """
    layout = AxiLayout(data_width=16, peers=3, header=2, status=status)
    width = layout.body.width + status
    contract, m, dut = about(AxiReceiver(layout, flit_width=width, depth=depth))
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
    layout = AxiLayout(data_width=16, peers=3, header=2)
    width = layout.body.width
    contract, m, dut = about(AxiSender(layout, flit_width=width, credits=credits, timeout=timeout))
    stream, inject = dut.stream, dut.inject
    contract.free(stream, "tvalid", "tdata", "tkeep", "tlast", "tuser")
    head, known = contract.free(dut, "head", "known")
    (credit,) = contract.free(inject, "credit")
    ready, valid = contract.see("tready", stream.tready), contract.see("valid", inject.valid)
    contract.see("flit", inject.flit)
    flit: Any = data.View(flit_layout(width), inject.flit)
    is_head, is_tail = flit.head, flit.tail

    some = claim_room(contract, "", credits, valid=valid, credit=credit) != credits

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


NUMBER = 1
"""Bits of the number of a node."""


def concentrator(*, endpoints: int, bytes: int) -> Contract:
    """Return what a concentrator promises of endpoints that keep the rules of AXI4-Stream.

    What is sent stays, as it is, until it is taken. It is packets, each a first beat that names an
    endpoint which offers a packet, and the endpoint to which that goes; then the beats of that
    packet, one by one, and no others, to the same node. If an endpoint offers a beat and no packet
    is under way, one is in the next cycle. While an endpoint offers a packet, at most
    `endpoints` - 1 packets of others begin.
    """
    contract, m, dut = about(Concentrator(endpoints, bytes=bytes, number=NUMBER))
    sources, stream, width = dut.sources, dut.stream, dut.width
    names = ["tdata", "tlast", "tuser", *(["tkeep"] if bytes > 1 else [])]
    given = contract.free(sources, *names)
    (dest,) = contract.free(dut, "dest")
    (offers,) = contract.free(sources, "tvalid")
    (ready,) = contract.free(stream, "tready")

    # All endpoints keep what they offer.
    def part(value: Signal, number: Any) -> Any:
        return value.word_select(number, len(value) // endpoints)

    its_ready = contract.see("its_tready", sources.tready)
    for e in range(endpoints):
        beat = Cat(*(part(value, e) for value in given), part(dest, e))
        contract.assume(stays(m, offers[e], its_ready[e], beat))

    valid = contract.see("valid", stream.tvalid)
    payload = Cat(*(getattr(stream, name) for name in names), dut.tdest)
    contract.claim_stays(valid, ready, payload)

    # Where in a packet the next beat is, and whose it is.
    first, taken, source, node = Signal(init=1), valid & ready, Signal(width), Signal(NUMBER)
    said_to, said_from = stream.tdata[:width], stream.tdata[width : 2 * width]
    with m.If(taken & first):
        m.d.sync += [first.eq(0), source.eq(said_from), node.eq(dut.tdest)]
    with m.Elif(taken & stream.tlast):
        m.d.sync += first.eq(1)
    contract.see("first", first)
    begins, goes_on = valid & first, valid & ~first
    rest = stream.tdata[2 * width :].any() | stream.tlast | stream.tuser
    contract.claim("no_more", ~begins | ~rest)
    if bytes > 1:
        contract.claim("whole", ~begins | stream.tkeep.all())
    contract.claim("offered", ~begins | offers.bit_select(said_from, 1))
    contract.claim("named", ~begins | (Cat(said_to, dut.tdest) == part(dest, said_from)))
    contract.claim("same_node", ~goes_on | (dut.tdest == node))
    its = Cat(part(value, source) for value in given)
    ours = Cat(getattr(stream, name) for name in names)
    contract.claim("its_beat", ~goes_on | (offers.bit_select(source, 1) & (ours == its)))
    contract.claim("valid", ~(~first & offers.bit_select(source, 1)) | valid)
    contract.claim("no_other", ~its_ready.any() | (~first & (its_ready == 1 << source)))
    contract.claim("taken_once", ~(goes_on & ready) | its_ready.any())

    # A packet begins at once, and every endpoint has its turn.
    contract.claim("at_once", ~past(m, first & offers.any() & ~valid) | valid)
    one = contract.one_of("one", endpoints)
    its_turn = (1 << said_from)[:endpoints] == one
    waiting = (offers & one).any() & ~(~first & ((1 << source)[:endpoints] == one))
    event = taken & first & ~its_turn
    contract.claim("turns", at_most_times(m, endpoints - 1, waiting, event))
    return contract


def distributor(*, endpoints: int, bytes: int) -> Contract:
    """Return what a distributor promises of a terminal that keeps the rules of AXI4-Stream.

    Nothing is offered to two endpoints, and what is offered stays until it is taken. The first beat
    of a packet is taken at once. All others are offered to the endpoint that it names, in the cycle
    in which they come, with the source that it names, and are taken when the endpoint takes them. A
    packet of one beat is offered to the endpoint that this names.
    """
    contract, m, dut = about(Distributor(endpoints, bytes=bytes, number=NUMBER))
    stream, sinks, width = dut.stream, dut.sinks, dut.width
    names = ["tdata", "tlast", "tuser", *(["tkeep"] if bytes > 1 else [])]
    given = dict(zip(names, contract.free(stream, *names), strict=True))
    (comes,) = contract.free(stream, "tvalid")
    (ready,) = contract.free(sinks, "tready")
    takes = contract.see("takes", stream.tready)
    contract.assume(stays(m, comes, takes, Cat(given.values())))

    offered = contract.see("offered", sinks.tvalid)
    contract.claim("one", at_most_one(offered))
    payload = Cat(getattr(sinks, name) for name in names)
    waits, last_payload = Signal(endpoints), Signal.like(payload)
    m.d.sync += [waits.eq(offered & ~ready), last_payload.eq(payload)]
    contract.claim("stays", ~waits.any() | ((waits & offered) == waits))
    contract.claim("stable", ~waits.any() | (payload == last_payload))

    # Where in a packet the next beat is, and to whom it goes.
    first, to, source = Signal(init=1), Signal(width), Signal(width)
    alone = comes & first & stream.tlast
    with m.If(comes & first):
        m.d.sync += [
            *(first.eq(0), to.eq(stream.tdata[:width])),
            source.eq(stream.tdata[width : 2 * width]),
        ]
    with m.Elif(comes & takes & stream.tlast):
        m.d.sync += first.eq(1)
    contract.see("first", first)
    contract.claim("first_taken", ~(comes & first & ~stream.tlast) | takes)
    contract.claim("alone_kept", ~alone | ~takes)
    contract.claim("first_hidden", ~first | ~offered.any())
    mine = (1 << to)[:endpoints]
    goes_on = comes & ~first
    contract.claim("its_endpoint", ~goes_on | (offered == mine))
    contract.claim("made_up", ~offered.any() | comes)
    contract.claim("taken", ~goes_on | (takes == (ready & mine).any()))

    def part(value: Any) -> Any:
        return value.word_select(to, len(value) // endpoints)

    user = Cat(stream.tuser[0], source, stream.tuser[1:])
    same = [part(getattr(sinks, name)) == given[name] for name in names if name != "tuser"]
    contract.claim("its_beat", ~goes_on | Cat(*same, part(sinks.tuser) == user).all())
    return contract
