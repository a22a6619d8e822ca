"""From registers to AXI4-Stream, a packet when it is complete."""

from collections.abc import Collection
from typing import Any

from amaranth import Const, Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.golden.terminal.mailbox import LENGTH_BITS, SEND, WORD_BITS
from fingerpost.hdl.bus.axi_stream import AxiStreamSignature
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
            {
                "value": In(WORD_BITS),
                "begin": In(1),
                "push": In(1),
                "abort": In(1),
                "length": Out(1),
                "destination": Out(1),
                "full": Out(1),
                "open": Out(bits(limit + 1)),
                "free": Out(bits(rows + 1)),
                "stream": Out(AxiStreamSignature(WORD_BITS, user=1)),
                "tdest": Out(SEND["destination"].width),
            }
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
