"""Arbiters: one grant at a time, batches that let each requester win once, and bypass limits."""

from amaranth import Cat, Const, Module, Signal, Value

from fingerpost.formal.contract import Contract, about, at_most_one, at_most_times
from fingerpost.hdl.router.switch_allocator import Arbiter, BypassLimit
from fingerpost.hdl.router.vc_allocator import BatchArbiter

LIMIT = 2
"""Packets of each other buffer that may be granted before a waiting head."""


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


def batch_arbiter(sources: int, *, yielding: int = 0, bypass_limit: int = 1) -> Contract:
    """Return what the batch arbiter of a virtual channel promises.

    Around it are buffers with any packets, credits at any time, and any arbitration among the heads
    that are not masked while no packet holds the channel.

    While a head waits, at most `LIMIT` packets of each other buffer are granted first; this bound
    is tight. While a source is masked, another is pending. A yielding source that is not promoted
    may wait for ever, and blocks no other.

    Parameters
    ----------
    sources : int
    yielding : int
        So many of the last sources are pending only while they are promoted.
    bypass_limit : int
        A yielding source is promoted once that many packets of the others have been granted since
        its last, until it is granted.
    """
    contract, m, dut = about(BatchArbiter(sources, yielding=range(sources)[sources - yielding :]))
    heads, starts = _queues(contract, dut)
    asks = Signal(sources)
    m.d.comb += asks.eq(heads)
    for number in range(yielding):
        source = sources - yielding + number
        promoted = _promoted(contract, starts, source, bypass_limit)
        m.d.comb += [dut.promoted[number].eq(promoted), asks[source].eq(heads[source] & promoted)]
    served = contract.see("served", dut.served)
    contract.claim("one_is_pending", ~served.any() | (asks & ~served).any())

    waiting, other = contract.one_of("waiting", sources), contract.one_of("other", sources)
    contract.assume(waiting != other)
    waits, passes = Signal(), Signal()
    m.d.comb += [
        waits.eq((asks & ~starts & waiting).any()),
        passes.eq((starts & other).any()),
    ]
    if yielding:
        # Unpromoted heads are granted only where no other could be; the switch arbiter ensures it.
        with m.If((other & ~asks)[sources - yielding :].any()):
            m.d.comb += passes.eq(0)
    contract.claim("bounded_bypass", at_most_times(m, LIMIT, waits, passes))
    return contract


def _queues(contract: Contract, dut: BatchArbiter) -> tuple[Signal, Signal]:
    """Return of each buffer whether a head waits, and whether it is granted."""
    m: Module = contract.m
    count = dut.sources
    comes, tail = contract.anything("comes", count), contract.anything("tail", count)
    picked = contract.anything("picked", count)
    contract.assume(at_most_one(picked))
    front, last, inside, goes = (Signal(count, name=n) for n in ("f", "last", "inside", "goes"))
    heads, starts = front & ~inside, contract.see("starts", goes & ~inside)
    may = inside | (~dut.served & (~inside.any()).replicate(count))
    m.d.comb += [
        dut.valid.eq(heads),
        dut.granted.eq(starts),
        dut.starts.eq(starts.any()),
        goes.eq(picked & front & may),
    ]
    for k in range(count):
        with m.If(goes[k]):
            m.d.sync += inside[k].eq(~last[k])
        with m.If(goes[k] | ~front[k]):
            m.d.sync += [front[k].eq(comes[k]), last[k].eq(tail[k])]
    for name, value in (("front", front), ("inside", inside), ("last", last), ("goes", goes)):
        contract.see(name, value)
    return contract.see("heads", heads), starts


def _promoted(contract: Contract, starts: Value, source: int, bypass_limit: int) -> Value:
    """Promote a source once others have bypassed it, at the earliest in the next cycle."""
    m = contract.m
    promoted, soon = Signal(name=f"promoted{source}"), contract.anything(f"soon{source}")
    passed = Signal(bypass_limit)  # a thermometer
    with m.If(starts[source]):
        m.d.sync += passed.eq(0)
    with m.Elif(starts.any()):
        m.d.sync += passed.eq(Cat(1, passed))
    kept = Signal()
    m.d.comb += promoted.eq(kept | (soon & passed[-1]))
    m.d.sync += kept.eq(promoted & ~starts[source])
    return contract.see(f"promoted{source}", promoted)


def bypass_limit(*, limit: int) -> Contract:
    """Return what a bypass limit promises of any heads, packets that bypass them, and grants.

    It equals `bypasses`, the reference that stands around an output port in its contract; so a head
    is promoted from the cycle after the last of `limit` bypasses to its grant, and no other is.
    """
    contract, m, dut = about(BypassLimit(limit))
    valid, bypassed, granted = contract.free(dut, "valid", "bypassed", "granted")
    # A head waits until it is granted.
    contract.assume(~granted | valid)
    due = bypasses(m, "due", limit, waits=valid, bypassed=bypassed, granted=granted)
    contract.see("promoted", dut.promoted)
    contract.claim("exact", dut.promoted == due[-1])
    return contract


def bypasses(
    m: Module, name: str, limit: int, *, waits: Value, bypassed: Value, granted: Value
) -> Signal:
    """Return a thermometer of the packets that bypassed a head since the last was granted."""
    passed = Signal(limit, name=name)
    with m.If(granted):
        m.d.sync += passed.eq(0)
    with m.Elif(waits & bypassed):
        m.d.sync += passed.eq(Cat(1, passed))
    return passed
