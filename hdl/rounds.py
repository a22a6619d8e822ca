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
    guest : bool
        Whether the last one is due only if it insists, and else goes as if it were not there.

    Members
    -------
    waits : ``In(sources)``    The queues at whose front a head waits for this channel.
    goes : ``In(sources)``     One-hot, or 0: whose head goes on it.
    begins : ``In(1)``         One goes.
    insists : ``In(1)``        The guest insists.
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

    def __init__(self, sources: int, *, guest: bool = False) -> None:
        if sources < 1:
            raise ValueError(f"Rounds needs at least 1 source, not {sources!r}")
        self.sources, self.guest = sources, guest
        super().__init__(
            {
                "waits": In(sources),
                "goes": In(sources),
                "begins": In(1),
                **({"insists": In(1)} if guest else {}),
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
        if self.guest:
            m.d.comb += due[-1].eq(self.waits[-1] & ~self.had[-1] & self.insists)
            m.d.comb += begins.eq(self.begins & (self.insists | ~self.goes[-1]))
        m.d.sync += self.had.eq((self.had | self.goes) & lasts.replicate(self.sources))
        return m
