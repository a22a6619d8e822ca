"""Reads of a manager."""

from amaranth import Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.golden.header import bits
from fingerpost.golden.terminal.memory_map import MemoryMap
from fingerpost.golden.terminal.transaction import DECERR, TransactionLayout
from fingerpost.hdl.bus.axi4 import Axi4Signature
from fingerpost.hdl.bus.axi_stream import AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.memory import NO_RW_CHECK
from fingerpost.hdl.terminal.axi4_requests import Request, RequestSender


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
        Beats of data that can be held, a power of two.

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
        m.submodules.sender = sender = RequestSender(layout, number=bits(self.map.nodes))

        # A ring of tags, and a ring of rows.
        issued, head = Signal(range(2 * count)), Signal(range(2 * count))
        tag, oldest = issued[:-1], head[:-1]
        free, next_row = Signal(range(self.rows + 1), init=self.rows), Signal(range(self.rows))
        issues, fetches, retires = Signal(), Signal(), Signal()
        length = request.word.length
        m.d.comb += [
            axi.arready.eq(~request.held),
            issues.eq(
                request.held
                & (free > length)
                & (issued ^ head != count)
                & (~request.known | sender.ready)
            ),
            sender.valid.eq(issues & request.known),
            sender.word.eq(request.word),
            sender.word.tag.eq(tag),
            sender.node.eq(request.node),
            self.dest.eq(sender.dest),
        ]
        connect(m, sender.stream, flipped(self.request))
        m.d.sync += [
            request.held.eq(request.taken | (request.held & ~issues)),
            issued.eq(issued + issues),
            head.eq(head + retires),
            free.eq(free + fetches - Mux(issues, length + 1, 0)),
            next_row.eq(next_row + Mux(issues, length + 1, 0)),
        ]

        # What is known of each tag.
        entry = data.StructLayout({"id": max(1, self.bus.id_width), "length": 8})
        entries: Memory = Memory(shape=entry, depth=count, init=[])
        m.submodules.entries = entries
        writes, asked = entries.write_port(), entries.read_port(domain="comb")
        first: Memory = Memory(shape=self.rows.bit_length() - 1, depth=count, init=[])
        m.submodules.first_rows = first
        first_write, first_read = first.write_port(), first.read_port(domain="comb")
        complete, failed = Signal(count), Signal(count)
        m.d.comb += [
            *(writes.en.eq(issues), writes.addr.eq(tag), writes.data.length.eq(length)),
            writes.data.id.eq(0 if request.id is None else request.id),
            asked.addr.eq(oldest),
            *(first_write.en.eq(issues), first_write.addr.eq(tag), first_write.data.eq(next_row)),
            first_read.addr.eq(self.response.tag),
        ]

        # Rows are written as they come.
        rows: Memory = Memory(
            shape=data.StructLayout({"resp": 2, "data": layout.data_width}),
            depth=self.rows,
            init=[],
            attrs=NO_RW_CHECK,
        )
        m.submodules.rows = rows
        write, read = rows.write_port(), rows.read_port()
        arrived, arriving = Signal(range(257)), Signal(layout.tag)  # of a response that comes
        m.d.comb += [
            write.en.eq(self.valid),
            write.addr.eq(first_read.data + arrived),
            write.data.resp.eq(self.response.resp),
            write.data.data.eq(self.response.data),
        ]
        with m.If(self.valid):
            m.d.sync += [
                arriving.eq(self.response.tag),
                arrived.eq(Mux(self.response.last, 0, arrived + 1)),
            ]
        for number in range(count):
            ends = self.valid & self.response.last & (self.response.tag == number)
            fails = issues & ~request.known & (tag == number)
            leaves = retires & (oldest == number)
            with m.If(ends | fails):
                m.d.sync += [complete[number].eq(1), failed[number].eq(fails)]
            with m.Elif(leaves):
                m.d.sync += [complete[number].eq(0), failed[number].eq(0)]

        # They are handed out in the order of the tags.
        fetched, row, error = Signal(8), Signal(range(self.rows)), Signal()
        streams = (arriving == oldest) & (fetched != arrived)
        last = fetched == asked.data.length
        m.d.comb += [
            fetches.eq(
                (issued != head)
                & (complete.bit_select(oldest, 1) | streams)
                & (~axi.rvalid | axi.rready)
            ),
            retires.eq(fetches & last),
            *(read.en.eq(fetches), read.addr.eq(row)),
            axi.rdata.eq(read.data.data),
            axi.rresp.eq(Mux(error, DECERR, read.data.resp)),
        ]
        m.d.sync += row.eq(row + fetches)
        with m.If(fetches):
            m.d.sync += [
                *(axi.rvalid.eq(1), fetched.eq(Mux(last, 0, fetched + 1))),
                error.eq(failed.bit_select(oldest, 1)),
            ]
            if not self.bus.lite:
                m.d.sync += [axi.rid.eq(asked.data.id), axi.rlast.eq(last)]
        with m.Elif(axi.rready):
            m.d.sync += axi.rvalid.eq(0)
        return m
