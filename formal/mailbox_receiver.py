"""A mailbox's packets that have arrived: each is told once, complete, and its words are kept."""

from typing import Any

from amaranth import Cat, Mux, Signal, Value
from amaranth.lib import data

from fingerpost.formal.contract import Contract, past
from fingerpost.golden.terminal.mailbox_layout import RECEIVED
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.terminal.mailbox_receiver import MailboxReceiver

__all__ = ["mailbox_receiver"]

NUMBER = 2
"""Bits of the number of a node."""

MOST = 3
"""At which counts stop here: so that the stop is reached."""

BITS = 0, RECEIVED["error"].offset
"""Bits of a word that are followed. Hardware treats all alike."""


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
    arm, here, gone = contract.anything("arm"), Signal(), Signal()
    ahead, its = Signal(range(rows + 1)), Signal(len(length) + NUMBER + 1)
    now = Cat(length, stream.tuser[1:], bad)
    with m.If(arm & ends & ~here & ~gone):
        m.d.sync += [here.eq(1), ahead.eq(packets - finished), its.eq(now)]
    with m.Elif(here & finished):
        m.d.sync += [ahead.eq(ahead - 1), here.eq(ahead != 0), gone.eq(ahead == 0)]
    front = contract.see("front", valid & here & (ahead == 0))
    said = Cat(told.length[: len(length)], told.source[:NUMBER], told.error)
    rest = Cat(told.length[len(length) :], told.source[NUMBER:])
    contract.claim("told", ~front | ((said == its) & ~rest.any() & told.valid))
    begun = Signal()  # a word of the packet at the front has been read
    m.d.sync += begun.eq(Mux(finished, 0, begun | take))
    contract.claim("left", ~(front & ~begun) | (left == told.length))
    kept_left = past(m, (left - removed)[: len(left)])
    contract.claim("counts_down", ~begun | (left == kept_left))

    # Any one word.
    arm_word, word_here, word_gone = contract.anything("arm_word"), Signal(), Signal()
    before, kept = Signal(range(rows + 1)), Signal(len(BITS))

    def followed(word: Value) -> Value:
        return Cat(word[bit] for bit in BITS)

    with m.If(arm_word & taken & fits & ~word_here & ~word_gone):
        m.d.sync += [
            *(word_here.eq(1), before.eq(words - removed)),
            kept.eq(followed(stream.tdata)),
        ]
    with m.Elif(word_here):
        m.d.sync += [
            before.eq(before - removed),
            word_here.eq(before >= removed),
            word_gone.eq(before < removed),
        ]
    next_word = contract.see("next_word", valid & word_here & (before == 0))
    contract.claim("word", ~next_word | (followed(dut.front) == kept))

    # Packets with an error are counted when they are told.
    total, late = Signal(range(MOST + 1)), Signal()
    m.d.sync += [late.eq(ends & bad), total.eq(total + (late & (total != MOST)))]
    contract.claim("bad", dut.bad == total)
    return contract
