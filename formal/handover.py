"""The hand-over: a channel belongs to one packet, and everybody's turn comes."""

from amaranth import Cat, Const, Signal

from formal.contract import Contract, at_most_one, at_most_times
from hdl.handover import Handover

__all__ = ["handover"]


def handover(inputs: tuple[int, ...], *, guest: bool = False) -> Contract:
    """Return what the hand-over of a channel promises.

    Around it are queues with any packets, credits that come at any time, and any arbitration.

    From a packet's head to its tail no other queue may send on the channel. While a head waits,
    at most as many packets go to which the channel was given as there are queues, of each other
    at most two. If nobody holds it, and nothing goes on it, it is given to somebody after as
    many cycles as there are queues. What remains to arbitration are packets that go while
    nobody holds the channel, when the head may go too.

    Parameters
    ----------
    inputs : tuple of int
        Of each queue the input.
    guest : bool
        Whether the last one has a turn only if it insists, whenever it does.
    """
    contract = Contract()
    count, numbers = len(inputs), max(inputs) + 1
    m = contract.m
    m.submodules.dut = dut = Handover(inputs, inputs=numbers, guest=guest)
    holder, free = contract.see("holder", dut.holder), contract.see("free", dut.free)
    inside, goes = _queues(contract, dut, numbers)
    starts = contract.see("starts", goes & ~inside)

    contract.claim("one_holder", at_most_one(holder))
    contract.claim("free", free == ~holder.any())
    contract.claim("own", ~(inside & ~holder).any())  # from head to tail, and so nobody else's
    contract.claim("one_goes", at_most_one(goes))
    contract.claim("sent", dut.sent == goes.any())
    had, uses = Signal.like(dut.holder), Signal()
    m.d.sync += [had.eq(holder), uses.eq((holder & ~(goes & dut.last)).any())]
    contract.claim("kept", ~uses | (had == holder))
    contract.claim("useful", ~(holder & ~inside & ~dut.waits).any())

    waiting, other = contract.one_of("waiting", count), contract.one_of("other", count)
    contract.assume(waiting != other)
    asks = dut.waits & ~goes
    if guest:
        insists = contract.anything("insists")
        m.d.comb += dut.insists.eq(insists)
        asks = Cat(asks[:-1], asks[-1] & insists)
    waits = contract.see("waits", (asks & waiting).any())
    begins = starts & holder & ~waiting
    contract.claim("each_twice", at_most_times(m, 2, waits, (begins & other).any()))
    contract.claim("one_more_than_others", at_most_times(m, count, waits, begins.any()))
    idle = waits & free & ~dut.sent
    contract.claim("held", at_most_times(m, count, idle, Const(1, 1)))
    return contract


def _queues(contract: Contract, dut: Handover, inputs: int) -> tuple[Signal, Signal]:
    """Return of each queue whether it is inside a packet, and whether its front goes."""
    m, count = contract.m, len(dut.sources)
    comes, tail = contract.anything("comes", count), contract.anything("tail", count)
    picked, grant = contract.anything("picked", count), contract.anything("grant", inputs)
    front, last, inside, goes = (Signal(count, name=n) for n in ("f", "last", "inside", "goes"))
    may = Cat(front[k] & (dut.free | dut.holder[k]) for k in range(count))
    nominated = picked & may
    for i in set(dut.sources):
        contract.assume(at_most_one(Cat(picked[k] for k in range(count) if dut.sources[k] == i)))
    contract.assume(at_most_one(grant))
    m.d.comb += [
        dut.waits.eq(front & ~inside),
        dut.last.eq(last),
        dut.nominated.eq(nominated),
        dut.grant.eq(grant),
        goes.eq(Cat(nominated[k] & grant[i] for k, i in enumerate(dut.sources))),
    ]
    for k in range(count):
        with m.If(goes[k]):
            m.d.sync += inside[k].eq(~last[k])
        with m.If(goes[k] | ~front[k]):
            m.d.sync += [front[k].eq(comes[k]), last[k].eq(tail[k])]
    for name, value in (("front", front), ("inside", inside), ("last", last), ("goes", goes)):
        contract.see(name, value)
    return inside, goes
