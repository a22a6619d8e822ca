"""From packets to bytes: what comes out is a message, whatever the packets and the reader do."""

from amaranth import Cat, Mux, Signal

from fingerpost.formal.contract import Contract, past, stays
from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.hdl.terminal.message_receiver import MessageReceiver

__all__ = ["message_receiver"]

LENGTH, DATA, STATUS = 2, 4, 5
"""Bytes of a message before its length, before its data; what comes behind that."""


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
