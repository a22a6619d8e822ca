"""Writes of a manager."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.golden.header import bits
from fingerpost.golden.terminal.memory_map import MemoryMap
from fingerpost.golden.terminal.transaction import DECERR, TransactionLayout
from fingerpost.hdl.bus.axi4 import Axi4Signature
from fingerpost.hdl.bus.axi_stream import AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.terminal.axi4_reads import response_layout
from fingerpost.hdl.terminal.axi4_requests import Request, at, table
from fingerpost.hdl.terminal.packet_queue import PacketQueue


class WriteManager(Component):
    """Send the writes of a manager when they are complete; answer in the order of its requests.

    Data is accepted behind its address, as many beats as that announces. With AXI4-Lite it waits at
    the manager, and so needs no queue.

    Parameters
    ----------
    layout : TransactionLayout
    bus : Axi4Signature
        The manager.
    map : MemoryMap
    rows : int
        Beats of the network that can wait, a power of two; of no meaning with AXI4-Lite.

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
