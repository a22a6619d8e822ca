"""Handing a channel of an output from packet to packet."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.round_robin import next_after

__all__ = ["Handover"]


class Handover(wiring.Component):
    """Give a channel to one packet at a time, and after its tail to the next head that waits.

    Heads take turns, from the holder on. While nobody holds the channel anybody may send on it;
    of those that came at the same time and did not, the first holds it from the next cycle on. So
    a head waits for at most one packet of each other source, and for no credit that another takes.

    Parameters
    ----------
    sources : int
        The queues whose packets may want the channel.
    guest : bool
        Whether the last of them is the terminal's, whose heads come after all others, or, if it
        insists, before them.

    Members
    -------
    waits : ``In(sources)``      The queues at whose front a head waits for this channel.
    tail : ``In(sources)``       The queues at whose front is a tail.
    gone : ``In(sources)``       One-hot, or 0: the one whose front goes on this channel.
    insists : ``In(1)``          The guest insists.
    holder : ``Out(sources)``    One-hot: whose packet has the channel; 0: it is free.
    free : ``Out(1)``            It is free.
    """

    waits: Signal
    tail: Signal
    gone: Signal
    insists: Signal
    holder: Signal
    free: Signal

    def __init__(self, sources: int, *, guest: bool = False) -> None:
        if sources < 1:
            raise ValueError(f"Handover needs at least 1 source, not {sources!r}")
        self.sources, self.guest = sources, guest
        super().__init__(
            {
                "waits": In(sources),
                "tail": In(sources),
                "gone": In(sources),
                "insists": In(1),
                "holder": Out(sources),
                "free": Out(1, init=1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Find who is next before it is known who goes: that comes late."""
        m = Module()
        others = Signal(self.sources)
        m.d.comb += others.eq(self.waits & ~self.holder)
        first = self._next(m, "first", self.holder, others)
        second = self._next(m, "second", first, others & ~first)
        stays, held = Signal(self.sources), Signal(self.sources)
        ends = Signal()  # of a packet that holds the channel
        m.d.comb += [
            stays.eq(self.gone & ~self.tail),
            ends.eq((self.holder & self.gone & self.tail).any()),
        ]
        with m.If(self.free):
            passed = (first & self.gone).any()
            m.d.comb += held.eq(Mux(stays.any(), stays, Mux(passed, second, first)))
        with m.Else():
            m.d.comb += held.eq(Mux(ends, first, self.holder))
        m.d.sync += [self.holder.eq(held), self.free.eq(~held.any())]
        return m

    def _next(self, m: Module, name: str, last: Value, waits: Value) -> Value:
        """Return whose turn it is of those that wait."""
        if not self.guest or self.sources == 1:
            return next_after(m, name, last, waits)
        home, guest = waits[:-1], waits[-1]
        turn = next_after(m, name, last[:-1], home)
        before, after = guest & self.insists, guest & ~home.any()
        return Cat(turn & ~before.replicate(len(home)), before | after)
