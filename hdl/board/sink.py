"""What gets packets at a terminal of a board, and looks whether they are right."""

from typing import Any

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fingerpost.hdl.board.words import LENGTH, WORD, following, repeated
from fingerpost.hdl.bus.axi_stream import AxiStreamSignature


class Sink(wiring.Component):
    """Check every packet: whether it is for here, whole, from where it says, and as it was sent.

    Parameters
    ----------
    bytes : int
        Of tdata; two or more.
    number : int
        Bits of a number.

    Members
    -------
    me : ``In(number)``                  The terminal's number.
    willing : ``In(1)``                  It takes a beat in this cycle.
    stream : ``In(AxiStreamSignature)``
    received, wrong : ``Out(1)``         A packet has come that is right, or one that is not, in the
                                         cycle before.
    """

    me: Signal
    willing: Signal
    stream: Any
    received: Signal
    wrong: Signal

    def __init__(self, bytes: int, *, number: int) -> None:
        self.number, self.width = number, 8 * bytes
        super().__init__(
            {
                "me": In(number),
                "willing": In(1),
                "stream": In(AxiStreamSignature(bytes, user=number + 1)),
                "received": Out(1),
                "wrong": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Compare each beat with what must follow the one before."""
        m = Module()
        stream, number = self.stream, self.number
        word, source = stream.tdata[:WORD], stream.tuser[1:]
        before, origin = Signal(WORD), Signal(number)
        inside, bad, left, rest = Signal(), Signal(), Signal(LENGTH), Signal(LENGTH)
        begins, goes_on, good = Signal(), Signal(), Signal()
        m.d.comb += [
            stream.tready.eq(self.willing),
            rest.eq(Mux(inside, left, word[number : number + LENGTH])),
            begins.eq(word[:number] == self.me),
            goes_on.eq((word == following(before, source)) & (source == origin)),
            good.eq(
                ~bad
                & ~stream.tuser[0]
                & (stream.tdata == repeated(word, self.width))
                & stream.tkeep.all()
                & Mux(inside, goes_on, begins)
                & (stream.tlast == (rest == 0))
            ),
        ]
        taken = stream.tvalid & stream.tready
        m.d.sync += [
            self.received.eq(taken & stream.tlast & good),
            self.wrong.eq(taken & stream.tlast & ~good),
        ]
        with m.If(taken):
            m.d.sync += [
                before.eq(word),
                origin.eq(source),
                left.eq(rest - 1),
                inside.eq(~stream.tlast),
                bad.eq(~good & ~stream.tlast),
            ]
        return m
