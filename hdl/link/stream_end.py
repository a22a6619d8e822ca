"""An end of a stream link, between a router and the core of a transceiver."""

from amaranth import Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.golden.link.frames import Frames
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import LinkSignature
from fingerpost.hdl.lib.logic import count
from fingerpost.hdl.link.frame_receiver import FrameReceiver, WordSignature
from fingerpost.hdl.link.frame_sender import FrameSender


class StreamEnd(Component):
    """Join an output and an input of a router with a transceiver, to the same at its other end.

    Parameters
    ----------
    frames : Frames
    width : int
        Bits of a word.
    depth : int
        Flits of a channel for which the router's input has room; its output takes the same of the
        other router.
    time_out : int
        Cycles after which flits are sent again; a power of two.

    Members
    -------
    near : ``In(LinkSignature)``     From the router's output.
    far : ``Out(LinkSignature)``     To its input.
    tx : ``Out(stream.Signature(width))``
    rx : ``In(WordSignature(width))``
    up : ``Out(1)``           A good frame has come in within the last two time-outs.
    downs : ``Out(8)``        How often that has ended; saturates.
    restarted : ``Out(1)``    The other end was reset alone; both must be. Until then no flits pass.
    """

    def __init__(self, frames: Frames, *, width: int, depth: int, time_out: int) -> None:
        self.frames, self.width, self.depth, self.time_out = frames, width, depth, time_out
        link = LinkSignature(channels=frames.channels, flit_width=frames.flit_width)
        super().__init__(
            {
                "near": In(link),
                "far": Out(link),
                "tx": Out(stream.Signature(width)),
                "rx": In(WordSignature(width)),
                "up": Out(1),
                "downs": Out(8),
                "restarted": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Join sender and receiver; watch the link."""
        m = Module()
        given = {"width": self.width, "depth": self.depth}
        m.submodules.sender = sender = FrameSender(self.frames, **given)
        m.submodules.receiver = receiver = FrameReceiver(self.frames, **given)
        connect(m, flipped(self.near), sender.near)
        connect(m, receiver.far, flipped(self.far))
        connect(m, sender.tx, flipped(self.tx))
        connect(m, flipped(self.rx), receiver.rx)
        timer, tick, heard = Signal(range(self.time_out)), Signal(), Signal()
        fresh, settled = Signal(init=1), Signal()
        good, end, stop = Signal(), receiver.end, Signal()
        m.d.comb += [
            stop.eq(self.restarted | (settled & end.fresh)),
            good.eq(receiver.good & ~stop),
            receiver.stop.eq(stop),
            sender.stop.eq(self.restarted),
            sender.accepted.eq(receiver.accepted),
            *(ours.eq(its) for ours, its in zip(sender.freed, receiver.freed, strict=True)),
            sender.fresh.eq(fresh),
            sender.good.eq(good),
            sender.end.eq(end),
            sender.tick.eq(tick),
        ]
        m.d.sync += [timer.eq(timer + 1), tick.eq(timer.all())]
        with m.If(tick):
            m.d.sync += [self.up.eq(heard), heard.eq(0)]
            count(m, self.downs, self.up & ~heard)
        with m.If(good):
            m.d.sync += [heard.eq(1), fresh.eq(0), settled.eq(settled | ~end.fresh)]
        with m.If(receiver.good & stop):
            m.d.sync += self.restarted.eq(1)
        return m
