"""Arbitration: whoever has waited longest."""

from collections.abc import Sequence

from amaranth import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Arbiter"]


class Arbiter(wiring.Component):
    """Grant one request per cycle, that of the requester who was served longest ago.

    Requester 0 comes first at the start. For every pair there is one bit that tells who comes
    first, so a grant is two levels of logic away from the requests. Who is granted something and
    cannot take it must not be told to be served.

    Parameters
    ----------
    requests : int
        The number of requesters.
    guests : sequence of int
        Those of them that can come before or after all others, whatever their turns.

    Members
    -------
    request : ``In(requests)``        Bit i is set while requester i wants the resource.
    before, after : ``In(guests)``    Where each guest comes now; neither: in its turn.
    grant : ``Out(requests)``         One-hot, a subset of `request`; same cycle.
    served : ``In(requests)``         One-hot, or 0: who comes last from now on.

    Raises
    ------
    ValueError
        If nobody requests.
    """

    request: Signal
    before: Signal
    after: Signal
    grant: Signal
    served: Signal

    def __init__(self, requests: int, *, guests: Sequence[int] = ()) -> None:
        if requests < 1:
            raise ValueError(f"Arbiter needs at least 1 request, not {requests!r}")
        self.requests, self.guests = requests, tuple(guests)
        place = {"before": In(len(guests)), "after": In(len(guests))} if guests else {}
        super().__init__(
            {"request": In(requests), **place, "grant": Out(requests), "served": In(requests)}
        )

    def elaborate(self, platform: object) -> Module:
        """Grant unless somebody who comes first wants it too; who is served comes last."""
        m = Module()
        beaten: dict[int, list[Value]] = {i: [] for i in range(self.requests)}
        never = [Value.cast(0)] * self.requests
        before, after = list(never), list(never)
        for number, guest in enumerate(self.guests):
            before[guest], after[guest] = self.before[number], self.after[number]
        for i in range(self.requests):
            for j in range(i + 1, self.requests):
                turn = Signal(init=1, name=f"first{i}_{j}")  # i comes before j
                m.d.sync += turn.eq((turn | self.served[j]) & ~self.served[i])
                first: Value = turn
                if i in self.guests or j in self.guests:
                    earlier = (before[i] & ~before[j]) | (after[j] & ~after[i])
                    later = (before[j] & ~before[i]) | (after[i] & ~after[j])
                    first = (turn | earlier) & ~later
                beaten[j].append(self.request[i] & first)
                beaten[i].append(self.request[j] & ~first)
        for i, others in beaten.items():
            m.d.comb += self.grant[i].eq(self.request[i])
            for other in others:
                with m.If(other):
                    m.d.comb += self.grant[i].eq(0)
        return m
