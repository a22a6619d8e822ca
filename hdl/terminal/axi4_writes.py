"""Writes of a manager."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.golden.header import bits
from fingerpost.golden.terminal.memory_map import MemoryMap
from fingerpost.golden.terminal.transaction import DECERR, TransactionLayout
from fingerpost.hdl.bus.axi4 import Axi4Signature
from fingerpost.hdl.bus.axi_stream import AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.terminal.axi4_reads import response_layout
from fingerpost.hdl.terminal.axi4_requests import Request, RequestSender, at, table
from fingerpost.hdl.terminal.packet_queue import PacketQueue


class WriteManager(Component):
    """Send the writes of a manager when they are complete; answer in the order of its requests.

    Data is accepted behind its address, as many beats as that announces.

    Parameters
    ----------
    layout : TransactionLayout
    bus : Axi4Signature
        The manager.
    map : MemoryMap
    rows : int
        Beats of the network that can wait, a power of two.

    Members
    -------
    axi : ``In(bus)``                       Channels AW, W and B.
    request : ``Out(AxiStreamSignature)``   Packets, and where they go.
    dest : ``Out(number)``
    valid : ``In(1)``                       There is a response; it is always taken.
    response : ``In(response_layout)``
    """

    def __init__(
        self, layout: TransactionLayout, bus: Axi4Signature, map: MemoryMap, *, rows: int
    ) -> None:
        self.layout, self.bus, self.map, self.rows = layout, bus.only("aw", "w", "b"), map, rows
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
        """Queue request and data, as one packet."""
        m = Module()
        axi, layout, count = self.axi, self.layout, self.layout.outstanding
        number = bits(self.map.nodes)
        request = Request(m, layout, self.bus, axi, "aw", self.map)
        m.submodules.sender = sender = RequestSender(layout, number=number)
        m.submodules.queue = queue = PacketQueue(width=layout.width, number=number, depth=self.rows)
        connect(m, queue.stream, flipped(self.request))
        m.d.comb += self.dest.eq(queue.tdest)

        issued, head = Signal(range(2 * count)), Signal(range(2 * count))
        tag, oldest = issued[:-1], head[:-1]
        begins, data, ends, retires = (Signal() for _ in range(4))
        m.d.comb += [
            axi.awready.eq(~request.held & (issued ^ head != count)),
            begins.eq(request.held & ~data & sender.ready),
            sender.valid.eq(begins & request.known),
            sender.word.eq(request.word),
            sender.word.tag.eq(tag),
            sender.node.eq(request.node),
            queue.dest.eq(sender.dest),
        ]

        # Beats of data, each one of the network or two, behind those of the request.
        left, part = Signal(8), Signal(range(layout.parts))
        low = Signal()  # more parts of this beat follow
        m.d.comb += low.eq(part != layout.parts - 1)
        passes, goes = Signal(), Signal()
        size = layout.flit_data
        m.d.comb += [
            passes.eq(data & request.known & ~sender.stream.tvalid),
            sender.stream.tready.eq(queue.source.tready),
            queue.source.tvalid.eq(sender.stream.tvalid | (passes & axi.wvalid)),
            queue.source.tlast.eq(~sender.stream.tvalid & (left == 0) & ~low),
            queue.source.tdata.eq(
                Mux(
                    sender.stream.tvalid,
                    sender.stream.tdata,
                    Cat(axi.wstrb.word_select(part, size // 8), axi.wdata.word_select(part, size)),
                )
            ),
            goes.eq(axi.wvalid & data & (~request.known | (passes & queue.source.tready))),
            axi.wready.eq(data & (~request.known | (passes & queue.source.tready & ~low))),
            ends.eq(axi.wvalid & axi.wready & (left == 0)),
        ]
        with m.If(begins):
            m.d.sync += [data.eq(1), left.eq(request.word.length)]
        with m.Elif(goes):
            m.d.sync += part.eq(Mux(low & request.known, part + 1, 0))
            with m.If(axi.wready):
                m.d.sync += [left.eq(left - 1), data.eq(~ends)]
        m.d.sync += [
            request.held.eq(request.taken | (request.held & ~ends)),
            issued.eq(issued + ends),
            head.eq(head + retires),
        ]

        # Responses wait for those before them.
        done, failed = Signal(count), Signal(count)
        id = table(m, "ids", count, ends, tag, request.id, oldest) if len(request.id) else None
        resp = table(
            m, "responses", count, self.valid, self.response.tag, self.response.resp, oldest
        )
        comes = at(self.response.tag, count, self.valid)
        fails = at(tag, count, ends & ~request.known)
        stays = ~at(oldest, count, retires)
        m.d.comb += retires.eq(
            (issued != head) & done.bit_select(oldest, 1) & (~axi.bvalid | axi.bready)
        )
        m.d.sync += [
            done.eq((done & stays) | comes | fails),
            failed.eq((failed & stays) | fails),
        ]
        with m.If(retires):
            m.d.sync += axi.bvalid.eq(1)
            m.d.sync += axi.bresp.eq(Mux(failed.bit_select(oldest, 1), DECERR, resp))
            if id is not None:
                m.d.sync += axi.bid.eq(id)
        with m.Elif(axi.bready):
            m.d.sync += axi.bvalid.eq(0)
        return m
