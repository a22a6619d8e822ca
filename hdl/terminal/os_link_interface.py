"""What stands between the wires of an OS-Link and an AXI4-Stream interface."""

from typing import Any

from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.golden.link import OsLinkParameters
from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.golden.terminal.message import EXPIRED, FLAWS, LOST
from fingerpost.hdl.bus.axi_stream import AxiStreamSignature
from fingerpost.hdl.lib.logic import count
from fingerpost.hdl.link import OsLink
from fingerpost.hdl.terminal.message_receiver import MessageReceiver
from fingerpost.hdl.terminal.message_sender import MessageSender


class OsLinkInterface(wiring.Component):
    """An OS-Link port, with what makes packets of the messages on it, and messages of packets.

    The two directions have nothing in common but the acknowledges on the wires.

    Parameters
    ----------
    layout : AxiLayout
    link : OsLinkParameters
        Of the port.
    longest, timeout : int
        Bytes of a message; clocks in which a peer may not go on with one.

    Members
    -------
    link_in : ``In(1)``                       The wire from the peer, asynchronous.
    link_out : ``Out(1)``                     The wire to it, a register.
    s_axis : ``Out(AxiStreamSignature)``      What the peer sends.
    tdest, stranger                           Those of `MessageSender`.
    m_axis : ``In(AxiStreamSignature)``       What it gets.
    expired, lost, flaws : ``Out(8)``         Counters.
    """

    link_in: Signal
    link_out: Signal
    s_axis: Any
    m_axis: Any
    tdest: Signal
    stranger: Signal
    expired: Signal
    lost: Signal
    flaws: Signal

    def __init__(
        self, layout: AxiLayout, *, link: OsLinkParameters, longest: int, timeout: int
    ) -> None:
        self.layout, self.link, self.longest, self.timeout = layout, link, longest, timeout
        super().__init__(
            {
                "link_in": In(1),
                "link_out": Out(1),
                "s_axis": Out(AxiStreamSignature(layout.bytes, user=1)),
                "tdest": Out(layout.number),
                "stranger": Out(1),
                "m_axis": In(AxiStreamSignature(layout.bytes, user=layout.number + 1)),
                **{each.name: Out(each.width) for each in (EXPIRED, LOST, FLAWS)},
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Join the port with both directions."""
        m = Module()
        timeout = self.timeout
        m.submodules.os_link = link = OsLink(self.link)
        m.submodules.sender = sender = MessageSender(
            self.layout, longest=self.longest, timeout=timeout
        )
        m.submodules.receiver = receiver = MessageReceiver(self.layout, timeout=timeout)
        connect(m, link.rx, sender.bytes)
        connect(m, receiver.bytes, link.tx)
        connect(m, sender.stream, flipped(self.s_axis))
        connect(m, flipped(self.m_axis), receiver.stream)
        m.d.comb += [
            link.link_in.eq(self.link_in),
            self.link_out.eq(link.link_out),
            self.tdest.eq(sender.tdest),
            self.stranger.eq(sender.stranger),
            self.expired.eq(sender.expired),
            self.lost.eq(receiver.lost),
        ]
        wrong = link.err_frame | link.err_ack | link.err_window | link.err_over
        count(m, self.flaws, wrong)
        return m
