"""The side of an AXI4 terminal to which a manager is connected."""

from typing import Any

from amaranth import Module, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.golden.header import bits
from fingerpost.golden.terminal.memory_map import MemoryMap
from fingerpost.golden.terminal.transaction import TransactionLayout
from fingerpost.hdl.bus.axi4 import Axi4Signature
from fingerpost.hdl.bus.axi_stream import AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.terminal.axi4_reads import ReadManager, response_layout
from fingerpost.hdl.terminal.axi4_writes import WriteManager
from fingerpost.hdl.terminal.packet_merge import PacketMerge


class Axi4Manager(Component):
    """Send the requests of a manager, and hand it the responses in the order of its requests.

    A read is sent when there are rows for all that it reads, a write when its data is complete. So
    `responses` are always taken, and no packet pauses. An address without a node is answered with
    DECERR, and nothing is sent. Reads are in order among themselves, and so are writes, whatever
    their IDs.

    Parameters
    ----------
    layout : TransactionLayout
    bus : Axi4Signature
        The manager.
    map : MemoryMap
    rows : int
        Beats of data that can be held of reads, and of writes; a power of two. With AXI4-Lite as
        many as reads in flight.

    Members
    -------
    axi : ``In(bus)``
    requests : ``Out(AxiStreamSignature)``    Packets to subordinate sides, and where they go.
    dest : ``Out(number)``
    responses : ``In(AxiStreamSignature)``    Packets from there; always ready.
    """

    def __init__(
        self, layout: TransactionLayout, bus: Axi4Signature, map: MemoryMap, *, rows: int
    ) -> None:
        self.layout, self.bus, self.map, self.rows = layout, bus, map, rows
        number = bits(map.nodes)
        super().__init__(
            {
                "axi": In(bus),
                "requests": Out(AxiStreamSignature(layout.width, user=1)),
                "dest": Out(number),
                "responses": In(AxiStreamSignature(layout.width, user=number + 1)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Join reads and writes with both streams."""
        m = Module()
        layout, map = self.layout, self.map
        m.submodules.reads = reads = ReadManager(layout, self.bus, map, rows=self.rows)
        m.submodules.writes = writes = WriteManager(
            layout, self.bus, map, rows=self.rows * layout.parts
        )
        for side in (reads, writes):
            connect_channels(m, self.axi, side.axi)
        m.submodules.merge = merge = PacketMerge(width=layout.width, number=len(self.dest))
        connect(m, reads.request, merge.first)
        connect(m, writes.request, merge.second)
        connect(m, merge.stream, flipped(self.requests))
        m.d.comb += [
            merge.first_dest.eq(reads.dest),
            merge.second_dest.eq(writes.dest),
            self.dest.eq(merge.tdest),
        ]
        self._receive(m, reads, writes)
        return m

    def _receive(self, m: Module, reads: ReadManager, writes: WriteManager) -> None:
        """Put beats of data together, and keep them for a cycle."""
        layout, responses = self.layout, self.responses
        beat: Any = data.View(struct(layout.response), responses.tdata[: layout.response.width])
        valid = Signal()
        response: Any = Signal(response_layout(layout))
        m.d.comb += responses.tready.eq(1)
        m.d.sync += [
            valid.eq(responses.tvalid),
            *(response[name].eq(beat[name]) for name in ("write", "tag", "resp")),
            response.last.eq(responses.tlast),
        ]
        if layout.parts == 1:
            m.d.sync += response.data.eq(beat.data)
        else:
            high, half = Signal(), layout.flit_data
            with m.If(responses.tvalid):
                m.d.sync += [
                    high.eq(~high & ~beat.write),
                    valid.eq(high | beat.write),
                    response.data.eq(response.data >> half),
                    response.data[half:].eq(beat.data),
                ]
        for side, wanted in ((reads, ~response.write), (writes, response.write)):
            m.d.comb += [side.valid.eq(valid & wanted), side.response.eq(response)]


def connect_channels(m: Module, outer: Any, inner: Any) -> None:
    """Connect the channels that a side inside has with those of the port."""
    for name, member in inner.signature.members.items():
        mine, theirs = getattr(inner, name), getattr(outer, name)
        m.d.comb += theirs.eq(mine) if member.flow == Out else mine.eq(theirs)
