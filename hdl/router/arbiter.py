"""Arbiter: grants the least recently served requester."""

from collections.abc import Sequence

from amaranth import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class Arbiter(wiring.Component):
    """Grant one request per cycle: a matrix arbiter, least recently served first.

    Requester 0 has the highest priority after reset. One bit for every pair of requesters holds
    their order, so a grant is two levels of logic away from the requests. Assert `update` only
    for a requester that is granted and takes the resource.

    With three requesters::

        cycle    0   1   2   3   4
        request  111 111 111 011 011
        grant    001 010 100 001 010
        update   001 010 100 001 010

    Parameters
    ----------
    requests : int
        Number of requesters.
    yielding : sequence of int
        The requesters that can be put above or below all others, whatever their order.

    Members
    -------
    request : ``In(requests)``    Bit i is asserted while requester i requests the resource.
    high, low : ``In(yielding)``  Rank of each yielding requester: above all, below all, or neither.
    grant : ``Out(requests)``     One-hot or 0, a subset of `request`, in the same cycle.
    update : ``In(requests)``     One-hot or 0: the requester that gets the lowest priority.

    Raises
    ------
    ValueError
        If there are no requesters.
    """

    request: Signal
    high: Signal
    low: Signal
    grant: Signal
    update: Signal

    def __init__(self, requests: int, *, yielding: Sequence[int] = ()) -> None:
        if requests < 1:
            raise ValueError(f"Arbiter needs at least 1 request, not {requests!r}")
        self.requests, self.yielding = requests, tuple(yielding)
        ranks = {"high": In(len(yielding)), "low": In(len(yielding))} if yielding else {}
        super().__init__(
            {"request": In(requests), **ranks, "grant": Out(requests), "update": In(requests)}
        )

    def elaborate(self, platform: object) -> Module:
        """Grant a request unless another blocks it: one that is asserted and comes first."""
        m = Module()
        blockers: dict[int, list[Value]] = {i: [] for i in range(self.requests)}
        never = [Value.cast(0)] * self.requests
        high, low = list(never), list(never)
        for number, i in enumerate(self.yielding):
            high[i], low[i] = self.high[number], self.low[number]
        for i in range(self.requests):
            for j in range(i + 1, self.requests):
                order = Signal(init=1, name=f"first{i}_{j}")  # i comes before j
                m.d.sync += order.eq((order | self.update[j]) & ~self.update[i])
                first: Value = order
                if i in self.yielding or j in self.yielding:
                    above = (high[i] & ~high[j]) | (low[j] & ~low[i])
                    below = (high[j] & ~high[i]) | (low[i] & ~low[j])
                    first = (order | above) & ~below
                blockers[j].append(self.request[i] & first)
                blockers[i].append(self.request[j] & ~first)
        for i, others in blockers.items():
            m.d.comb += self.grant[i].eq(self.request[i])
            for other in others:
                with m.If(other):
                    m.d.comb += self.grant[i].eq(0)
        return m
