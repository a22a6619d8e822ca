"""Bypass limit: how many packets pass a head of a yielding input before it is promoted."""

from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class BypassLimit(wiring.Component):
    """Count the packets that bypass a waiting head, and promote it at the limit.

    With a limit of 2::

        cycle     0 1 2 3 4 5
        valid     1 1 1 1 1 1
        bypassed  1 0 1 0 0 1
        granted   0 0 0 0 1 0
        promoted  0 0 0 1 1 0

    Parameters
    ----------
    limit : int
        Packets of other buffers that bypass a head before it is promoted.

    Members
    -------
    valid : ``In(1)``        Asserted while a head waits.
    bypassed : ``In(1)``     Asserted while the tail of another packet crosses to its output.
    granted : ``In(1)``      Asserted while the head is granted.
    promoted : ``Out(1)``    Asserted once `limit` packets have bypassed the head.

    Raises
    ------
    ValueError
        If the limit is below 1.
    """

    valid: Signal
    bypassed: Signal
    granted: Signal
    promoted: Signal

    def __init__(self, limit: int) -> None:
        if limit < 1:
            raise ValueError(f"BypassLimit needs a limit of at least 1, not {limit!r}")
        self.limit = limit
        super().__init__({"valid": In(1), "bypassed": In(1), "granted": In(1), "promoted": Out(1)})

    def elaborate(self, platform: object) -> Module:
        """Count to the limit; the count beyond it is not used."""
        m = Module()
        count = Signal(range(self.limit))
        with m.If(self.granted):
            m.d.sync += [count.eq(0), self.promoted.eq(0)]
        with m.Elif(self.valid & self.bypassed):
            m.d.sync += count.eq(count + 1)
            with m.If(count == self.limit - 1):
                m.d.sync += self.promoted.eq(1)
        return m
