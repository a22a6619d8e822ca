"""Mailboxes between registers and flits, both ways."""

from typing import Any

from amaranth import Cat, Mux, Signal
from amaranth.lib import data

from fingerpost.formal.contract import Armed, Contract, at_most_one, past, stays
from fingerpost.golden.terminal.mailbox import RECEIVED, SEND
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.terminal.mailbox_streams import MailboxReceiver, MailboxSender

NUMBER = 2
"""Bits of the number of a node."""

MOST = 3
"""At which counts stop here: so that the stop is reached."""

KNOWN = 0, 2


def mailbox_receiver(*, rows: int, limit: int) -> Contract:
    """Return what the receiver promises of any packets, and of reads while there is one.

    It takes a packet without a pause, and begins one whenever there is room for a longest packet. A
    packet is told within four cycles after its last beat, in the order of arrival, with its source,
    its length and whether it is bad: marked so, or longer than `limit`. Any one of its
    first `limit` words is read in its place, unless it is discarded. No other word is.
    """
    contract = Contract()
    m = contract.m
    m.submodules.dut = dut = MailboxReceiver(rows, limit=limit, number=NUMBER, most=MOST)
    stream = dut.stream
    contract.free(stream, "tvalid", "tdata", "tlast", "tuser")
    take, discard = contract.free(dut, "take", "discard")
    valid, ready = contract.see("valid", dut.valid), contract.see("tready", stream.tready)
    left = contract.see("left", dut.left)
    told: Any = data.View(struct(RECEIVED), dut.received)
    contract.assume(valid | ~(take | discard))
    taken = contract.see("taken", stream.tvalid & ready)

    # The packet that arrives.
    inside, count = Signal(), Signal(range(limit + 1))
    fits = count != limit
    ends = taken & stream.tlast
    length = Signal(range(limit + 1))
    bad = Signal()
    m.d.comb += [length.eq(count + fits), bad.eq(stream.tuser[0] | ~fits)]
    with m.If(taken):
        m.d.sync += [inside.eq(~stream.tlast), count.eq(Mux(stream.tlast, 0, length))]
    contract.claim("no_pause", ready | ~inside)

    # Words and packets that are there, with those that have not arrived whole.
    removed = Mux(discard & ~(take & (left == 1)), left, take)
    finished = valid & (left == removed)
    words, packets = Signal(range(rows + 1)), Signal(range(rows + 1))
    m.d.sync += [
        words.eq(words + (taken & fits) - removed),
        packets.eq(packets + ends - finished),
    ]
    used = words + packets - valid  # a packet that is told needs no row but for its words
    has_room = used + 1 + limit <= rows
    contract.claim("ready", ready | inside | ~has_room)
    contract.claim("some", ~valid | (packets != 0))
    waits, waited = (packets != 0) & ~valid, Signal(3)  # a thermometer
    m.d.sync += waited.eq(Mux(waits, Cat(1, waited[:2]), 0))
    contract.claim("soon", ~(waits & waited.all()))
    # None is written over.
    contract.claim("room", used <= rows)

    # Any one packet, from its end.
    packet = Armed(contract, ends, finished, packets, name="packet_")
    its = packet.keep("its", Cat(length, stream.tuser[1:], bad))
    front = contract.see("front", valid & packet.front)
    said = Cat(told.length[: len(length)], told.source[:NUMBER], told.error)
    rest = Cat(told.length[len(length) :], told.source[NUMBER:])
    contract.claim("told", ~front | ((said == its) & ~rest.any() & told.valid))
    begun = Signal()  # a word of the packet at the front has been read
    m.d.sync += begun.eq(Mux(finished, 0, begun | take))
    contract.claim("left", ~(front & ~begun) | (left == told.length))
    if limit > 1:  # else a packet goes with its first word
        kept_left = past(m, (left - removed)[: len(left)])
        contract.claim("counts_down", ~begun | (left == kept_left))

    # Any one bit of any one word.
    word, bit = Armed(contract, taken & fits, removed, words), contract.constant("bit", 5)
    kept = word.keep("kept", stream.tdata.bit_select(bit, 1))
    contract.claim("word", ~(valid & word.front) | (dut.front.bit_select(bit, 1) == kept))

    # Packets with an error are counted when they are told.
    total, late = Signal(range(MOST + 1)), Signal()
    m.d.sync += [late.eq(ends & bad), total.eq(total + (late & (total != MOST)))]
    contract.claim("bad", dut.bad == total)
    return contract


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

    # Any one bit of any one word.
    count = Signal(range(rows + 1))  # words that are there
    written = length - open_words  # of the packet that was begun
    m.d.sync += count.eq(count + push - taken - Mux(removes, written, 0))
    dest, its_open = Signal.like(dut.tdest), Signal()
    with m.If(begin):
        m.d.sync += dest.eq(head.destination)
    word, bit = Armed(contract, push, taken, count), contract.constant("bit", 5)
    kept = word.keep("kept", value.bit_select(bit, 1))
    its_last, its_dest = word.keep("its_last", open_words == 1), word.keep("its_dest", dest)
    m.d.sync += its_open.eq((word.now | its_open) & ~completes)
    with m.If(removes & its_open):
        m.d.sync += word.here.eq(0)
    front = contract.see("front", stream.tvalid & word.front)
    contract.claim("word", ~front | (stream.tdata.bit_select(bit, 1) == kept))
    contract.claim("last", ~front | (stream.tlast == its_last))
    contract.claim("dest", ~front | (dut.tdest == its_dest))
    return contract
