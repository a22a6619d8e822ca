"""An AXI4-Stream interface with flow control, with router and user of both directions."""

from typing import Any

from amaranth import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fingerpost.golden.terminal.beat import AXI_COUNTERS
from fingerpost.golden.terminal.flow_layout import FlowControl, FlowLayout
from fingerpost.hdl.bus.axi_stream import AxiStreamSignature
from fingerpost.hdl.lib.flit import LinkSignature
from fingerpost.hdl.terminal.flow_interface import FlowInterface

__all__ = ["FlowStreams"]


class FlowStreams(wiring.Component):
    """The interface of a terminal. The header of a packet is the number of its destination.

    What is sent, and what is offered, is 0 while nothing is. The number of the node passes a
    register: so no input reaches an output within a clock.

    Parameters
    ----------
    layout : FlowLayout
    flow : FlowControl
    flit_width, credits : int

    Members
    -------
    s_axis, m_axis, inject, eject, dest, source, refused, expired    Those of `FlowInterface`.
    """

    s_axis: Any
    m_axis: Any
    inject: Any
    eject: Any
    dest: Signal
    source: Signal

    def __init__(
        self, layout: FlowLayout, flow: FlowControl, *, flit_width: int, credits: int
    ) -> None:
        self.layout, self.flow, self.flit_width, self.credits = layout, flow, flit_width, credits
        link = LinkSignature(channels=1, flit_width=flit_width)
        super().__init__(
            {
                "s_axis": In(AxiStreamSignature(layout.bytes, user=1)),
                "m_axis": Out(AxiStreamSignature(layout.bytes, user=layout.number + 1)),
                "inject": Out(link),
                "eject": In(link),
                "dest": In(layout.number),
                "source": In(layout.number),
                **{counter.name: Out(counter.width) for counter in AXI_COUNTERS},
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Join it with the ports."""
        m = Module()
        m.submodules.flow = inner = FlowInterface(
            self.layout, self.flow, flit_width=self.flit_width, credits=self.credits
        )
        wiring.connect(m, wiring.flipped(self.s_axis), inner.s_axis)
        wiring.connect(m, wiring.flipped(self.eject), inner.eject)
        flit = Value.cast(inner.inject.flit)
        m.d.sync += inner.source.eq(self.source)
        m.d.comb += [
            inner.dest.eq(self.dest),
            inner.header.eq(inner.peer),
            inner.known.eq(inner.peer < self.flow.peers),
            inner.inject.credit.eq(self.inject.credit),
            self.inject.valid.eq(inner.inject.valid),
            Value.cast(self.inject.flit).eq(flit & inner.inject.valid.replicate(len(flit))),
            inner.m_axis.tready.eq(self.m_axis.tready),
            self.m_axis.tvalid.eq(inner.m_axis.tvalid),
            *(getattr(self, c.name).eq(getattr(inner, c.name)) for c in AXI_COUNTERS),
        ]
        for name in ("tdata", "tkeep", "tlast", "tuser"):
            signal = getattr(inner.m_axis, name)
            valid = inner.m_axis.tvalid.replicate(len(signal))
            m.d.comb += getattr(self.m_axis, name).eq(signal & valid)
        return m
