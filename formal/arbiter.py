"""Arbiter: one grant at a time, and each other requester at most once while one waits."""

from amaranth import Cat, Const, Signal

from fingerpost.formal.contract import Contract, at_most_one
from fingerpost.hdl.router.arbiter import Arbiter

__all__ = ["arbiter"]


def arbiter(requests: int, *, yielding: int = 0) -> Contract:
    """Return what an arbiter promises.

    If there are requests, one of them is granted; `update` says whether it takes the resource.
    While a requester waits, each of the others is updated at most once: it waits for requests - 1
    of them. Yielding requesters that rank above it do not count, nor do any while it ranks below.

    Parameters
    ----------
    requests : int
    yielding : int
        So many of the last requesters are yielding.
    """
    contract = Contract()
    contract.m.submodules.dut = dut = Arbiter(
        requests, yielding=range(requests)[requests - yielding :]
    )
    m = contract.m
    request = contract.anything("request", requests)
    grant = contract.see("grant", dut.grant)
    update = contract.see("update", grant & contract.anything("takes").replicate(requests))
    m.d.comb += [dut.request.eq(request), dut.update.eq(update)]
    contract.claim("one_at_a_time", at_most_one(grant))
    contract.claim("only_requests", ~(grant & ~request).any())
    contract.claim("work_conserving", grant.any() == request.any())

    waiting, other = contract.one_of("waiting", requests), contract.one_of("other", requests)
    contract.assume(waiting != other)
    waits, passed = Signal(), Signal()
    m.d.comb += [
        waits.eq((request & waiting).any() & ~(update & waiting).any()),
        passed.eq((update & other).any()),
    ]
    if yielding:
        ranks = contract.anything("high", yielding), contract.anything("low", yielding)
        m.d.comb += [dut.high.eq(ranks[0]), dut.low.eq(ranks[1])]
        contract.assume(~(ranks[0] & ranks[1]).any())
        high, low = (Cat(Const(0, requests - yielding), rank) for rank in ranks)
        first = (request & high).any()
        contract.claim("high_first", ~(first & (grant & ~high).any()))
        contract.claim("low_last", ~((grant & low).any() & (request & ~low).any()))
        earlier = ((other & high).any() & ~(waiting & high).any()) | (
            (waiting & low).any() & ~(other & low).any()
        )
        with m.If(earlier):
            m.d.comb += passed.eq(0)
    once = Signal()
    m.d.sync += once.eq(waits & (once | passed))
    contract.claim("each_other_once", ~(once & waits & passed))
    return contract
