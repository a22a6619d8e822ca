"""An AXI4-Stream interface with end-to-end flow control; the twin of golden's FlowInterfaces."""

from amaranth import Module
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.golden.terminal.beat import EXPIRED, REFUSED
from fingerpost.golden.terminal.flow_layout import FlowControl, FlowLayout
from fingerpost.hdl.bus.axi import AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import LinkSignature
from fingerpost.hdl.terminal.flow_receiver import FlowReceiver
from fingerpost.hdl.terminal.flow_sender import FlowSender


class FlowInterface(Component):
    """A sender and a receiver: the one sends what the other answers, and takes what is answered.

    Parameters
    ----------
    layout, flow, flit_width, credits, shared
        Those of `FlowSender`.

    Members
    -------
    s_axis : ``In(AxiStreamSignature)``     What the terminal sends.
    m_axis : ``Out(AxiStreamSignature)``    What it receives.
    inject, eject : ``LinkSignature``       To the router, and from it.
    dest, peer, header, known, source, dest_out, request, grant, refused    Those of `FlowSender`.
    open, invites, invited                  Those of `FlowReceiver`.
    expired : ``Out(8)``                    0: no incomplete packet enters the network.
    """

    def __init__(
        self,
        layout: FlowLayout,
        flow: FlowControl,
        *,
        flit_width: int,
        credits: int,
        shared: bool = False,
    ) -> None:
        self.shared, self.single = shared, layout.single
        self.sender = FlowSender(
            layout, flow, flit_width=flit_width, credits=credits, shared=shared
        )
        self.receiver = FlowReceiver(layout, flow, flit_width=flit_width)
        link = LinkSignature(channels=1, flit_width=flit_width)
        super().__init__(
            {
                "s_axis": In(AxiStreamSignature(layout.data_width, user=1)),
                "m_axis": Out(AxiStreamSignature(layout.data_width, user=layout.number + 1)),
                "inject": Out(link),
                "eject": In(link),
                "dest": In(layout.number),
                "peer": Out(layout.number),
                "header": In(layout.header),
                "known": In(1),
                "source": In(layout.number),
                "open": In(1),
                "invites": Out(1),
                "invited": Out(self.receiver.invited.shape()),
                **({"dest_out": Out(layout.header)} if layout.single else {}),
                **({"request": Out(1), "grant": In(1)} if shared else {}),
                REFUSED.name: Out(REFUSED.width),
                EXPIRED.name: Out(EXPIRED.width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Connect both."""
        m = Module()
        m.submodules.sender, m.submodules.receiver = sender, receiver = self.sender, self.receiver
        connect(m, flipped(self.s_axis), sender.stream)
        connect(m, sender.inject, flipped(self.inject))
        connect(m, flipped(self.eject), receiver.eject)
        connect(m, receiver.stream, flipped(self.m_axis))
        m.d.comb += [
            sender.dest.eq(self.dest),
            self.peer.eq(sender.peer),
            sender.header.eq(self.header),
            sender.known.eq(self.known),
            sender.source.eq(self.source),
            self.refused.eq(sender.refused),
            receiver.clear.eq(sender.clear),
            receiver.cleared.eq(sender.cleared),
            receiver.open.eq(self.open),
            self.invites.eq(receiver.invites),
            self.invited.eq(receiver.invited),
            sender.answer.eq(receiver.answer),
            sender.answer_valid.eq(receiver.answer_valid),
            receiver.answered.eq(sender.answered),
            sender.acked.eq(receiver.acked),
            sender.acked_peer.eq(receiver.peer),
            sender.acked_units.eq(receiver.units),
            sender.granted.eq(receiver.granted),
            sender.granted_slot.eq(receiver.slot),
            sender.granted_base.eq(receiver.base),
        ]
        if self.single:
            m.d.comb += self.dest_out.eq(sender.dest_out)
        if self.shared:
            m.d.comb += [self.request.eq(sender.request), sender.grant.eq(self.grant)]
        return m
