"""The random bits of a router; the twin of golden.algebra.chance."""

from amaranth import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from golden.algebra.chance import SEED

__all__ = ["Chance"]


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
        """Unroll the steps of x^16 + x^15 + x^13 + x^4 + 1: only exclusive ors are left."""
        m = Module()
        register = Signal(16, init=SEED)
        bits = list(register)
        for _ in range(16):
            bits = [bits[15] ^ bits[14] ^ bits[12] ^ bits[3], *bits[:15]]
        m.d.sync += register.eq(Cat(bits))
        m.d.comb += self.state.eq(register)
        return m
