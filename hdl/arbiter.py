"""Arbitration: whoever has waited longest."""

from amaranth import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Arbiter"]


class Arbiter(wiring.Component):
    """Grant one request per cycle, that of the requester whose last grant is longest ago.

    Requester 0 comes first at the start. For every pair there is one bit that tells who comes
    first, so a grant is two levels of logic away from the requests.

    Parameters
    ----------
    requests : int
        The number of requesters.

    Members
    -------
    request : ``In(requests)``   Bit i is set while requester i wants the resource.
    grant : ``Out(requests)``    One-hot, a subset of `request`; same cycle.
    """

    request: Signal
    grant: Signal

    def __init__(self, requests: int) -> None:
        if requests < 1:
            raise ValueError(f"Arbiter needs at least 1 request, not {requests!r}")
        self.requests = requests
        super().__init__({"request": In(requests), "grant": Out(requests)})

    def elaborate(self, platform: object) -> Module:
        """Grant unless somebody who comes first wants it too; who is granted comes last."""
        m = Module()
        beaten: dict[int, list[Value]] = {i: [] for i in range(self.requests)}
        for i in range(self.requests):
            for j in range(i + 1, self.requests):
                first = Signal(init=1, name=f"first{i}_{j}")  # i comes before j
                beaten[j].append(self.request[i] & first)
                beaten[i].append(self.request[j] & ~first)
                m.d.sync += first.eq((first | self.grant[j]) & ~self.grant[i])
        for i, others in beaten.items():
            m.d.comb += self.grant[i].eq(self.request[i])
            for other in others:
                with m.If(other):
                    m.d.comb += self.grant[i].eq(0)
        return m
