"""Sources and sinks of packets at the terminals, and the words that they are made of."""

from collections.abc import Sequence

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.hdl.bus.axi import AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.logic import advance
from fingerpost.hdl.lib.memory import look_up

WORD = 16
"""Bits of a word."""

LENGTH = 2
"""Bits that say how many beats follow the first."""

POLYNOMIAL = 0xB400
"""x^16 + x^14 + x^13 + x^11 + 1, shifting to the right."""


def following(word: Value, source: Value) -> Value:
    """Return the word behind a word of a packet."""
    step = Cat(word[1:], Const(0, 1)) ^ Mux(word[0], POLYNOMIAL, 0)
    return (step ^ source)[:WORD]


def repeated(word: Value, width: int) -> Value:
    """Return tdata of a word."""
    return Cat(word for _ in range(-(-width // WORD)))[:width]


SCALE = 12
"""Bits of chance that choose a destination."""


class Source(Component):
    """Send packets of chance to terminals of chance, as long as it may.

    Parameters
    ----------
    bytes : int
        Of tdata; two or more.
    terminals : sequence of int
        The numbers of those that have one.
    number : int
        Bits of a number.

    Members
    -------
    me : ``In(number)``                   The terminal's number.
    seed : ``In(16)``                     What its chance begins with, not 0.
    enable : ``In(1)``                    Packets may begin.
    stream : ``Out(AxiStreamSignature)``
    dest : ``Out(number)``                Its tdest.
    chance : ``Out(16)``                  Of this cycle.
    sent : ``Out(1)``                     A packet has been sent, in the cycle before.
    """

    def __init__(self, bytes: int, *, terminals: Sequence[int], number: int) -> None:
        self.terminals, self.number, self.width = terminals, number, 8 * bytes
        super().__init__(
            me=In(number),
            seed=In(16),
            enable=In(1),
            stream=Out(AxiStreamSignature(8 * bytes, user=1)),
            dest=Out(number),
            chance=Out(16),
            sent=Out(1),
        )

    def elaborate(self, platform: object) -> Module:
        """Draw, send beat by beat, and rest."""
        m = Module()
        stream, number = self.stream, self.number
        begun, goal = Signal(), Signal(number)
        m.d.sync += begun.eq(1)
        with m.If(begun):
            m.d.sync += self.chance.eq(advance(self.chance))
        with m.Else():
            m.d.sync += self.chance.eq(self.seed)
        place = (self.chance[:SCALE] * len(self.terminals) >> SCALE)[: bits(len(self.terminals))]
        if list(self.terminals) == list(range(len(self.terminals))):
            m.d.sync += goal.eq(place)
        else:
            m.d.sync += goal.eq(look_up(m, "numbers", place, self.terminals))

        word, left = Signal(WORD), Signal(LENGTH)
        taken = stream.tvalid & stream.tready
        m.d.comb += [
            stream.tdata.eq(repeated(word, self.width)),
            stream.tlast.eq(left == 0),
            stream.tkeep.eq(~0),
        ]
        m.d.sync += self.sent.eq(taken & stream.tlast)
        with m.If(taken):
            m.d.sync += [
                stream.tvalid.eq(~stream.tlast),
                word.eq(following(word, self.me)),
                left.eq(left - 1),
            ]
        with m.Elif(~stream.tvalid & self.enable & self.chance[15]):
            # What is left of chance is the length, and the rest of the word.
            m.d.sync += [
                stream.tvalid.eq(1),
                self.dest.eq(goal),
                word.eq(Cat(goal, self.chance[number:])),
                left.eq(self.chance[number : number + LENGTH]),
            ]
        return m


class Sink(Component):
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

    def __init__(self, bytes: int, *, number: int) -> None:
        self.number, self.width = number, 8 * bytes
        super().__init__(
            me=In(number),
            willing=In(1),
            stream=In(AxiStreamSignature(8 * bytes, user=number + 1)),
            received=Out(1),
            wrong=Out(1),
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
