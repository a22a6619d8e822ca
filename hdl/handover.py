"""Handing a channel of an output from packet to packet."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Handover"]


class Handover(wiring.Component):
    """Give a channel to one packet at a time, and after its tail to the next head that waits.

    The turn goes around the sources, one in a cycle, and stays at one whose head waits. While
    nobody holds the channel anybody may send on it, and holds it until its tail has gone; if
    nobody does, the one whose turn it is holds it from the next cycle on. After a tail it is given
    to the one whose turn it is. Who goes while nobody holds the channel has had its next turn: or
    else turns and the arbiter, which do not know of each other, may serve one twice as often as
    another. So nobody takes the credit for which a holder waits, and a turn
    comes after at most one packet of each other source, and a cycle for each that does not wait.

    Parameters
    ----------
    sources : tuple of int
        The queues whose packets may want the channel: of each the number of its input.
    inputs : int
        The inputs.
    only : bool
        Whether this is the only channel of its output: then something goes if it can.
    guest : bool
        Whether the last source is the terminal's, which has a turn only if it insists.

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

    def __init__(
        self, sources: tuple[int, ...], *, inputs: int, only: bool = False, guest: bool = False
    ) -> None:
        if not sources:
            raise ValueError("Handover needs at least 1 source, not none")
        self.sources, self.only, self.guest = sources, only, guest
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
        """Let the turn go around; it is known before it is known who goes, which comes late."""
        m = Module()
        count = len(self.sources)
        turn = Signal(count, init=1)  # one-hot
        waits, first, goes = Signal(count), Signal(count), Signal(count)
        had = Signal(count)  # since their last turn they went without holding the channel
        m.d.comb += [
            waits.eq(self.waits),
            first.eq(turn & waits & ~self.holder & ~had),
            goes.eq(Cat(self.grant[i] & self.nominated[k] for k, i in enumerate(self.sources))),
        ]
        if self.guest:
            m.d.comb += waits[-1].eq(self.waits[-1] & self.insists)
        if count > 1:
            with m.If(~first.any()):
                m.d.sync += turn.eq(turn.rotate_left(1))
            passed = turn & ~first.any().replicate(count)
            m.d.sync += had.eq((had | (goes & self.free.replicate(count))) & ~passed)

        # By input, so that the grant is used once it is there.
        sent, begun = [], []
        for i in dict.fromkeys(self.sources):
            queues = [k for k, j in enumerate(self.sources) if i == j]
            nominated = Cat(self.nominated[k] for k in queues)
            last = Cat(self.last[k] for k in queues)
            sent.append(self.grant[i] & nominated.any())
            begun.append(self.grant[i] & (nominated & ~last).any())
        ends = Signal()  # the holder's front is the last of its packet
        kept, left = Signal(count), Signal(count)  # the holder if nothing goes; if something does
        m.d.comb += [
            self.sent.eq(self.nominated.any() if self.only else Cat(sent).any()),
            ends.eq((self.holder & self.last).any()),
            kept.eq(Mux(self.free, first, self.holder)),
            left.eq(Mux(ends, first, self.holder)),
        ]
        m.d.sync += [
            self.holder.eq(Mux(self.sent, Mux(self.free, goes & ~self.last, left), kept)),
            self.free.eq(
                Mux(
                    self.sent,
                    Mux(self.free, ~Cat(begun).any(), ends & ~first.any()),
                    self.free & ~first.any(),
                )
            ),
        ]
        return m
