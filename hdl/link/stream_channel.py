"""What is between the ends of a stream link in one chip: a word takes so many cycles."""

from amaranth import Module
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.logic import delayed
from fingerpost.hdl.link.frame_receiver import WordSignature


class StreamChannel(Component):
    """Stand for two transceivers and the cable between them, in one direction.

    Parameters
    ----------
    width : int
        Bits of a word.
    cycles : int
        Of a word from one end to the other.

    Members
    -------
    tx : ``In(stream.Signature(width))``    From the sender; a word is taken in every cycle.
    rx : ``Out(WordSignature(width))``      To the receiver.
    """

    def __init__(self, *, width: int, cycles: int) -> None:
        self.width, self.cycles = width, cycles
        super().__init__({"tx": In(stream.Signature(width)), "rx": Out(WordSignature(width))})

    def elaborate(self, platform: object) -> Module:
        """Delay words; those of the first cycles after reset are none."""
        m = Module()
        m.d.comb += [
            self.tx.ready.eq(1),
            self.rx.valid.eq(delayed(m, "valid", self.tx.valid, self.cycles)),
            self.rx.payload.eq(delayed(m, "payload", self.tx.payload, self.cycles)),
        ]
        return m
