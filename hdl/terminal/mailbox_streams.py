"""From the registers of a mailbox to AXI4-Stream, and back: a packet when it is complete."""

from collections.abc import Collection
from typing import Any

from amaranth import Const, Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.golden.terminal.mailbox import LENGTH_BITS, RECEIVED, SEND, TOTAL, WORD_BITS
from fingerpost.hdl.bus.axi import AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.lib.memory import NO_RW_CHECK


class MailboxSender(Component):
    """Keep packets until they are complete, then send them.

    A packet is begun with its destination and length, and reserves its rows: one for these, one
    for each word. So every word that is written later has room. When the last word has been
    written, the packet is sent without a pause of its own; an incomplete one never is.

    Parameters
    ----------
    rows : int
        A power of two above `limit`.
    limit : int
        Words of the longest packet.
    known : collection of int
        Nodes that have a terminal.

    Members
    -------
    value : ``In(32)``                      What is written.
    begin, push, abort : ``In(1)``          It is written to send, to send_data; an incomplete
                                            packet is removed. At most one, and none that is wrong.
    length, destination, full : ``Out(1)``  What is wrong with `value` if it begins a packet.
    open, free : ``Out``                    Words still to be written, of the packet that was
                                            begun; rows that are free.
    stream : ``Out(AxiStreamSignature)``    Complete packets.
    tdest : ``Out(16)``                     Where the packet goes.
    """

    def __init__(self, rows: int, *, limit: int, known: Collection[int]) -> None:
        self.rows, self.limit, self.known = rows, limit, known
        super().__init__(
            value=In(WORD_BITS),
            begin=In(1),
            push=In(1),
            abort=In(1),
            length=Out(1),
            destination=Out(1),
            full=Out(1),
            open=Out(bits(limit + 1)),
            free=Out(bits(rows + 1)),
            stream=Out(AxiStreamSignature(WORD_BITS, user=1)),
            tdest=Out(SEND["destination"].width),
        )

    def elaborate(self, platform: object) -> Module:
        """Write rows, and read the one that is at the front in the next cycle."""
        m = Module()
        stream = self.stream
        free = Signal(range(self.rows + 1), init=self.rows)
        head: Any = data.View(struct(SEND), self.value[: SEND.width])
        mask = Const(sum(1 << node for node in self.known), max(self.known) + 1)
        m.d.comb += [
            self.length.eq(
                self.value[SEND.width :].any() | (head.length == 0) | (head.length > self.limit)
            ),
            self.destination.eq(~mask.bit_select(head.destination, 1)),
            self.full.eq(~self.length & (self.open == 0) & (head.length >= free)),
            self.free.eq(free),
        ]

        rows: Memory = Memory(shape=WORD_BITS, depth=self.rows, init=[], attrs=NO_RW_CHECK)
        m.submodules.rows = rows
        write, read = rows.write_port(), rows.read_port()
        write_ptr = Signal(range(self.rows))
        read_ptr, next_read_ptr = Signal(range(self.rows)), Signal(range(self.rows))
        reserved = Signal(LENGTH_BITS)  # rows of the packet that was begun
        packets, remaining = Signal(range(self.rows // 2 + 1)), Signal.like(self.open)
        front: Any = data.View(struct(SEND), read.data[: SEND.width])
        taken, loads, completes, removes = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            stream.tvalid.eq(remaining != 0),
            stream.tdata.eq(read.data),
            stream.tkeep.eq(~0),
            stream.tlast.eq(remaining == 1),
            taken.eq(stream.tvalid & stream.tready),
            loads.eq(~stream.tvalid & (packets != 0)),
            next_read_ptr.eq(read_ptr + (taken | loads)),
            read.addr.eq(next_read_ptr),
            write.addr.eq(write_ptr),
            write.data.eq(self.value),
            write.en.eq(self.begin | self.push),
            completes.eq(self.push & (self.open == 1)),
            removes.eq(self.abort & (self.open != 0)),
        ]
        removed_rows = Mux(removes, reserved - self.open, 0)
        m.d.sync += [
            read_ptr.eq(next_read_ptr),
            packets.eq(packets + completes - loads),
            remaining.eq(Mux(loads, front.length, remaining - taken)),
            write_ptr.eq(write_ptr + (self.begin | self.push) - removed_rows),
            free.eq(
                free
                + (taken | loads)
                + Mux(removes, reserved, 0)
                - Mux(self.begin, head.length + 1, 0)
            ),
        ]
        with m.If(loads):
            m.d.sync += self.tdest.eq(front.destination)
        with m.If(self.begin):
            m.d.sync += [self.open.eq(head.length), reserved.eq(head.length + 1)]
        with m.Elif(removes):
            m.d.sync += self.open.eq(0)
        with m.Elif(self.push):
            m.d.sync += self.open.eq(self.open - 1)
        return m


class MailboxReceiver(Component):
    """Keep packets until software has read them.

    A packet is taken when there is room for a longest one, so it is then taken without a pause.
    It is shown when it is complete. Words beyond `limit` are dropped, with the error mark: a
    stream that a fault has joined stops nothing.

    Parameters
    ----------
    rows : int
        A power of two above `limit`.
    limit : int
        Words of the longest packet.
    number : int
        Bits of the number of a node.
    most : int
        Of a count, all ones, at which it stops.

    Members
    -------
    stream : ``In(AxiStreamSignature)``     `tuser` is the source above the error mark.
    valid, received, left : ``Out``         There is a packet; what is told of it; words of it that
                                            have not been read.
    front : ``Out(32)``                     The next one.
    take, discard : ``In(1)``               It is read; the rest of its packet is removed. Only
                                            while `valid`; `take` is stronger at the last word.
    bad : ``Out(16)``                       Packets with an error.
    """

    def __init__(self, rows: int, *, limit: int, number: int, most: int = TOTAL) -> None:
        self.rows, self.limit, self.number, self.most = rows, limit, number, most
        super().__init__(
            stream=In(AxiStreamSignature(WORD_BITS, user=number + 1)),
            valid=Out(1),
            received=Out(WORD_BITS),
            left=Out(bits(limit + 1)),
            front=Out(WORD_BITS),
            take=In(1),
            discard=In(1),
            bad=Out(bits(most + 1)),
        )

    def elaborate(self, platform: object) -> Module:
        """Write rows, and read the one that is at the front in the next cycle."""
        m = Module()
        rows: Memory = Memory(shape=WORD_BITS, depth=self.rows, init=[], attrs=NO_RW_CHECK)
        m.submodules.rows = rows
        write, read = rows.write_port(), rows.read_port()
        used = Signal(range(self.rows + 1))
        closed, written, removed = Signal(), Signal(), Signal.like(self.left)
        loads = self._hand_over(m, read, closed, removed)
        self._take(m, write, used, closed, written)
        m.d.sync += used.eq(used + written - removed - loads)
        return m

    def _take(self, m: Module, write: Any, used: Signal, closed: Signal, written: Signal) -> None:
        """Write the words of a packet as they come, and its first row at the end."""
        stream = self.stream
        head_ptr = Signal(range(self.rows))
        write_ptr = Signal(range(self.rows), init=1)
        count = Signal.like(self.left)  # words of the packet that arrives
        middle, error, closing = Signal(), Signal(), Signal()
        source, fits, taken = Signal(self.number), Signal(), Signal()
        head: Any = data.View(struct(RECEIVED), Signal(WORD_BITS, name="head"))
        m.d.comb += [
            stream.tready.eq(~closing & (middle | (used <= self.rows - self.limit - 1))),
            taken.eq(stream.tvalid & stream.tready),
            fits.eq(count != self.limit),
            head.source.eq(source),
            head.length.eq(count),
            head.error.eq(error),
            head.valid.eq(1),
            written.eq(closing | (taken & fits)),
            write.addr.eq(Mux(closing, head_ptr, write_ptr)),
            write.data.eq(Mux(closing, Value.cast(head), stream.tdata)),
            write.en.eq(written),
        ]
        m.d.sync += [closing.eq(taken & stream.tlast), closed.eq(closing)]
        with m.If(written):
            m.d.sync += write_ptr.eq(write_ptr + 1)
        with m.If(closing):
            m.d.sync += [head_ptr.eq(write_ptr), count.eq(0)]
            m.d.sync += self.bad.eq(self.bad + (error & (self.bad != self.most)))
        with m.If(taken):
            m.d.sync += [
                source.eq(stream.tuser[1:]),
                middle.eq(~stream.tlast),
                error.eq(stream.tlast & (stream.tuser[0] | ~fits)),
                count.eq(count + fits),
            ]

    def _hand_over(self, m: Module, read: Any, closed: Signal, removed: Signal) -> Signal:
        """Read the first row of a packet, then its words; return whether that is read."""
        read_ptr, next_read_ptr = Signal(range(self.rows)), Signal(range(self.rows))
        packets, loads = Signal(range(self.rows // 2 + 1)), Signal()
        front: Any = data.View(struct(RECEIVED), read.data)
        m.d.comb += [
            self.valid.eq(self.left != 0),
            self.front.eq(read.data),
            loads.eq(~self.valid & (packets != 0)),
            removed.eq(Mux(self.discard & ~(self.take & (self.left == 1)), self.left, self.take)),
            next_read_ptr.eq(read_ptr + removed + loads),
            read.addr.eq(next_read_ptr),
        ]
        m.d.sync += [
            read_ptr.eq(next_read_ptr),
            packets.eq(packets + closed - loads),
            self.left.eq(Mux(loads, front.length, self.left - removed)),
        ]
        with m.If(loads):
            m.d.sync += self.received.eq(Value.cast(front))
        return loads
