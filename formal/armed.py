"""One flit among all: any one, followed to the front of a queue."""

from amaranth import Signal, Value
from amaranth.hdl import ValueLike

from fingerpost.formal.contract import Contract

__all__ = ["Armed"]


class Armed:
    """A flit that is armed when it comes; what holds for it holds for all.

    Parameters
    ----------
    contract : Contract
    arrives, goes : Value
        A flit comes, and the front goes.
    held : Signal
        How many flits are there.
    name : str
        Of what they come to, where several are watched.

    Attributes
    ----------
    now : Signal
        It comes.
    ahead : Signal
        How many are before it.
    here : Signal
        It has come and has not gone.
    front : Signal
        It is at the front.
    """

    def __init__(
        self, contract: Contract, arrives: Value, goes: Value, held: Signal, *, name: str = ""
    ) -> None:
        self.contract, m = contract, contract.m
        before, self.ahead = Signal(), Signal.like(held, name="ahead")
        self.here = Signal(name="armed")
        self.now = contract.see(
            f"{name}armed_now", contract.anything(f"{name}arm") & arrives & ~before
        )
        with m.If(self.now):
            m.d.sync += [before.eq(1), self.here.eq(1), self.ahead.eq(held - goes)]
        with m.Elif(self.here & goes):
            m.d.sync += [self.ahead.eq(self.ahead - 1), self.here.eq(self.ahead != 0)]
        self.front = contract.see(f"{name}armed_front", self.here & (self.ahead == 0))

    def keep(self, name: str, value: ValueLike) -> Signal:
        """Return what a value was when the flit came."""
        value = Value.cast(value)
        kept = Signal(value.shape(), name=name)
        with self.contract.m.If(self.now):
            self.contract.m.d.sync += kept.eq(value)
        return kept
