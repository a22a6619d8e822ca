"""What counts at a node, until all that was counted is fetched."""

from amaranth import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class Tap(wiring.Component):
    """Count at one node, and hand over the counts of all nodes at once, one after another.

    At a tick all counts go to registers that are a chain through all nodes, and begin anew: so
    what is handed over is of one and the same cycle, and no event is lost. Behind the tick the
    chain moves by one place in every cycle. All that comes in passes a register first: nothing of
    the network waits for it.

    Parameters
    ----------
    events : int
        Events that are counted.
    totals : tuple of int
        The widths of counters of others that are followed: they count from the reset on, and what
        they have counted since the last tick is handed over.
    width : int
        Bits of a count: enough for an event in every cycle from tick to tick.

    Members
    -------
    tick : ``In(1)``                What came before this cycle is handed over.
    events : ``In(events)``         Bit e: event e, in this cycle.
    totals : ``In(sum(totals))``    The counters that are followed, the first lowest.
    after : ``In(width)``           The chain, from the next node.
    chain : ``Out(width)``          And to the one before; two cycles after the tick it has the
                                    first event's count.

    Raises
    ------
    ValueError
        If a counter that is followed does not fit.
    """

    tick: Signal
    events: Signal
    totals: Signal
    after: Signal
    chain: Signal

    def __init__(self, *, events: int, totals: tuple[int, ...], width: int) -> None:
        if max(totals, default=0) > width:
            raise ValueError(f"Tap needs a width of at least {max(totals)}, not {width}")
        self.widths, self.width = totals, width
        super().__init__(
            {
                "tick": In(1),
                "events": In(events),
                "totals": In(sum(totals)),
                "after": In(width),
                "chain": Out(width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Count, and move."""
        m = Module()
        tick, events, totals = Signal(), Signal.like(self.events), Signal.like(self.totals)
        m.d.sync += [tick.eq(self.tick), events.eq(self.events), totals.eq(self.totals)]
        counts: list[Value] = []
        for place, event in enumerate(events):
            count = Signal(self.width, name=f"count{place}")
            with m.If(tick):
                m.d.sync += count.eq(event)
            with m.Else():
                m.d.sync += count.eq(count + event)
            counts.append(count)
        start = 0
        for place, width in enumerate(self.widths):
            total, before = totals[start : start + width], Signal(width, name=f"before{place}")
            start += width
            with m.If(tick):
                m.d.sync += before.eq(total)
            counts.append((total - before)[:width])
        held = [Signal(self.width, name=f"held{place}") for place in range(len(counts))]
        chain: list[Value] = [*held, self.after]
        for hold, counted, following in zip(held, counts, chain[1:], strict=True):
            with m.If(tick):
                m.d.sync += hold.eq(counted)
            with m.Else():
                m.d.sync += hold.eq(following)
        m.d.comb += self.chain.eq(held[0])
        return m
