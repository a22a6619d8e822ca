"""Courtesy: how many packets a head has let pass."""

from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Courtesy"]


class Courtesy(wiring.Component):
    """Count the packets that pass a head, until it insists.

    Parameters
    ----------
    limit : int
        The packets of others after which a head comes before them; until then it comes after them.

    Members
    -------
    waits : ``In(1)``       A head waits.
    passes : ``In(1)``      A packet of another queue crosses to where it wants to go.
    goes : ``In(1)``        It goes.
    insists : ``Out(1)``    It has let enough pass.

    Raises
    ------
    ValueError
        If nobody is let pass.
    """

    waits: Signal
    passes: Signal
    goes: Signal
    insists: Signal

    def __init__(self, limit: int) -> None:
        if limit < 1:
            raise ValueError(f"Courtesy needs a limit of at least 1, not {limit!r}")
        self.limit = limit
        super().__init__({"waits": In(1), "passes": In(1), "goes": In(1), "insists": Out(1)})

    def elaborate(self, platform: object) -> Module:
        """Count to the limit; what is counted beyond does not matter."""
        m = Module()
        passed = Signal(range(self.limit))
        with m.If(self.goes):
            m.d.sync += [passed.eq(0), self.insists.eq(0)]
        with m.Elif(self.waits & self.passes):
            m.d.sync += passed.eq(passed + 1)
            with m.If(passed == self.limit - 1):
                m.d.sync += self.insists.eq(1)
        return m
