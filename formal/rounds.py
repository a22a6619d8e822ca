"""Rounds: everybody's turn comes, whoever wins where several may go."""

from amaranth import Cat, Module, Signal, Value

from formal.contract import Contract, at_most_one, at_most_times
from hdl.rounds import Rounds

__all__ = ["LIMIT", "rounds"]

LIMIT = 2
"""Packets of each other queue that may go before a head that waits."""


def rounds(sources: int, *, guests: int = 0, courtesy: int = 1) -> Contract:
    """Return what the rounds of a channel promise.

    Around them are queues with any packets, credits that come at any time, and any arbitration
    among the heads that have not had their turn while no packet has the channel.

    While a head waits, at most `LIMIT` packets of each other queue go first; no less can be
    promised. While one is kept back since it has had its turn there is one that is due. A guest
    that does not insist may wait for ever, and is not in anybody's way.

    Parameters
    ----------
    sources : int
    guests : int
        So many of the last are due only if they insist.
    courtesy : int
        A guest insists from when that many packets of the others have gone since its last until it
        goes.
    """
    contract = Contract()
    m = contract.m
    m.submodules.dut = dut = Rounds(sources, guests=range(sources)[sources - guests :])
    heads, starts = _queues(contract, dut)
    asks = Signal(sources)
    m.d.comb += asks.eq(heads)
    for number in range(guests):
        source = sources - guests + number
        insists = _insists(contract, starts, source, courtesy)
        m.d.comb += [dut.insists[number].eq(insists), asks[source].eq(heads[source] & insists)]
    had = contract.see("had", dut.had)
    contract.claim("somebody_is_due", ~had.any() | (asks & ~had).any())

    waiting, other = contract.one_of("waiting", sources), contract.one_of("other", sources)
    contract.assume(waiting != other)
    waits, passes = Signal(), Signal()
    m.d.comb += [
        waits.eq((asks & ~starts & waiting).any()),
        passes.eq((starts & other).any()),
    ]
    if guests:
        # They go unasked only where nobody else could; that is for the arbiter to see to.
        with m.If((other & ~asks)[sources - guests :].any()):
            m.d.comb += passes.eq(0)
    contract.claim("served", at_most_times(m, LIMIT, waits, passes))
    return contract


def _queues(contract: Contract, dut: Rounds) -> tuple[Signal, Signal]:
    """Return of each queue whether a head waits, and whether it goes."""
    m: Module = contract.m
    count = dut.sources
    comes, tail = contract.anything("comes", count), contract.anything("tail", count)
    picked = contract.anything("picked", count)
    contract.assume(at_most_one(picked))
    front, last, inside, goes = (Signal(count, name=n) for n in ("f", "last", "inside", "goes"))
    heads, starts = front & ~inside, contract.see("starts", goes & ~inside)
    may = inside | (~dut.had & (~inside.any()).replicate(count))
    m.d.comb += [
        dut.waits.eq(heads),
        dut.goes.eq(starts),
        dut.begins.eq(starts.any()),
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


def _insists(contract: Contract, starts: Value, guest: int, courtesy: int) -> Value:
    """Let a guest insist once others have gone first, at the earliest in the cycle after."""
    m = contract.m
    insists, soon = Signal(name=f"insists{guest}"), contract.anything(f"soon{guest}")
    passed = Signal(courtesy)  # a thermometer
    with m.If(starts[guest]):
        m.d.sync += passed.eq(0)
    with m.Elif(starts.any()):
        m.d.sync += passed.eq(Cat(1, passed))
    kept = Signal()
    m.d.comb += insists.eq(kept | (soon & passed[-1]))
    m.d.sync += kept.eq(insists & ~starts[guest])
    return contract.see(f"insists{guest}", insists)
