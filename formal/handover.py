"""Handover: a channel belongs to one packet, and everybody's turn comes."""

from amaranth import Cat, Signal, Value

from formal.contract import Contract, at_most_one, at_most_times
from hdl.handover import Handover

__all__ = ["LIMIT", "handover"]

LIMIT = 4
"""Packets of each other queue that may go before a head that waits, whatever the arbitration: two
while the turn goes around, and around again if the queue went before its turn."""


def handover(inputs: tuple[int, ...], *, guest: bool = False, courtesy: int = 1) -> Contract:
    """Return what the hand-over of a channel promises.

    Around it are queues with any packets, credits that come at any time, and any arbitration.

    From a packet's head to its tail no other queue may send on the channel, and who once holds it
    does so until then. While a head waits, at most `LIMIT` packets of each other queue, and one,
    go first, whoever wins where nobody holds the channel. A guest that does not insist waits as
    long as others do.

    Parameters
    ----------
    inputs : tuple of int
        Of each queue the input.
    guest : bool
        Whether the last one's heads come after all others', or before them if it insists.
    courtesy : int
        The guest insists once that many packets of the others have gone since its last.
    """
    contract = Contract()
    count, numbers = len(inputs), max(inputs) + 1
    m = contract.m
    m.submodules.dut = dut = Handover(inputs, inputs=numbers, guest=guest)
    holder, free = contract.see("holder", dut.holder), contract.see("free", dut.free)
    inside, goes = _queues(contract, dut, numbers)
    starts = contract.see("starts", goes & ~inside)
    if guest:
        _insist(contract, dut, starts, courtesy)

    contract.claim("one_holder", at_most_one(holder))
    contract.claim("free", free == ~holder.any())
    contract.claim("own", ~(inside & ~holder).any())  # from head to tail, and so nobody else's
    contract.claim("one_goes", at_most_one(goes))
    contract.claim("sent", dut.sent == goes.any())

    had, keeps = Signal.like(holder), Signal()
    m.d.sync += [had.eq(holder), keeps.eq(holder.any() & ~(goes & dut.last).any())]
    contract.claim("kept", ~keeps | (had == holder))

    waiting = contract.one_of("waiting", count)
    waits = Signal()
    m.d.comb += waits.eq((dut.waits & ~goes & waiting).any())
    if guest:
        contract.assume(dut.insists | ~waiting[-1])
    others = contract.see("others", (starts & ~waiting).any())
    contract.claim("served", at_most_times(m, LIMIT * (count - 1) + 1, waits, others))
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


def _insist(contract: Contract, dut: Handover, starts: Value, courtesy: int) -> None:
    """Let the guest insist once others have gone first, at the earliest in the cycle after."""
    m = contract.m
    insists = contract.anything("insists")
    m.d.comb += dut.insists.eq(insists)
    passed = Signal(range(courtesy + 1))
    with m.If(starts[-1]):
        m.d.sync += passed.eq(0)
    with m.Elif(starts.any() & (passed != courtesy)):
        m.d.sync += passed.eq(passed + 1)
    contract.assume((passed == courtesy) | ~insists)
