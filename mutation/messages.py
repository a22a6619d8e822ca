"""Both ends of the messages of an OS-Link terminal, with what stands around them in registers."""

from typing import Any

from amaranth import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.golden.terminal.message import EXPIRED, LOST
from fingerpost.hdl.bus.axi_stream import AxiStreamSignature
from fingerpost.hdl.terminal.message_receiver import MessageReceiver
from fingerpost.hdl.terminal.message_sender import MessageSender

__all__ = ["Messages"]


class Messages(wiring.Component):
    """Sender and receiver side by side. What is offered is 0 while nothing is.

    What goes in passes a register: so no input reaches an output within a clock, where `tready` of
    the receiver follows from the `ready` of its bytes.

    Parameters
    ----------
    layout : AxiLayout
    longest, timeout : int

    Members
    -------
    sent, beats, tdest, stranger, expired   Those of `MessageSender`: its bytes, and its stream.
    stream, received, lost                  Those of `MessageReceiver`: its stream, and its bytes.
    """

    sent: Any
    beats: Any
    tdest: Signal
    stranger: Signal
    expired: Signal
    stream: Any
    received: Any
    lost: Signal

    def __init__(self, layout: AxiLayout, *, longest: int, timeout: int) -> None:
        self.layout, self.longest, self.timeout = layout, longest, timeout
        super().__init__(
            {
                "sent": In(stream.Signature(8)),
                "beats": Out(AxiStreamSignature(layout.bytes, user=1)),
                "tdest": Out(layout.number),
                "stranger": Out(1),
                "stream": In(AxiStreamSignature(layout.bytes, user=layout.number + 1)),
                "received": Out(stream.Signature(8)),
                EXPIRED.name: Out(EXPIRED.width),
                LOST.name: Out(LOST.width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Join both with the ports."""
        m = Module()
        m.submodules.message_sender = sender = MessageSender(
            self.layout, longest=self.longest, timeout=self.timeout
        )
        m.submodules.message_receiver = receiver = MessageReceiver(
            self.layout, timeout=self.timeout
        )
        beats, out = sender.stream, receiver.bytes
        m.d.sync += [
            sender.bytes.valid.eq(self.sent.valid),
            sender.bytes.payload.eq(self.sent.payload),
            beats.tready.eq(self.beats.tready),
            out.ready.eq(self.received.ready),
            *(
                getattr(receiver.stream, name).eq(getattr(self.stream, name))
                for name in ("tvalid", "tdata", "tkeep", "tlast", "tuser")
            ),
        ]
        offered = [(self.beats, beats, name) for name in ("tdata", "tkeep", "tlast", "tuser")]
        m.d.comb += [
            self.sent.ready.eq(sender.bytes.ready),
            self.beats.tvalid.eq(beats.tvalid),
            *(
                getattr(port, name).eq(_while(beats.tvalid, getattr(inner, name)))
                for port, inner, name in offered
            ),
            self.tdest.eq(_while(beats.tvalid, sender.tdest)),
            self.stranger.eq(_while(beats.tvalid, sender.stranger)),
            self.expired.eq(sender.expired),
            self.stream.tready.eq(receiver.stream.tready),
            self.received.valid.eq(out.valid),
            self.received.payload.eq(_while(out.valid, out.payload)),
            self.lost.eq(receiver.lost),
        ]
        return m


def _while(valid: Signal, signal: Signal) -> Any:
    return signal & valid.replicate(len(signal))
