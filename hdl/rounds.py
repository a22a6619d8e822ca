"""Rounds: of those that wait for a channel each goes once before any goes twice."""

from collections.abc import Sequence

from amaranth import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Rounds"]


class Rounds(wiring.Component):
    """Remember who has had its turn on a channel, while somebody waits that has not.

    Whose head waits and has not had its turn is due. Who goes while another is due has had its
    turn, and lets others go first until nobody is due: that is the end of the round. So whoever
    waits is passed by each other source at most once in a round, whoever wins where several go.

    Parameters
    ----------
    sources : int
        The queues whose packets may want the channel.
    guests : sequence of int
        Those that are due only if they insist, and else go as if they were not there.

    Members
    -------
    waits : ``In(sources)``    The queues at whose front a head waits for this channel.
    goes : ``In(sources)``     One-hot, or 0: whose head goes on it.
    begins : ``In(1)``         One goes.
    insists : ``In(guests)``   Which of the guests insist.
    had : ``Out(sources)``     Who has had its turn.
    due : ``Out(sources)``     Who waits and has not.

    Raises
    ------
    ValueError
        If there are no sources.
    """

    waits: Signal
    goes: Signal
    begins: Signal
    insists: Signal
    had: Signal
    due: Signal

    def __init__(self, sources: int, *, guests: Sequence[int] = ()) -> None:
        if sources < 1:
            raise ValueError(f"Rounds needs at least 1 source, not {sources!r}")
        self.sources, self.guests = sources, tuple(guests)
        super().__init__(
            {
                "waits": In(sources),
                "goes": In(sources),
                "begins": In(1),
                **({"insists": In(len(guests))} if guests else {}),
                "had": Out(sources),
                "due": Out(sources),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Count who is due up to two: one of them may be going."""
        m = Module()
        due = self.due
        some, several, begins, lasts = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            due.eq(self.waits & ~self.had),
            some.eq(due.any()),
            several.eq(Cat(due[k] & due[:k].any() for k in range(self.sources)).any()),
            begins.eq(self.begins),
            lasts.eq(several | (some & ~begins)),
        ]
        if self.guests:
            polite = dict(zip(self.guests, ~self.insists, strict=True))
            for k, keeps_back in polite.items():
                m.d.comb += due[k].eq(self.waits[k] & ~self.had[k] & ~keeps_back)
            unasked = Cat(self.goes[k] & keeps_back for k, keeps_back in polite.items())
            m.d.comb += begins.eq(self.begins & ~unasked.any())
        m.d.sync += self.had.eq((self.had | self.goes) & lasts.replicate(self.sources))
        return m
