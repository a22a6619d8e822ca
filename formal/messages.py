"""Messages of OS-Link terminals, as packets of beats and back."""

from typing import Any

from amaranth import Cat, Mux, Signal

from fingerpost.formal.contract import Contract, past, stays
from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.hdl.terminal.message import MessageReceiver, MessageSender

LENGTH, DATA, STATUS = 2, 4, 5
"""Bytes of a message before its length, before its data; what comes behind that."""

BYTES = 2

DESTINATION, HEAD = 2, 4
"""Bytes of a message before those that are in its packet, and before its data."""


def message_receiver(*, timeout: int) -> Contract:
    """Return what a receiver of two bytes promises, of any beats as AXI4-Stream allows them.

    All that comes out are messages: two bytes of source, two of length, as many of data, and a
    status. The source is that of the first beat. Length and data are the bytes of one packet, each
    once and in order, then zeros; what is left of the packet is dropped. The status is 1 if
    there were zeros, or something was dropped, or the packet had an error mark, and else 0.

    What is offered stays, as it is, until it is taken, or until nothing was taken for `timeout`
    cycles: then the message is cut, and packets are dropped, and counted, until a byte is taken.
    Whenever a byte could be taken, a byte or a beat leaves.
    """
    contract = Contract()
    m = contract.m
    layout = AxiLayout(data_width=16, nodes=3, header=2)
    m.submodules.dut = dut = MessageReceiver(layout, timeout=timeout)
    beat, out = dut.stream, dut.bytes
    contract.free(beat, "tvalid", "tdata", "tkeep", "tlast", "tuser")
    contract.free(out, "ready")
    offers, ready = contract.see("valid", out.valid), out.ready
    byte, beat_ready = contract.see("byte", out.payload), contract.see("tready", beat.tready)
    taken, gone = offers & ready, beat.tvalid & beat_ready

    # Beats are as AXI4-Stream allows them: they stay, and only the last is not full.
    payload = Cat(beat.tdata, beat.tkeep, beat.tlast, beat.tuser)
    contract.assume(stays(m, beat.tvalid, beat_ready, payload))
    contract.assume(beat.tkeep[0] & (beat.tkeep[1] | beat.tlast))

    # Where in a message the next byte is, by those that came out.
    place, left = Signal(range(STATUS + 1)), Signal(16)
    contract.see("place", place)
    length = Mux(place == DATA, left - 1, Cat(left[:8], byte))
    with m.If(taken):
        m.d.sync += place.eq(Mux(place == STATUS, 0, place + 1))
        with m.If((place == DATA - 1) | (place == DATA)):
            m.d.sync += [left.eq(length), place.eq(Mux(length == 0, STATUS, DATA))]
        with m.If(place == LENGTH):
            m.d.sync += left.eq(byte)
    inside = (place >= LENGTH) & (place <= DATA)

    # A reader that takes nothing.
    quiet, dead, dropping = Signal(range(timeout + 1)), Signal(), Signal()
    stuck, over = offers & ~ready, Signal()
    fires = stuck & ~dead & (quiet == timeout) if timeout else Signal()
    cut = contract.see("cut", fires & (place != 0) & ~over)
    thrown = contract.see("thrown", dead | dropping)
    m.d.sync += [
        quiet.eq(Mux(stuck, Mux(quiet == timeout, quiet, quiet + 1), 0)),
        dead.eq(fires | (dead & ~ready)),
        dropping.eq(Mux(thrown & gone, ~beat.tlast, dropping)),
    ]
    number, lost = Signal.like(dut.lost), thrown & gone & beat.tlast
    m.d.sync += number.eq(number + (lost & ~number.all()))
    if timeout:
        contract.claim("thrown_at_once", ~(thrown & beat.tvalid) | beat_ready)
    contract.claim("nothing_of_it", ~(offers & (place == 0)) | ~thrown)
    contract.claim("counted", dut.lost == number)

    # What is offered stays.
    waits, offered = past(m, stuck & ~fires), past(m, byte)
    contract.claim("stays", ~waits | offers)
    contract.claim("stable", ~waits | (byte == offered))

    # The bytes of a packet, until it is over; then zeros. Which byte of a beat is next?
    second, feeds = Signal(), inside & ~over
    now = Mux(second, beat.tdata[8:], beat.tdata[:8])
    final = taken & feeds & (second | ~beat.tkeep[1])
    swept = contract.see("swept", gone & ~thrown & (place == STATUS))
    m.d.sync += second.eq(~gone & (second | (taken & feeds)))
    contract.claim("source", ~(offers & (place == 0)) | (byte == beat.tuser[1:]))
    contract.claim("high", ~(offers & (place == 1)) | (byte == 0))  # of three nodes
    real = beat.tvalid & (byte == now) & (~second | beat.tkeep[1])
    contract.claim("in_order", ~(offers & feeds) | real)
    contract.claim("zeros", ~(offers & inside & over) | (byte == 0))
    contract.claim("whole", ~gone | thrown | final | (swept & ~over))
    contract.claim("once", ~final | gone)
    m.d.sync += over.eq((over | cut | (gone & ~thrown & beat.tlast)) & ~(taken & (place == STATUS)))

    # The status, when all of the packet has come or was dropped.
    bad, wrong = Signal(), Signal()
    marked = gone & ~thrown & beat.tlast & beat.tuser[0]
    m.d.comb += wrong.eq(cut | marked | swept | (taken & inside & over))
    m.d.sync += bad.eq((bad | wrong) & ~(taken & (place == STATUS)))
    contract.claim("status", ~(offers & (place == STATUS)) | (over & (byte == bad)))

    contract.claim("not_stuck", ~(ready & (beat.tvalid | over)) | taken | gone)
    return contract


def message_sender(*, longest: int, timeout: int) -> Contract:
    """Return what a sender of two bytes promises, of any bytes and any reader.

    What is offered stays, as it is, until it is taken. The bytes of a message behind its
    destination come out once, in order, two in a beat; the last beat has the mark of the last, and
    as many bytes as there are. All beats name the destination, and whether it is unknown.
    While nothing is offered, ready is low for one cycle at most.

    A message for which nothing comes for `timeout` cycles ends: bytes of which no beat was offered
    are dropped, and if there was a beat, one with an error mark and a byte 0 closes the packet.
    """
    contract = Contract()
    m = contract.m
    layout = AxiLayout(data_width=8 * BYTES, nodes=3, header=2)
    m.submodules.dut = dut = MessageSender(layout, longest=longest, timeout=timeout)
    valid, byte = contract.free(dut.bytes, "valid", "payload")
    contract.free(dut.stream, "tready")
    out: Any = dut.stream
    offers, ready = contract.see("tvalid", out.tvalid), contract.see("ready", dut.bytes.ready)
    takes, leaves = valid & ready, offers & out.tready

    # What is offered stays.
    payload = Cat(out.tdata, out.tkeep, out.tlast, out.tuser, dut.tdest, dut.stranger)
    contract.claim_stays(offers, out.tready, payload)

    # Where in a message the next byte is, and how many bytes of data are to come.
    place, left, dest = Signal(range(HEAD + 1)), Signal(16), Signal(16)
    ends, expires = Signal(), Signal()
    length = Cat(left[:8], byte)
    m.d.comb += ends.eq(takes & Mux(place == HEAD, left == 1, (place == HEAD - 1) & (length == 0)))
    too_long = Signal()
    with m.If(takes):
        m.d.sync += place.eq(Mux(ends, 0, Mux(place == HEAD, HEAD, place + 1)))
        with m.Switch(place):
            with m.Case(0):
                m.d.sync += dest[:8].eq(byte)
            with m.Case(1):
                m.d.sync += dest[8:].eq(byte)
            with m.Case(2):
                m.d.sync += left[:8].eq(byte)
            with m.Case(3):
                m.d.sync += [left.eq(length), too_long.eq(length > longest)]
            with m.Case(HEAD):
                m.d.sync += left.eq(left - 1)
    with m.Elif(expires):
        m.d.sync += place.eq(0)
    contract.see("place", place)

    # Silence.
    quiet = Signal(range(timeout + 1))
    silent = (place != 0) & ~valid
    m.d.sync += quiet.eq(Mux(silent & ~expires, quiet + 1, 0))
    m.d.comb += expires.eq(silent & (quiet == timeout) if timeout else 0)
    contract.see("expires", expires)
    number, expired = Signal.like(dut.expired), Signal()
    m.d.sync += [expired.eq(expires), number.eq(number + (expires & ~number.all()))]
    contract.claim("counted", dut.expired == number)

    # The beat that is gathered, and the one that closes a packet of which some has been offered.
    held, final, gathered = Signal(range(BYTES + 1)), Signal(), Signal(8 * BYTES)
    some, owed, closing = Signal(), Signal(), Signal()
    carried, complete = takes & (place >= DESTINATION), final | (held == BYTES)
    with m.If(carried):
        m.d.sync += [held.eq(held + 1), final.eq(ends)]
        m.d.sync += gathered.eq(Mux(held == 0, byte, Cat(gathered[:8], byte)))
    with m.Elif(Mux(complete, leaves, expires)):
        m.d.sync += [held.eq(0), final.eq(0)]
    m.d.sync += [
        some.eq((some | (carried & (held == BYTES - 1))) & ~ends & ~expires),
        owed.eq((expires & some) | (owed & offers)),
        closing.eq((owed & ~offers) | (closing & ~leaves)),
    ]
    contract.see("held", held)
    contract.claim("complete", offers == (complete | closing))
    as_it_is = (out.tdata == gathered) & (out.tkeep == Mux(held == BYTES, 0b11, 0b01))
    contract.claim("as_it_is", ~(offers & ~closing) | as_it_is)
    contract.claim("last", ~(offers & ~closing) | ((out.tlast == final) & ~out.tuser))
    closed = Cat(out.tlast, out.tuser).all() & (out.tdata == 0) & (out.tkeep == 1)
    if timeout:
        contract.claim("closed", ~(offers & closing) | closed)
    contract.claim("named", ~offers | (dut.tdest == dest[: layout.number]))
    no_terminal = dest[layout.number :].any() | too_long
    contract.claim("no_terminal", ~offers | (dut.stranger == no_terminal))

    # It is not stuck.
    low = contract.see("low", ~ready & ~offers)
    contract.claim("ready", ~(low & past(m, low)))
    return contract
