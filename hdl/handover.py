"""Handing a channel of an output from packet to packet."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Handover"]


class Handover(wiring.Component):
    """Give a channel to one packet at a time, and after its tail to the next head that waits.

    The turn goes around the sources, one in a cycle, and stays where a head waits. After a tail
    the channel is given to the one whose turn it is. While nobody holds it anybody may send on it,
    and holds it until its tail has gone; in a cycle in which nobody takes it so it is given to the
    one whose turn it is. Who goes while nobody holds it has had its next turn: or else turns and
    the arbiter, which do not know of each other, would serve one twice as often as another. So
    nobody takes the credit for which a holder waits, and everybody's turn comes, whoever wins
    while nobody holds the channel.

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

    Raises
    ------
    ValueError
        If there are no sources.
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
        had = Signal(count)  # who went while nobody held the channel has had its next turn
        waits, first, goes = Signal(count), Signal(count), Signal(count)
        m.d.comb += [
            waits.eq(self.waits),
            first.eq(turn & waits & ~self.holder & ~had),
            goes.eq(Cat(self.grant[i] & self.nominated[k] for k, i in enumerate(self.sources))),
        ]
        if self.guest:
            m.d.comb += waits[-1].eq(self.waits[-1] & self.insists)
        # By input, so that the grant is used once it is there.
        sent, begun, met = [], [], []
        for i in dict.fromkeys(self.sources):
            queues = [k for k, j in enumerate(self.sources) if i == j]
            nominated, last, turns = (
                Cat(word[k] for k in queues) for word in (self.nominated, self.last, first)
            )
            sent.append(self.grant[i] & nominated.any())
            begun.append(self.grant[i] & (nominated & ~last).any())
            met.append(self.grant[i] & (nominated & turns).any())
        begins = Cat(begun).any()  # a packet, of which more is to come
        ends = Signal()  # the holder's packet ends
        waiting, moves = Signal(), Signal()  # whose turn it is waits; and it goes on
        kept, left = Signal(count), Signal(count)  # the holder if nothing goes; if its flit does
        taken = Signal(count)  # the holder if something goes while nobody is
        m.d.comb += [
            self.sent.eq(self.nominated.any() if self.only else Cat(sent).any()),
            ends.eq((self.holder & self.last).any()),
            waiting.eq(first.any()),
            kept.eq(Mux(self.free, first, self.holder)),
            left.eq(Mux(ends, first, self.holder)),
            taken.eq((goes & ~self.last) | (first & ~goes & ~begins.replicate(count))),
        ]
        m.d.comb += moves.eq(~waiting | Cat(met).any())
        every, passed = self.free.replicate(count), moves.replicate(count)
        m.d.sync += had.eq((had | (goes & every)) & ~(turn & passed))
        if count > 1:
            with m.If(moves):
                m.d.sync += turn.eq(turn.rotate_left(1))
        m.d.sync += [
            self.holder.eq(Mux(self.sent, Mux(self.free, taken, left), kept)),
            self.free.eq(
                Mux(
                    self.sent,
                    Mux(self.free, ~begins & (Cat(met).any() | ~waiting), ends & ~waiting),
                    self.free & ~waiting,
                )
            ),
        ]
        return m
