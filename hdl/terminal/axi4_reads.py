"""Reads of a manager."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.golden.terminal.memory_map import MemoryMap
from fingerpost.golden.terminal.transaction import DECERR, LONGEST_BURST, TransactionLayout
from fingerpost.hdl.bus.axi4 import Axi4Signature
from fingerpost.hdl.bus.axi_stream import AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.memory import NO_RW_CHECK
from fingerpost.hdl.terminal.axi4_requests import Request, at, table


def response_layout(layout: TransactionLayout) -> data.StructLayout:
    """Return what a response brings in a cycle: all bits of a beat of data."""
    return data.StructLayout(
        {"write": 1, "tag": layout.tag, "resp": 2, "data": layout.data_width, "last": 1}
    )


class ReadManager(Component):
    """Send the reads of a manager, and hand it what they read in the order of its requests.

    A read is sent when there are rows for all that it reads. The rows of reads follow each other in
    a ring, so those that are handed out next are at one pointer; where a response is written tells
    its tag.

    Parameters
    ----------
    layout : TransactionLayout
    bus : Axi4Signature
        The manager.
    map : MemoryMap
    rows : int
        Beats of data that can be held, a power of two; with AXI4-Lite as many as reads in flight.

    Members
    -------
    axi : ``In(bus)``                       Channels AR and R.
    request : ``Out(AxiStreamSignature)``   Packets, and where they go.
    dest : ``Out(number)``
    valid : ``In(1)``                       There is a beat of a response; it is always taken.
    response : ``In(response_layout)``
    """

    def __init__(
        self, layout: TransactionLayout, bus: Axi4Signature, map: MemoryMap, *, rows: int
    ) -> None:
        self.layout, self.bus, self.map, self.rows = layout, bus.only("ar", "r"), map, rows
        super().__init__(
            {
                "axi": In(self.bus),
                "request": Out(AxiStreamSignature(layout.width, user=1)),
                "dest": Out(bits(map.nodes)),
                "valid": In(1),
                "response": In(response_layout(layout)),
            }
        )

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
