"""From the network to AXI4-Stream; twin of fingerpost.golden.terminal.axi_interface."""

from typing import Any

from amaranth import Cat, Module, Signal, Value
from amaranth.lib import data
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import In, Out

from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.hdl.bus.axi_stream import AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import LinkSignature, flit_layout, struct


class AxiReceiver(Component):
    """Make beats of flits: heads are taken out, the last beat of a packet is its tail.

    Flits wait in a queue as deep as the credits that the router has, so it never overflows. A
    credit goes back in the cycle after a flit has left it: no path leads from `tready` to the
    router.

    Parameters
    ----------
    layout : AxiLayout
    flit_width, depth : int

    Members
    -------
    eject : ``In(LinkSignature)``            From the router.
    stream : ``Out(AxiStreamSignature)``     `tuser` is the source above the error mark.
    """

    def __init__(self, layout: AxiLayout, *, flit_width: int, depth: int) -> None:
        self.layout, self.flit_width, self.depth = layout, flit_width, depth
        super().__init__(
            {
                "eject": In(LinkSignature(channels=1, flit_width=flit_width)),
                "stream": Out(AxiStreamSignature(layout.data_width, user=layout.number + 1)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Queue flits, and offer those that are no heads."""
        m = Module()
        layout, stream, eject = self.layout, self.stream, self.eject
        shape = flit_layout(self.flit_width)
        m.submodules.queue = queue = SyncFIFO(width=shape.size, depth=self.depth)
        front: Any = data.View(shape, queue.r_data)
        head: Any = data.View(struct(layout.head), front.data[: layout.head.width])
        body: Any = data.View(struct(layout.body), front.data[: layout.body.width])
        source, goes, bad = Signal(layout.number), Signal(), Signal()
        status: Value = front.data[self.flit_width - layout.status :]
        m.d.comb += [
            queue.w_data.eq(eject.flit),
            queue.w_en.eq(eject.valid),
            queue.r_en.eq(goes),
            goes.eq(queue.r_rdy & (front.head | stream.tready)),
            bad.eq(front.tail & (body.error | status.any())),
            stream.tvalid.eq(queue.r_rdy & ~front.head),
            stream.tdata.eq(body.data),
            stream.tlast.eq(front.tail),
            stream.tuser.eq(Cat(bad, source)),
        ]
        if layout.bytes > 1:
            kept = [~front.tail | (body.last_byte >= byte) for byte in range(1, layout.bytes)]
            m.d.comb += stream.tkeep.eq(Cat(1, *kept))
        m.d.sync += eject.credit.eq(goes)
        with m.If(queue.r_rdy & front.head):
            m.d.sync += source.eq(head.source)
        return m
