"""What stands between a router and an OS-Link, with the bytes of both directions."""

from typing import Any

from amaranth import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect

from fingerpost.hdl.lib.flit import LinkSignature
from fingerpost.hdl.link.cells import CellReceiver, CellSender

__all__ = ["Cells"]


class Cells(wiring.Component):
    """The two ends of cells at one port of a router.

    Parameters
    ----------
    channels, depth, flit_width : int

    Members
    -------
    outgoing : ``In(LinkSignature)``         What the router sends.
    incoming : ``Out(LinkSignature)``        What it gets.
    sent : ``Out(stream.Signature(8))``      The bytes of the one, 0 if there is none.
    received : ``In(stream.Signature(8))``   The bytes of the other.
    bad_packet, bad_cell : ``Out(1)``        As of `CellReceiver`.
    """

    outgoing: Any
    incoming: Any
    sent: Any
    received: Any
    bad_packet: Signal
    bad_cell: Signal

    def __init__(self, *, channels: int, depth: int, flit_width: int) -> None:
        self.channels, self.depth, self.flit_width = channels, depth, flit_width
        link = LinkSignature(channels=channels, flit_width=flit_width)
        super().__init__(
            {
                "outgoing": In(link),
                "incoming": Out(link),
                "sent": Out(stream.Signature(8)),
                "received": In(stream.Signature(8)),
                "bad_packet": Out(1),
                "bad_cell": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Join both with the ports."""
        m = Module()
        shape = {"channels": self.channels, "flit_width": self.flit_width}
        m.submodules.sender = sender = CellSender(depth=self.depth, **shape)
        m.submodules.receiver = receiver = CellReceiver(**shape)
        connect(m, wiring.flipped(self.received), receiver.bytes)
        m.d.comb += [
            self.sent.valid.eq(sender.bytes.valid),
            self.sent.payload.eq(sender.bytes.payload & sender.bytes.valid.replicate(8)),
            sender.bytes.ready.eq(self.sent.ready),
            sender.link.valid.eq(self.outgoing.valid),
            sender.link.flit.eq(self.outgoing.flit),
            self.outgoing.credit.eq(receiver.credit),
            sender.credit.eq(self.incoming.credit),
            self.incoming.valid.eq(receiver.link.valid),
            self.incoming.flit.eq(receiver.link.flit),
            self.bad_packet.eq(receiver.bad_packet),
            self.bad_cell.eq(receiver.bad_cell),
        ]
        return m
