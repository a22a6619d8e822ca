"""Reports the counts of a board as a line of text."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fingerpost.hdl.board.uart import UartSender
from fingerpost.hdl.lib.rom import look_up

COUNTS = "sent", "received", "wrong"
"""What is counted."""

DIGITS = 8

LINE = " ".join(f"{name} {'#' * DIGITS}" for name in COUNTS) + "\r\n"
"""What is sent, behind the title; for each # a hexadecimal digit."""


class Reporter(wiring.Component):
    """Send a line with the counts, as they are when it begins.

    Parameters
    ----------
    divisor : int
        Cycles of a bit.
    title : str
        What each line begins with, if anything.

    Members
    -------
    counts : ``In(96)``    The counts, 32 bits each, the first lowest.
    start : ``In(1)``      Send a line.
    tx : ``Out(1)``        The wire.
    """

    counts: Signal
    start: Signal
    tx: Signal

    def __init__(self, divisor: int, *, title: str = "") -> None:
        self.divisor, self.line = divisor, title + LINE
        width = 4 * DIGITS * len(COUNTS)
        super().__init__({"counts": In(width), "start": In(1), "tx": Out(1)})

    def elaborate(self, platform: object) -> Module:
        """Go through the characters; a digit is that which comes next."""
        m = Module()
        m.submodules.uart = uart = UartSender(self.divisor)
        digits, place, busy = Signal.like(self.counts), Signal(range(len(self.line))), Signal()
        letter = look_up(m, "line", place, self.line.encode())
        digit, shown = Signal(4), Signal(7)
        count = 4 * DIGITS
        words = [self.counts[start : start + count] for start in range(0, len(digits), count)]
        m.d.comb += [
            digit.eq(digits[-4:]),
            shown.eq(Mux(digit < 10, ord("0") + digit, ord("a") - 10 + digit)),
            uart.data.eq(Mux(letter == ord("#"), shown, letter)),
            uart.valid.eq(busy),
            self.tx.eq(uart.tx),
        ]
        with m.If(busy & uart.ready):
            with m.If(letter == ord("#")):
                m.d.sync += digits.eq(Cat(Const(0, 4), digits[:-4]))
            m.d.sync += [place.eq(place + 1), busy.eq(place != len(self.line) - 1)]
        with m.Elif(~busy & self.start):
            m.d.sync += [busy.eq(1), place.eq(0), digits.eq(Cat(reversed(words)))]
        return m
