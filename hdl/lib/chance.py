"""The random bits of a router; the twin of fingerpost.golden.algebra.chance."""

from amaranth import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from fingerpost.golden.algebra.chance import SEED


def advance(state: Signal) -> Value:
    """Return 16 bits after 16 steps of x^16 + x^15 + x^13 + x^4 + 1: exclusive ors alone."""
    bits = list(state)
    for _ in range(16):
        bits = [bits[15] ^ bits[14] ^ bits[12] ^ bits[3], *bits[:15]]
    return Cat(bits)


class Chance(wiring.Component):
    """A linear-feedback shift register that takes 16 steps in a cycle.

    Members
    -------
    state : ``Out(16)``    The random bits of this cycle.
    """

    state: Signal

    def __init__(self) -> None:
        super().__init__({"state": Out(16)})

    def elaborate(self, platform: object) -> Module:
        """Take the steps."""
        m = Module()
        register = Signal(16, init=SEED)
        m.d.sync += register.eq(advance(register))
        m.d.comb += self.state.eq(register)
        return m
