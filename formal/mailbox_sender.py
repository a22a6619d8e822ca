"""A mailbox's packets to send: complete ones go, each once, in order and as they were written."""

from typing import Any

from amaranth import Cat, Mux, Signal, Value
from amaranth.lib import data

from fingerpost.formal.contract import Contract, at_most_one, stays
from fingerpost.golden.terminal.mailbox_layout import SEND
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.terminal.mailbox_sender import MailboxSender

__all__ = ["mailbox_sender"]

KNOWN = 0, 2

BITS = 0, SEND["length"].offset + 1
"""Bits of a word that are followed: one in each field of a head. Hardware treats all alike."""


def mailbox_sender(*, rows: int, limit: int) -> Contract:
    """Return what the sender promises of writes that are not wrong, and of any tready.

    It tells what is wrong with a head. It counts the rows that are free and the words that are to
    be written. No word is offered of a packet that is not complete; a complete packet is
    offered within two cycles, without a pause. Any one word comes out as it was written, after
    those before it, with the destination of its packet and tlast at its end, unless it is aborted.
    """
    contract = Contract()
    m = contract.m
    m.submodules.dut = dut = MailboxSender(rows, limit=limit, known=KNOWN)
    stream = dut.stream
    (value,), (ready,) = contract.free(dut, "value"), contract.free(stream, "tready")
    begin, push, abort = contract.free(dut, "begin", "push", "abort")
    for name in ("tvalid", "tlast", "tdata", "tkeep"):
        contract.see(name, getattr(stream, name))
    head: Any = data.View(struct(SEND), value[: SEND.width])
    taken = stream.tvalid & ready

    # What is written.
    open_words, length = Signal(range(limit + 1)), Signal(range(limit + 1))
    bad_length = (head.length == 0) | (head.length > limit) | value[SEND.width :].any()
    known = Cat(head.destination == node for node in KNOWN).any()
    used, at_start = Signal(range(rows + 1)), Signal(init=1)
    starts = stream.tvalid & at_start
    used_now = used - starts
    full = ~bad_length & (open_words == 0) & (head.length >= rows - used_now)
    contract.claim("length", dut.length == bad_length)
    contract.claim("destination", dut.destination == ~known)
    contract.assume(at_most_one(Cat(begin, push, abort)))
    contract.assume(~begin | ~(bad_length | ~known | full | (open_words != 0)))
    contract.assume(~push | (open_words != 0))
    contract.claim("full", dut.full == full)
    contract.claim("open", dut.open == open_words)
    removes = abort & (open_words != 0)
    m.d.sync += [
        open_words.eq(
            Mux(begin, head.length, Mux(removes, 0, Mux(push, open_words - 1, open_words)))
        ),
        used.eq(used_now - taken + Mux(begin, head.length + 1, 0) - Mux(removes, length + 1, 0)),
        at_start.eq(Mux(stream.tvalid, taken & stream.tlast, at_start)),
    ]
    with m.If(begin):
        m.d.sync += length.eq(head.length)
    # Free rows: the row of a head is free again when its packet is offered.
    contract.claim("free", dut.free == rows - used_now)

    # Only complete packets, soon, and without a pause.
    completes = push & (open_words == 1)
    whole = Signal(range(rows + 1))  # words of complete packets
    m.d.sync += whole.eq(whole + Mux(completes, length, 0) - taken)
    contract.claim("complete", ~stream.tvalid | (whole != 0))
    waits = Signal(2)
    m.d.sync += waits.eq(Mux((whole != 0) & ~stream.tvalid, Cat(1, waits[0]), 0))
    contract.claim("soon", ~waits.all())
    contract.claim("no_pause", stream.tvalid | at_start)
    offered = Cat(stream.tdata, stream.tlast, dut.tdest)
    contract.claim("stays", stays(m, stream.tvalid, ready, offered))
    contract.claim("kept", ~stream.tvalid | stream.tkeep.all())

    # Any one word.
    count = Signal(range(rows + 1))  # words that are there
    written = length - open_words  # of the packet that was begun
    m.d.sync += count.eq(count + push - taken - Mux(removes, written, 0))
    arm, here, gone = contract.anything("arm"), Signal(), Signal()
    ahead, its_last, its_dest = Signal(range(rows + 1)), Signal(), Signal.like(dut.tdest)
    dest, kept, its_open = Signal.like(dut.tdest), Signal(len(BITS)), Signal()
    with m.If(begin):
        m.d.sync += dest.eq(head.destination)

    def followed(word: Value) -> Value:
        return Cat(word[bit] for bit in BITS)

    armed = contract.see("armed", arm & push & ~here & ~gone)
    with m.If(armed):
        m.d.sync += [
            *(here.eq(1), ahead.eq(count - taken), its_last.eq(open_words == 1)),
            *(its_dest.eq(dest), kept.eq(followed(value)), its_open.eq(~completes)),
        ]
    with m.Elif(here):
        with m.If(taken):
            m.d.sync += [ahead.eq(ahead - 1), here.eq(ahead != 0), gone.eq(ahead == 0)]
        with m.If(completes):
            m.d.sync += its_open.eq(0)
        with m.If(removes & its_open):
            m.d.sync += here.eq(0)
    front = contract.see("front", stream.tvalid & here & (ahead == 0))
    contract.claim("word", ~front | (followed(stream.tdata) == kept))
    contract.claim("last", ~front | (stream.tlast == its_last))
    contract.claim("dest", ~front | (dut.tdest == its_dest))
    return contract
