"""Handing a channel of an output from packet to packet."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.round_robin import next_after

__all__ = ["Handover"]


class Handover(wiring.Component):
    """Give a channel to one packet at a time, and after its tail to the next head that waits.

    Heads take turns, from the holder on. While nobody holds the channel anybody may send on it,
    and holds it until its tail has gone; where a head waits that does not get to, for want of a
    credit or of its turn, the first that does holds the channel from the next cycle on. So nobody
    takes the credit for which the holder waits, and who waits is passed by one packet of each.

    Parameters
    ----------
    sources : tuple of int
        The queues whose packets may want the channel: of each the number of its input.
    inputs : int
        The inputs.
    guest : bool
        Whether the last source is the terminal's, whose heads come after all others, or, if it
        insists, before them.

    Members
    -------
    waits : ``In(sources)``        The queues at whose front a head waits for this channel.
    last : ``In(sources)``         The queues at whose front is a tail.
    nominated : ``In(sources)``    Those whose front goes on this channel if its input is granted.
    grant : ``In(inputs)``         One-hot, or 0: the input of which something goes.
    insists : ``In(1)``            The guest insists.
    sent : ``Out(1)``              Something goes on this channel.
    holder : ``Out(sources)``      One-hot: whose packet has the channel; 0: it is free.
    free : ``Out(1)``              It is free.
    """

    waits: Signal
    last: Signal
    nominated: Signal
    grant: Signal
    insists: Signal
    sent: Signal
    holder: Signal
    free: Signal

    def __init__(self, sources: tuple[int, ...], *, inputs: int, guest: bool = False) -> None:
        if not sources:
            raise ValueError("Handover needs at least 1 source, not none")
        self.sources, self.guest = sources, guest
        count = len(sources)
        super().__init__(
            {
                "waits": In(count),
                "last": In(count),
                "nominated": In(count),
                "grant": In(inputs),
                "insists": In(1),
                "sent": Out(1),
                "holder": Out(count),
                "free": Out(1, init=1),  # type: ignore[call-arg]
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Find who is next before it is known who goes: that comes late."""
        m = Module()
        count = len(self.sources)
        others, goes = Signal(count), Signal(count)
        m.d.comb += [
            others.eq(self.waits & ~self.holder),
            goes.eq(Cat(self.grant[i] & self.nominated[k] for k, i in enumerate(self.sources))),
        ]
        first = self._next(m, others)
        # By input, so that the grant is used once it is there.
        inputs = {i: [k for k, j in enumerate(self.sources) if i == j] for i in self.sources}
        m.d.comb += self.sent.eq(
            Cat(
                self.grant[i] & Cat(self.nominated[k] for k in queues).any()
                for i, queues in inputs.items()
            ).any()
        )

        ends = Signal()  # what goes is the last of its packet
        kept, left = Signal(count), Signal(count)  # the holder if nothing goes; if something does
        m.d.comb += [
            ends.eq((self.holder & self.last).any()),
            kept.eq(Mux(self.free, first, self.holder)),
            left.eq(Mux(ends, first, self.holder)),
        ]
        begun = goes & ~self.last
        m.d.sync += [
            self.holder.eq(Mux(self.sent, Mux(self.free, begun, left), kept)),
            self.free.eq(Mux(self.sent, Mux(self.free, ~begun.any(), ~left.any()), ~kept.any())),
        ]
        return m

    def _next(self, m: Module, waits: Signal) -> Value:
        """Return whose turn it is of those that wait."""
        if not self.guest or len(waits) == 1:
            return next_after(m, "home", self.holder, waits)
        home, guest = waits[:-1], waits[-1]
        turn = next_after(m, "home", self.holder[:-1], home)
        before, after = guest & self.insists, guest & ~home.any()
        return Cat(turn & ~before.replicate(len(home)), before | after)
