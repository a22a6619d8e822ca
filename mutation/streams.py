"""Both interfaces of an AXI4-Stream terminal, with router and user of both directions."""

from typing import Any

from amaranth import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal.beat import AXI_COUNTERS, AxiLayout
from fingerpost.hdl.bus.axi_stream import AxiStreamSignature
from fingerpost.hdl.lib.flit import LinkSignature
from fingerpost.hdl.terminal.axi_receiver import AxiReceiver
from fingerpost.hdl.terminal.axi_sender import AxiSender

__all__ = ["Streams"]


class Streams(wiring.Component):
    """Sender and receiver side by side, both with `buffer_depth` credits.

    What is sent is 0 while nothing is.

    Parameters
    ----------
    network : Network
    timeout : int

    Members
    -------
    s_axis, head, known, refused, expired   Those of `fingerpost.hdl.terminal.axi_sender.AxiSender`.
    inject : ``Out(LinkSignature)``         What it sends.
    eject : ``In(LinkSignature)``           What `hdl.terminal.axi_receiver.AxiReceiver` gets.
    m_axis : ``Out(AxiStreamSignature)``    What it makes of that.
    """

    s_axis: Any
    head: Signal
    known: Signal
    inject: Any
    eject: Any
    m_axis: Any
    refused: Signal
    expired: Signal

    def __init__(self, network: Network, timeout: int) -> None:
        self.network, self.timeout = network, timeout
        self.layout = layout = AxiLayout.of(network)
        link = LinkSignature(channels=1, flit_width=network.flit_width)
        super().__init__(
            {
                "s_axis": In(AxiStreamSignature(layout.bytes, user=1)),
                "m_axis": Out(AxiStreamSignature(layout.bytes, user=layout.number + 1)),
                "head": In(layout.head.width),
                "known": In(1),
                "inject": Out(link),
                "eject": In(link),
                **{counter.name: Out(counter.width) for counter in AXI_COUNTERS},
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Join both with the ports."""
        m = Module()
        network, wide = self.network, self.network.flit_width
        m.submodules.axi_sender = sender = AxiSender(
            self.layout, flit_width=wide, credits=network.buffer_depth, timeout=self.timeout
        )
        m.submodules.axi_receiver = receiver = AxiReceiver(
            self.layout, flit_width=wide, depth=network.buffer_depth
        )
        wiring.connect(m, wiring.flipped(self.s_axis), sender.stream)
        wiring.connect(m, wiring.flipped(self.eject), receiver.eject)
        flit = Value.cast(sender.inject.flit)
        m.d.comb += [
            sender.head.eq(self.head),
            sender.known.eq(self.known),
            sender.inject.credit.eq(self.inject.credit),
            self.inject.valid.eq(sender.inject.valid),
            Value.cast(self.inject.flit).eq(flit & sender.inject.valid.replicate(len(flit))),
            receiver.stream.tready.eq(self.m_axis.tready),
            self.m_axis.tvalid.eq(receiver.stream.tvalid),
            *(getattr(self, c.name).eq(getattr(sender, c.name)) for c in AXI_COUNTERS),
        ]
        for name in ("tdata", "tkeep", "tlast", "tuser"):
            signal = getattr(receiver.stream, name)
            valid = receiver.stream.tvalid.replicate(len(signal))
            m.d.comb += getattr(self.m_axis, name).eq(signal & valid)
        return m
