"""The output port: credits are kept, packets do not mix, and whoever can go does so soon."""

from amaranth import Cat, Signal, Value

from formal.contract import Contract, at_most_one, at_most_times, level
from formal.inputs import Inputs
from formal.rounds import LIMIT
from golden.deadlock.lanes import Lanes
from hdl.output_port import OutputPort

__all__ = ["output_port"]


def output_port(
    *,
    channels: tuple[int, ...],
    lanes: Lanes,
    depth: int,
    eject: bool = False,
    terminal: bool = True,
    courtesies: tuple[int, ...] = (),
) -> Contract:
    """Return what an output port promises, whatever waits at the inputs and whenever credits come.

    The inputs nominate as input ports do. No flit is sent that the receiver has no place for, none
    of another packet between a packet's head and its tail. While a flit can go, its input
    nominates for this output, and it does not go, at most channels * inputs - 1 others do; those
    do not count on which guests insist. A body flit that can go can do so until it goes, and can
    just when there is a credit. Of the heads that wait for a channel one can go whenever there is a
    credit and no packet has the channel. While a head waits, each other queue begins at most
    `LIMIT` packets on its channel, and one where no input has a choice of channels; while a guest's
    head waits, as many more as it lets pass, and one for each channel of the output and one.

    Parameters
    ----------
    channels : tuple of int
        Of each input the channels.
    lanes, depth, eject, terminal
        As for `OutputPort`.
    courtesies : tuple of int
        Of each input, how many packets its heads let pass; those with 0 are no guests. None are, if
        it is empty.
    """
    contract = Contract()
    m = contract.m
    m.submodules.dut = dut = OutputPort(
        channels=channels, terminal=terminal, lanes=lanes, eject=eject, depth=depth,
        guests=[i for i, limit in enumerate(courtesies) if limit], flit_width=1,
    )  # fmt: skip
    inputs = Inputs(contract, dut, courtesies)
    grant, wishes, every = inputs.grant, inputs.wishes, inputs.queues
    contract.claim("grant", at_most_one(grant) & ~(grant & ~Cat(wishes)).any())
    contract.claim("somebody", grant.any() == Cat(wishes).any())

    goes = [queue.goes & queue.here for _, queue in every]
    able = [bit for bits in dut.able for bit in bits]
    for c in range(dut.outgoing):
        valid, credit = dut.link.valid[c], contract.anything(f"credit{c}")
        m.d.comb += dut.link.credit[c].eq(credit)
        there = level(contract, f"there{c}", depth, up=valid, down=credit)
        contract.assume((there != 0) | ~credit)
        contract.claim(f"room{c}", (there != depth) | ~valid)
        here = [queue.here & queue.channel[c] for _, queue in every]
        under_way = Cat(h & queue.inside for h, (_, queue) in zip(here, every, strict=True))
        contract.claim(f"one_packet{c}", at_most_one(under_way))
        able_here = Cat(h & a for h, a in zip(here, able, strict=True))
        contract.claim(f"unmixed{c}", ~(able_here & ~under_way).any() | ~under_way.any())
        went = Signal(name=f"went{c}")
        m.d.sync += went.eq(Cat(h & g for h, g in zip(here, goes, strict=True)).any())
        # What is not away, on the link, in the queue or on its way back, is at the sender.
        taken = Cat(h & g for h, g in zip(here, goes, strict=True)).any()
        away = level(contract, f"away{c}", depth, up=taken, down=credit)
        bodies = Cat(h & q.present & q.inside for h, (_, q) in zip(here, every, strict=True))
        has = (away != depth).replicate(len(every))
        contract.claim(f"credits{c}", ~(bodies & (able_here ^ has)).any())
        heads = Cat(h & q.present & q.head for h, (_, q) in zip(here, every, strict=True))
        free = heads.any() & (away != depth) & ~under_way.any()
        contract.claim(f"begins{c}", ~free | (able_here & heads).any())
        departs = Signal(name=f"departs{c}")
        m.d.sync += departs.eq(went)
        contract.claim(f"sent{c}", valid == departs)
    _service(contract, dut, inputs, able, courtesies)
    return contract


def _service(
    contract: Contract,
    dut: OutputPort,
    inputs: Inputs,
    able: list[Value],
    courtesies: tuple[int, ...],
) -> None:
    """Claim that who can go does so soon."""
    m, every, wishes, guests = contract.m, inputs.queues, inputs.wishes, inputs.insists
    chosen = contract.one_of("chosen", len(every))

    def of(values: list[Value]) -> Value:
        return (Cat(values) & chosen).any()

    present = of([q.present & q.here for _, q in every])
    goes = of([q.goes for _, q in every])
    can = contract.see("can", present & of(able))
    could = Signal()
    m.d.sync += could.eq(can & ~goes & of([~q.head for _, q in every]))
    contract.claim("stays", ~could | can)
    wish = Cat(wishes[i] for i, _ in every)
    limit = max(dut.channels) * len(dut.channels) - 1
    served = dut.grant.any() & ~goes & (wish & chosen).any()
    numbers = {i: [k for k, (j, _) in enumerate(every) if i == j] for i in guests}
    for i, insists in guests.items():
        for v, k in enumerate(numbers[i]):
            served &= ~(every[k][1].goes & every[k][1].head & insists[v])
            served &= ~chosen[k]
    contract.claim("served", at_most_times(m, limit, can & ~goes, served))

    # On its channel, with or without credits, whether or not its input nominates it.
    other = contract.one_of("other", len(every))
    contract.assume(other != chosen)
    waits = present & ~goes & of([q.head for _, q in every])
    guest = Cat(chosen[k] for of_guest in numbers.values() for k in of_guest).any()
    enduring = waits & guest
    for i, insists in guests.items():
        for v, k in enumerate(numbers[i]):
            waits &= ~chosen[k] | insists[v]
    begins = [q.goes & q.here & q.head for _, q in every]
    channels = dut.lanes.channels
    mine = Cat(of([q.channel[c] for _, q in every]) for c in range(1 if dut.eject else channels))
    same = [(mine & q.channel).any() for _, q in every]
    passes = (Cat(b & s for b, s in zip(begins, same, strict=True)) & other).any()
    rounds = 1 if max(dut.channels) == 1 else LIMIT
    contract.claim("passed", at_most_times(m, rounds, waits, passes))
    if guests:  # those that it lets pass, one for each channel that it sees late, and a round
        most = max(courtesies) + dut.outgoing + 1 + rounds
        contract.claim("endured", at_most_times(m, most, enduring, passes))
