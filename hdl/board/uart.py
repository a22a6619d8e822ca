"""A UART that sends."""

from amaranth import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class UartSender(wiring.Component):
    """Send bytes, 8 bits, no parity, one stop bit.

    Parameters
    ----------
    divisor : int
        Cycles of a bit.

    Members
    -------
    data : ``In(8)``, valid : ``In(1)``    A byte; it stays until it is taken.
    ready : ``Out(1)``                     It is taken.
    tx : ``Out(1)``                        The wire; rests high.

    Raises
    ------
    ValueError
        If there is no such rate.
    """

    data: Signal
    valid: Signal
    ready: Signal
    tx: Signal

    def __init__(self, divisor: int) -> None:
        if divisor < 2:
            raise ValueError(f"UART needs at least 2 cycles a bit, not {divisor}")
        self.divisor = divisor
        super().__init__(
            {"data": In(8), "valid": In(1), "ready": Out(1), "tx": Out(1, init=1)}  # type: ignore[call-arg]
        )

    def elaborate(self, platform: object) -> Module:
        """Shift."""
        m = Module()
        bits, left, clocks = Signal(9), Signal(range(11)), Signal(range(self.divisor))
        m.d.comb += self.ready.eq(left == 0)
        with m.If(self.ready):
            m.d.sync += clocks.eq(0)
            with m.If(self.valid):
                m.d.sync += [bits.eq(Cat(self.data, 1)), left.eq(10), self.tx.eq(0)]
        with m.Elif(clocks == self.divisor - 1):
            m.d.sync += [
                Cat(self.tx, bits).eq(Cat(bits, Const(1, 1))),
                left.eq(left - 1),
                clocks.eq(0),
            ]
        with m.Else():
            m.d.sync += clocks.eq(clocks + 1)
        return m
