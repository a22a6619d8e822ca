"""What is between the two ends of a stream link where both are on one chip: words take a while.

In simulation it loses and damages words, as the model does.
"""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.logic import Chance, delayed
from fingerpost.hdl.link.frame_receiver import WordSignature


class StreamChannel(Component):
    """Give words to the other end some cycles later.

    Parameters
    ----------
    width : int
        Bits of a word.
    cycles : int
    errors : int
        Of 65,536 words, so many are lost, and as many are damaged.
    damaged : int
        The bit that is wrong in a damaged word.

    Members
    -------
    salt : ``In(16)``                   Sets the chance of a channel apart from that of others.
    sent : ``In(WordSignature(width))``
    received : ``Out(WordSignature(width))``
    """

    def __init__(self, *, width: int, cycles: int, errors: int, damaged: int) -> None:
        self.width, self.cycles, self.errors, self.damaged = width, cycles, errors, damaged
        words = WordSignature(width)
        super().__init__({"salt": In(16), "sent": In(words), "received": Out(words)})

    def elaborate(self, platform: object) -> Module:
        """Choose the words that are lost and damaged, and delay the others."""
        m = Module()
        valid, payload = Signal(), Signal(self.width)
        m.d.comb += [valid.eq(self.sent.valid), payload.eq(self.sent.payload)]
        if self.errors:
            m.submodules.chance = chance = Chance()
            drawn = Signal(16)
            wrong = Const(1 << self.damaged, self.width)
            m.d.comb += [
                drawn.eq(chance.state ^ self.salt),
                valid.eq(self.sent.valid & (drawn >= self.errors)),
                payload.eq(self.sent.payload ^ Mux(drawn < 2 * self.errors, wrong, 0)),
            ]
        word = delayed(m, "word", Cat(valid, payload), self.cycles)
        m.d.comb += Cat(self.received.valid, self.received.payload).eq(word)
        return m
