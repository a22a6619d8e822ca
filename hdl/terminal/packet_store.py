"""Store-and-forward at a terminal; in golden it is a part of flow_sender."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.golden.terminal.flow_layout import FlowControl, FlowLayout
from fingerpost.hdl.bus.axi import AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.lib.memory import NO_RW_CHECK


def packet_layout(layout: FlowLayout) -> data.StructLayout:
    """Return what is kept of a packet beside its beats."""
    return data.StructLayout({"dest": layout.number, "length": layout.length})


def last_byte(stream: Any) -> Value:
    """Return the highest byte in use of the last beat of a packet; tkeep counts there only."""
    highest: Value = Const(0, bits(len(stream.tkeep)))
    for byte in range(1, len(stream.tkeep)):
        highest = Mux(stream.tlast & stream.tkeep[byte], byte, highest)
    return highest


class PacketStore(Component):
    """Keep packets in slots, in block RAM; tell when a packet is complete.

    A packet of more than `packet_limit` beats is dropped whole: it is taken up to its tlast, and
    the next one takes its slot.

    Parameters
    ----------
    layout : FlowLayout
    flow : FlowControl

    Members
    -------
    stream : ``In(AxiStreamSignature)``
    dest : ``In``                          Destination of the packet, with its first beat.
    slot : ``In``                          Slot into which beats are written.
    enable : ``In(1)``                     It is free.
    complete : ``Out(1)``                  The last beat of a packet is taken in this cycle.
    packet : ``Out(packet_layout)``        That packet.
    dropped : ``Out(1)``                   A packet turns out to be too long in this cycle.
    read_slot, read_index, read : ``In``   Beat to read; not one that is written in this cycle.
    beat : ``Out``                         That beat, from the next cycle on, as a body flit has it.
    """

    def __init__(self, layout: FlowLayout, flow: FlowControl) -> None:
        self.layout, self.flow = layout, flow
        super().__init__(
            stream=In(AxiStreamSignature(layout.data_width, user=1)),
            dest=In(layout.number),
            slot=In(bits(flow.slots)),
            enable=In(1),
            complete=Out(1),
            packet=Out(packet_layout(layout)),
            dropped=Out(1),
            read_slot=In(bits(flow.slots)),
            read_index=In(bits(flow.packet_limit)),
            read=In(1),
            beat=Out(layout.body.width),
        )

    def elaborate(self, platform: object) -> Module:
        """Write the beats of a packet one after the other; read any."""
        m = Module()
        stream, limit = self.stream, self.flow.packet_limit
        index = len(self.read_index)
        depth = self.flow.slots << (0 if limit == 1 else index)
        rows: Memory = Memory(shape=self.layout.body.width, depth=depth, init=[], attrs=NO_RW_CHECK)
        m.submodules.rows = rows
        write, read = rows.write_port(), rows.read_port()
        beat: Any = data.View(struct(self.layout.body), write.data)
        m.d.comb += [beat.data.eq(stream.tdata), beat.error.eq(stream.tuser & stream.tlast)]
        if self.layout.bytes > 1:
            m.d.comb += beat.last_byte.eq(last_byte(stream))

        filled = Signal(range(limit + 1))  # beats of the packet that is not complete
        dest, dropping, take = Signal.like(self.dest), Signal(), Signal()
        m.d.comb += [
            stream.tready.eq(dropping | self.enable),
            take.eq(stream.tvalid & stream.tready & ~dropping),
            self.dropped.eq(take & (filled == limit)),
            write.en.eq(take & (filled != limit)),
            self.complete.eq(write.en & stream.tlast),
            self.packet.dest.eq(Mux(filled == 0, self.dest, dest)),
            self.packet.length.eq(filled + 1),
            read.en.eq(self.read),
            self.beat.eq(read.data),
        ]
        if limit == 1:
            m.d.comb += [write.addr.eq(self.slot), read.addr.eq(self.read_slot)]
        else:
            m.d.comb += [
                write.addr.eq(Cat(filled[:index], self.slot)),
                read.addr.eq(Cat(self.read_index, self.read_slot)),
            ]
        with m.If(take):
            m.d.sync += filled.eq(Mux(self.complete | self.dropped, 0, filled + 1))
            with m.If(filled == 0):
                m.d.sync += dest.eq(self.dest)
        with m.If(stream.tvalid & stream.tready):
            m.d.sync += dropping.eq((dropping | self.dropped) & ~stream.tlast)
        return m
