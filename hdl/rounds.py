"""Rounds: of those that wait for a channel each goes once before any goes twice."""

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

    Members
    -------
    waits : ``In(sources)``    The queues at whose front a head waits for this channel.
    goes : ``In(sources)``     One-hot, or 0: whose front goes on it.
    begins : ``In(1)``         That is a head that was due.
    had : ``Out(sources)``     Who has had its turn.
    """

    waits: Signal
    goes: Signal
    begins: Signal
    had: Signal

    def __init__(self, sources: int) -> None:
        if sources < 1:
            raise ValueError(f"Rounds needs at least 1 source, not {sources!r}")
        self.sources = sources
        super().__init__(
            {
                "waits": In(sources),
                "goes": In(sources),
                "begins": In(1),
                "had": Out(sources),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Count who is due up to two: one of them may be going."""
        m = Module()
        due = Signal(self.sources)
        some, several, lasts = Signal(), Signal(), Signal()
        m.d.comb += [
            due.eq(self.waits & ~self.had),
            some.eq(due.any()),
            several.eq(Cat(due[k] & due[:k].any() for k in range(self.sources)).any()),
            lasts.eq(several | (some & ~self.begins)),
        ]
        m.d.sync += self.had.eq((self.had | self.goes) & lasts.replicate(self.sources))
        return m
