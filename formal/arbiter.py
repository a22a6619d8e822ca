"""The arbiter: one at a time, and each of the others once while somebody waits."""

from amaranth import Signal

from formal.contract import Contract, at_most_one
from hdl.arbiter import Arbiter

__all__ = ["arbiter"]


def arbiter(requests: int, *, guest: bool = False) -> Contract:
    """Return what an arbiter promises.

    One that requests is granted if anybody requests; whether it is then served, is for others to
    say. While a requester goes on requesting without being served, each of the others is served at
    most once: it waits for requests - 1 of them. A guest that comes before all others does not
    count, and a guest that comes after them has no bound.
    """
    contract = Contract()
    contract.m.submodules.dut = dut = Arbiter(requests, guest=guest)
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
    if guest:
        before, after = contract.anything("before"), contract.anything("after")
        m.d.comb += [dut.before.eq(before), dut.after.eq(after)]
        contract.assume(~(before & after))
        contract.claim("guest_before", grant[-1] | ~(request[-1] & before))
        contract.claim("guest_after", ~(grant[-1] & after & request[:-1].any()))
        with m.If(other[-1] & before):
            m.d.comb += passed.eq(0)
        with m.If(waiting[-1] & after):
            m.d.comb += waits.eq(0)
    once = Signal()
    m.d.sync += once.eq(waits & (once | passed))
    contract.claim("each_other_once", ~(once & waits & passed))
    return contract
