"""Batch arbiter: bounded bypass, whatever the arbitration among eligible heads."""

from amaranth import Cat, Module, Signal, Value

from fingerpost.formal.contract import Contract, at_most_one, at_most_times
from fingerpost.hdl.router.batch_arbiter import BatchArbiter

__all__ = ["LIMIT", "batch_arbiter"]

LIMIT = 2
"""Packets of each other buffer that may be granted before a waiting head."""


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
    contract = Contract()
    m = contract.m
    m.submodules.dut = dut = BatchArbiter(sources, yielding=range(sources)[sources - yielding :])
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
