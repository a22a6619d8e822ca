"""From bytes to packets: each message is a packet as it was sent, or is closed with a mark."""

from typing import Any

from amaranth import Cat, Mux, Signal

from fingerpost.formal.contract import Contract, past
from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.hdl.terminal.message_sender import MessageSender

__all__ = ["message_sender"]

BYTES = 2
DESTINATION, HEAD = 2, 4
"""Bytes of a message before those that are in its packet, and before its data."""


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
