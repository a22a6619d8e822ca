"""Messages of OS-Link terminals, and words of mailboxes, as packets of beats and back."""

from typing import Any

from amaranth import Cat, Mux, Signal
from amaranth.lib import data

from fingerpost.formal.contract import Armed, Contract, about, at_most_one, past, stays
from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.golden.terminal.mailbox import RECEIVED, SEND
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.terminal.mailbox_streams import MailboxReceiver, MailboxSender
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
    layout = AxiLayout(data_width=16, peers=3, header=2)
    contract, m, dut = about(MessageReceiver(layout, timeout=timeout))
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
    layout = AxiLayout(data_width=8 * BYTES, peers=3, header=2)
    contract, m, dut = about(MessageSender(layout, longest=longest, timeout=timeout))
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
    contract, m, dut = about(MailboxReceiver(rows, limit=limit, number=NUMBER, most=MOST))
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
    contract, m, dut = about(MailboxSender(rows, limit=limit, known=KNOWN))
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
