"""The arbiter: one at a time, and each of the others once while somebody waits."""

from amaranth import Cat, Const, Signal

from formal.contract import Contract, at_most_one
from hdl.arbiter import Arbiter

__all__ = ["arbiter"]


def arbiter(requests: int, *, guests: int = 0) -> Contract:
    """Return what an arbiter promises.

    One that requests is granted if anybody requests; whether it is then served, is for others to
    say. While a requester goes on requesting without being served, each of the others is served at
    most once: it waits for requests - 1 of them. Whoever comes before it as a guest does not count,
    nor does anybody while it comes after them as a guest.

    Parameters
    ----------
    requests : int
    guests : int
        So many of the last are guests.
    """
    contract = Contract()
    contract.m.submodules.dut = dut = Arbiter(requests, guests=range(requests)[requests - guests :])
    m = contract.m
    request = contract.anything("request", requests)
    grant = contract.see("grant", dut.grant)
    served = contract.see("served", grant & contract.anything("takes").replicate(requests))
    m.d.comb += [dut.request.eq(request), dut.served.eq(served)]
    contract.claim("one_at_a_time", at_most_one(grant))
    contract.claim("who_requests", ~(grant & ~request).any())
    contract.claim("somebody", grant.any() == request.any())

    waiting, other = contract.one_of("waiting", requests), contract.one_of("other", requests)
    contract.assume(waiting != other)
    waits, passed = Signal(), Signal()
    m.d.comb += [
        waits.eq((request & waiting).any() & ~(served & waiting).any()),
        passed.eq((served & other).any()),
    ]
    if guests:
        ranks = contract.anything("before", guests), contract.anything("after", guests)
        m.d.comb += [dut.before.eq(ranks[0]), dut.after.eq(ranks[1])]
        contract.assume(~(ranks[0] & ranks[1]).any())
        before, after = (Cat(Const(0, requests - guests), rank) for rank in ranks)
        first = (request & before).any()
        contract.claim("guest_before", ~(first & (grant & ~before).any()))
        contract.claim("guest_after", ~((grant & after).any() & (request & ~after).any()))
        earlier = ((other & before).any() & ~(waiting & before).any()) | (
            (waiting & after).any() & ~(other & after).any()
        )
        with m.If(earlier):
            m.d.comb += passed.eq(0)
    once = Signal()
    m.d.sync += once.eq(waits & (once | passed))
    contract.claim("each_other_once", ~(once & waits & passed))
    return contract
