"""Handover: a channel belongs to one packet, and everybody's turn comes."""

from amaranth import Cat, Signal, Value

from formal.contract import Contract, at_most_one, at_most_times
from hdl.handover import Handover

__all__ = ["handover"]


def handover(inputs: tuple[int, ...], *, guest: bool = False, courtesy: int = 1) -> Contract:
    """Return what the hand-over of a channel promises.

    Around it are queues with any packets, credits that come at any time, and any arbitration.

    From a packet's head to its tail no other queue may send on the channel. While a head waits, the
    channel is taken, and never by a queue without a packet for longer than a cycle. Of one of the
    other queues at most two packets go first, of all others one: in all, one packet more than
    there are others. Those of a guest do not count; one that insists lets two packets go first.

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

    waiting, other = contract.one_of("waiting", count), contract.one_of("other", count)
    contract.assume(waiting != other)
    waits = Signal()
    m.d.comb += waits.eq((dut.waits & ~goes & waiting).any())
    _held(contract, dut, waits, goes)

    home = count - guest
    if guest:
        contract.assume(~waiting[-1] & ~other[-1])
    others = contract.see("others", (starts[:home] & ~waiting[:home]).any())
    contract.claim("each_twice", at_most_times(m, 2, waits, (starts & other).any()))
    contract.claim("one_more_than_others", at_most_times(m, home, waits, others))
    if guest:
        insists = dut.waits[-1] & ~goes[-1] & dut.insists
        contract.claim("insists", at_most_times(m, 2, insists, starts[:home].any()))
    return contract


def _held(contract: Contract, dut: Handover, waits: Value, goes: Value) -> None:
    """Claim that the holder is another only if it has no more use for the channel."""
    m = contract.m
    had, uses, waited = Signal.like(dut.holder), Signal(), Signal()
    m.d.sync += [
        waited.eq(waits),
        had.eq(dut.holder),
        uses.eq((dut.holder & dut.wants & ~(goes & dut.last)).any()),
    ]
    contract.claim("taken_if_wanted", ~(waited & waits & dut.free))
    contract.claim("kept", ~uses | (had == dut.holder))
    ended = waited & waits & had.any() & ~uses
    contract.claim("passed_on", ~(ended & (had == dut.holder)))


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
        dut.wants.eq(front | inside),
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
