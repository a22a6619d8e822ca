"""Store-and-forward at a terminal; the twin of fingerpost.golden.terminal.packet_store."""

from typing import Any

from amaranth import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fingerpost.golden.terminal.flow_layout import FlowControl, FlowLayout
from fingerpost.hdl.bus.axi_stream import AxiStreamSignature
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.terminal.axi_sender import last_byte

__all__ = ["PacketStore", "packet_layout"]


def packet_layout(layout: FlowLayout) -> data.StructLayout:
    """Return what is kept of a packet beside its beats."""
    return data.StructLayout({"dest": layout.number, "length": layout.length})


class PacketStore(wiring.Component):
    """Keep the beats of packets in a ring; tell when a packet is complete.

    A packet of more than `packet_limit` beats is dropped whole: the beats already stored are
    taken back, and the rest is taken up to its tlast.

    Parameters
    ----------
    layout : FlowLayout
    flow : FlowControl

    Members
    -------
    enable : ``In(1)``                    Beats may be taken.
    stream : ``In(AxiStreamSignature)``
    dest : ``In``                         Destination of the packet, with its first beat.
    complete : ``Out(1)``                 The last beat of a packet is taken in this cycle.
    packet : ``Out(packet_layout)``       That packet.
    dropped : ``Out(1)``                  A packet turns out to be too long in this cycle.
    beat : ``Out``                        The oldest beat, two cycles after it is taken at the
                                          earliest, in the layout of a body flit.
    pop : ``In(1)``                       It is sent.
    discard : ``In``                      Oldest beats to discard; not in a cycle of `pop`.
    """

    enable: Signal
    stream: Any
    dest: Signal
    complete: Signal
    packet: Any
    dropped: Signal
    beat: Signal
    pop: Signal
    discard: Signal

    def __init__(self, layout: FlowLayout, flow: FlowControl) -> None:
        self.layout, self.flow = layout, flow
        super().__init__(
            {
                "enable": In(1),
                "stream": In(AxiStreamSignature(layout.bytes, user=1)),
                "dest": In(layout.number),
                "complete": Out(1),
                "packet": Out(packet_layout(layout)),
                "dropped": Out(1),
                "beat": Out(layout.body.width),
                "pop": In(1),
                "discard": In(layout.length),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Write behind the last beat, and read the oldest one."""
        m = Module()
        flow, stream = self.flow, self.stream
        write_ptr, read_ptr, next_read_ptr = (
            Signal(range(flow.store), name=f"{name}_ptr") for name in ("write", "read", "next_read")
        )
        room = Signal(range(flow.store + 1), init=flow.store)
        filled = Signal(range(flow.packet_limit + 1))  # beats of the packet that is not complete
        dest, dropping = Signal.like(self.dest), Signal()

        rows: Memory = Memory(shape=self.layout.body.width, depth=flow.store, init=[])
        m.submodules.rows = rows
        write, read = rows.write_port(), rows.read_port()
        beat: Any = data.View(struct(self.layout.body), write.data)
        m.d.comb += [beat.data.eq(stream.tdata), beat.error.eq(stream.tuser & stream.tlast)]
        if self.layout.bytes > 1:
            m.d.comb += beat.last_byte.eq(last_byte(stream))

        take, too_long = Signal(), Signal()
        m.d.comb += [
            too_long.eq(filled == flow.packet_limit),
            stream.tready.eq(dropping | too_long | (self.enable & (room != 0))),
            take.eq(stream.tvalid & stream.tready & ~dropping),
            self.dropped.eq(take & too_long),
            self.complete.eq(take & ~too_long & stream.tlast),
            self.packet.dest.eq(Mux(filled == 0, self.dest, dest)),
            self.packet.length.eq(filled + 1),
            write.addr.eq(write_ptr),
            write.en.eq(take & ~too_long),
            next_read_ptr.eq(read_ptr + self.pop + self.discard),
            read.addr.eq(next_read_ptr),
            self.beat.eq(read.data),
        ]
        m.d.sync += [
            read_ptr.eq(next_read_ptr),
            room.eq(
                room - write.en + self.pop + self.discard + Mux(self.dropped, flow.packet_limit, 0)
            ),
        ]
        with m.If(write.en):
            m.d.sync += [filled.eq(filled + 1), write_ptr.eq(write_ptr + 1)]
        with m.If(self.dropped):
            m.d.sync += write_ptr.eq(write_ptr - flow.packet_limit)
        with m.If(self.complete | self.dropped):
            m.d.sync += filled.eq(0)
        with m.If(take & (filled == 0)):
            m.d.sync += dest.eq(self.dest)
        with m.If(stream.tvalid & stream.tready):
            m.d.sync += dropping.eq((dropping | self.dropped) & ~stream.tlast)
        return m
