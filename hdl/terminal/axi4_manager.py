"""The side of an AXI4 terminal to which a manager is connected: its reads, its writes, and both."""

from typing import Any, ClassVar

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.golden.header import bits
from fingerpost.golden.terminal.memory_map import MemoryMap
from fingerpost.golden.terminal.transaction import DECERR, LONGEST_BURST, TransactionLayout
from fingerpost.hdl.bus.axi import Axi4Signature, AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.lib.memory import NO_RW_CHECK
from fingerpost.hdl.terminal.axi4_requests import Request, at, table
from fingerpost.hdl.terminal.packet_queue import PacketMerge, PacketQueue


def response_layout(layout: TransactionLayout) -> data.StructLayout:
    """Return what a response brings in a cycle: all bits of a beat of data."""
    return data.StructLayout(
        {"write": 1, "tag": layout.tag, "resp": 2, "data": layout.data_width, "last": 1}
    )


class _Half(Component):
    """What the side of the reads and that of the writes have: requests go out, responses come in.

    Parameters
    ----------
    layout : TransactionLayout
    bus : Axi4Signature
        The manager.
    map : MemoryMap
    rows : int
        See each.

    Members
    -------
    axi : ``In(bus)``                       Channels of `channels`.
    request : ``Out(AxiStreamSignature)``   Packets, and where they go.
    dest : ``Out(number)``
    valid : ``In(1)``                       There is a beat of a response; it is always taken.
    response : ``In(response_layout)``
    """

    channels: ClassVar[tuple[str, ...]]

    def __init__(
        self, layout: TransactionLayout, bus: Axi4Signature, map: MemoryMap, *, rows: int
    ) -> None:
        self.layout, self.bus, self.map, self.rows = layout, bus.only(*self.channels), map, rows
        super().__init__(
            axi=In(self.bus),
            request=Out(AxiStreamSignature(layout.width, user=1)),
            dest=Out(bits(map.nodes)),
            valid=In(1),
            response=In(response_layout(layout)),
        )


class ReadManager(_Half):
    """Send the reads of a manager, and hand it what they read in the order of its requests.

    A read is sent when there are rows for all that it reads. The rows of reads follow each other in
    a ring, so those that are handed out next are at one pointer; where a response is written tells
    its tag.

    Parameters
    ----------
    rows : int
        Beats of data that can be held, a power of two; with AXI4-Lite as many as reads in flight.
    """

    channels = "ar", "r"

    def elaborate(self, platform: object) -> Module:
        """Reserve rows, send; write what comes, and hand out what is at the pointer."""
        m = Module()
        axi, layout, count = self.axi, self.layout, self.layout.outstanding
        request = Request(m, layout, self.bus, axi, "ar", self.map)

        issued, head = Signal(range(2 * count)), Signal(range(2 * count))
        tag, oldest = issued[:-1], head[:-1]
        some = issued ^ head != count  # tags are free
        issues, fits, fetches, retires, last = (
            Signal(name=name) for name in ("issues", "fits", "fetches", "retires", "last")
        )
        out = self.request
        beat, last_beat = request.beat(m, tag, out.tvalid & out.tready)
        m.d.comb += [
            axi.arready.eq(~request.held | issues),
            issues.eq(request.ready & (~request.known | (out.tready & last_beat))),
            out.tvalid.eq(request.ready & request.known),
            out.tdata.eq(beat),
            out.tlast.eq(last_beat),
            self.dest.eq(request.node),
        ]
        m.d.sync += [issued.eq(issued + issues), head.eq(head + retires)]
        request.step(m, issues, fits)

        # Rows are written as responses come, and read in the order of the tags.
        memory: Memory = Memory(
            shape=data.StructLayout({"resp": 2, "data": layout.data_width}),
            depth=self.rows,
            init=[],
            attrs=NO_RW_CHECK,
        )
        m.submodules.rows = memory
        write, read = memory.write_port(), memory.read_port()
        complete = Signal(count)
        error, there = Signal(), Signal()  # of what is handed out; there is something to fetch
        ends = at(self.response.tag, count, self.valid & self.response.last)
        stays = ~at(oldest, count, retires)
        length, id_width = request.word.length, self.bus.id_width
        about = Cat(request.known, request.id, length[: 0 if self.bus.lite else None])
        asked = table(m, "requests", count, issues, tag, about, oldest)
        known = asked[0]
        m.d.comb += [
            write.en.eq(self.valid),
            write.data.resp.eq(self.response.resp),
            write.data.data.eq(self.response.data),
            fetches.eq((issued != head) & there & (~axi.rvalid | axi.rready)),
            retires.eq(fetches & last),
            read.en.eq(fetches),
            axi.rdata.eq(read.data.data),
            axi.rresp.eq(Mux(error, DECERR, read.data.resp)),
        ]
        m.d.sync += complete.eq((complete & stays) | ends)
        with m.If(fetches):
            m.d.sync += [axi.rvalid.eq(1), error.eq(~known)]
        with m.Elif(axi.rready):
            m.d.sync += axi.rvalid.eq(0)
        done = complete.bit_select(oldest, 1) | ~known
        if self.bus.lite:  # the row of a read is its tag
            m.d.comb += [
                fits.eq(some),
                last.eq(1),
                there.eq(done),
                *(write.addr.eq(self.response.tag), read.addr.eq(oldest)),
            ]
            return m

        # What a read needs is reserved when it is sent.
        row, next_row, used = (
            Signal(range(2 * self.rows), name=name) for name in ("row", "next_row", "used")
        )
        first_row = table(m, "first_rows", count, issues, tag, next_row[:-1], self.response.tag)
        m.d.comb += [
            read.addr.eq(row[:-1]),
            used.eq(next_row - row),
            fits.eq(some & (used + length < self.rows)),
        ]
        m.d.sync += row.eq(row + fetches)
        with m.If(issues):
            m.d.sync += next_row.eq(next_row + length + 1)

        # A response of several beats is handed out as it comes.
        arriving = Signal(layout.tag)  # of the last response
        arrived = Signal(range(LONGEST_BURST + 1))  # beats of one that is not complete
        fetched = Signal(8)
        m.d.comb += [
            write.addr.eq(first_row + arrived),
            there.eq(done | ((arriving == oldest) & (fetched != arrived))),
            last.eq(fetched == asked[1 + id_width :]),
        ]
        with m.If(self.valid):
            m.d.sync += [
                arriving.eq(self.response.tag),
                arrived.eq(Mux(self.response.last, 0, arrived + 1)),
            ]
        with m.If(fetches):
            m.d.sync += [
                fetched.eq(Mux(last, 0, fetched + 1)),
                *(axi.rid.eq(asked[1:][:id_width]), axi.rlast.eq(last)),
            ]
        return m


class WriteManager(_Half):
    """Send the writes of a manager when they are complete; answer in the order of its requests.

    Data is accepted behind its address, as many beats as that announces. With AXI4-Lite it waits at
    the manager, and so needs no queue.

    Parameters
    ----------
    rows : int
        Beats of the network that can wait, a power of two; of no meaning with AXI4-Lite.
    """

    channels = "aw", "w", "b"

    def elaborate(self, platform: object) -> Module:
        """Queue request and data, as one packet."""
        m = Module()
        axi, layout, count = self.axi, self.layout, self.layout.outstanding
        number = bits(self.map.nodes)
        request = Request(m, layout, self.bus, axi, "aw", self.map)
        source, dest, complete = self.request, self.dest, axi.wvalid
        if not self.bus.lite:
            queue = PacketQueue(width=layout.width, number=number, depth=self.rows)
            m.submodules.queue = queue
            source, dest, complete = queue.source, queue.dest, Const(1)
            connect(m, queue.stream, flipped(self.request))
            m.d.comb += self.dest.eq(queue.tdest)

        issued, head = Signal(range(2 * count)), Signal(range(2 * count))
        tag, oldest = issued[:-1], head[:-1]
        opens, begins, data, ends, retires = (
            Signal(name=name) for name in ("opens", "begins", "data", "ends", "retires")
        )
        beat, last_beat = request.beat(m, tag, opens & source.tready)
        m.d.comb += [
            axi.awready.eq(~request.held & (issued ^ head != count)),
            opens.eq(request.ready & ~data & request.known & complete),
            begins.eq(
                request.ready & ~data & (~request.known | (opens & source.tready & last_beat))
            ),
            dest.eq(request.node),
        ]

        # Beats of data, each one of the network or two, behind those of the request.
        beats, part = Signal(0 if self.bus.lite else 8), Signal(range(layout.parts))
        last = beats == request.word.length[: len(beats)]
        low = Signal()  # more parts of this beat follow
        m.d.comb += low.eq(part != layout.parts - 1)
        passes = Signal()
        size = layout.flit_data
        m.d.comb += [
            passes.eq(data & request.known & source.tready),
            source.tvalid.eq(opens | (data & request.known & axi.wvalid)),
            source.tlast.eq(data & last & ~low),
            source.tdata.eq(
                Mux(
                    opens,
                    beat,
                    Cat(axi.wstrb.word_select(part, size // 8), axi.wdata.word_select(part, size)),
                )
            ),
            axi.wready.eq(data & (~request.known | (passes & ~low))),
            ends.eq(axi.wvalid & axi.wready & last),
        ]
        with m.If(axi.wvalid & axi.wready):
            m.d.sync += [part.eq(0), beats.eq(Mux(last, 0, beats + 1))]
        with m.Elif(axi.wvalid & passes):
            m.d.sync += part.eq(part + 1)
        m.d.sync += [
            data.eq(begins | (data & ~ends)),
            issued.eq(issued + ends),
            head.eq(head + retires),
        ]
        request.step(m, ends, Const(1))

        # Responses wait for those before them.
        done, about = Signal(count), Cat(request.known, request.id)
        asked = table(m, "requests", count, ends, tag, about, oldest)
        known = asked[0]
        resp = table(
            m, "responses", count, self.valid, self.response.tag, self.response.resp, oldest
        )
        comes = at(self.response.tag, count, self.valid)
        stays = ~at(oldest, count, retires)
        m.d.comb += retires.eq(
            (issued != head) & (done.bit_select(oldest, 1) | ~known) & (~axi.bvalid | axi.bready)
        )
        m.d.sync += done.eq((done & stays) | comes)
        with m.If(retires):
            m.d.sync += axi.bvalid.eq(1)
            m.d.sync += axi.bresp.eq(Mux(known, resp, DECERR))
            if not self.bus.lite:
                m.d.sync += axi.bid.eq(asked[1:])
        with m.Elif(axi.bready):
            m.d.sync += axi.bvalid.eq(0)
        return m


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
            axi=In(bus),
            requests=Out(AxiStreamSignature(layout.width, user=1)),
            dest=Out(number),
            responses=In(AxiStreamSignature(layout.width, user=number + 1)),
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
