"""Output port: credits are respected, packets do not mix, eligible flits are granted in time."""

from typing import Any

from amaranth import Cat, Mux, Signal, Value

from fingerpost.formal.arbiters import LIMIT
from fingerpost.formal.contract import Contract, at_most_one, at_most_times, claim_room, level, past
from fingerpost.formal.inputs import Inputs
from fingerpost.hdl.router.output_port import OutputPort
from fingerpost.hdl.router.vc_allocator import CreditCounter


def credit_counter(*, depth: int) -> Contract:
    """Return what a credit counter promises of flits that are sent with credits only.

    It has a credit exactly while fewer than `depth` flits are away, whose credits have not
    returned.
    """
    contract = Contract()
    m = contract.m
    m.submodules.dut = dut = CreditCounter(depth)
    sent, credit = contract.free(dut, "sent", "credit")
    away = level(contract, "away", depth, up=sent, down=credit)
    contract.assume((away != 0) | ~credit)
    contract.assume(dut.has_credit | ~sent)
    contract.claim("exact", dut.has_credit == (away != depth))
    contract.claim("sent_q", dut.sent_q == past(m, sent))
    return contract


def output_port(*, bypass_limits: tuple[int, ...] = (), **port: Any) -> Contract:
    """Return the contract of an output port, for any flits at the inputs and credits at any time.

    The inputs nominate candidates as input ports do.

    - No flit is sent without room at the receiver, and none of another packet between a packet's
      head and its tail.
    - Let a flit be eligible while its input requests this output without a grant. Meanwhile at most
      channels * inputs - 1 other flits are granted, or with spare lanes that many packets end.
      Promoted heads do not count.
    - An eligible body flit stays eligible until it is granted. It is eligible exactly when there is
      a credit of its channel: so message classes do not wait for each other.
    - Of the heads that wait for a virtual channel one is eligible whenever there is a credit and no
      packet holds the channel.
    - Where the output predicts and no input yields: if the only candidate that is eligible on a
      channel is granted, a head that is said to be eligible in the next cycle is so if there is a
      credit.
    - While a head waits, each other buffer begins at most `LIMIT` packets on its channel, or one
      if every input has one channel. For a head of a yielding input, add its bypass limit, the
      channels of the output, and one. Without batches this is claimed for one channel only.

    Parameters
    ----------
    bypass_limits, port
        As for `Inputs`.
    """
    contract = Contract()
    m = contract.m
    inputs = Inputs(contract, bypass_limits, **port)
    dut, depth = inputs.dut, inputs.dut.depth
    grant, wishes, every = inputs.grant, inputs.wishes, inputs.queues
    contract.claim("grant", at_most_one(grant) & ~(grant & ~Cat(wishes)).any())
    contract.claim("work_conserving", grant.any() == Cat(wishes).any())

    goes = [queue.goes & queue.here for _, queue in every]
    eligible = [bit for bits in dut.eligible for bit in bits]
    later = [bit for bits in dut.eligible_next for bit in bits]
    candidates = Cat(front.candidate for front in dut.fronts)
    for c in range(dut.outgoing):
        valid, credit = dut.link.valid[c], contract.anything(f"credit{c}")
        m.d.comb += dut.link.credit[c].eq(credit)
        claim_room(contract, c, depth, valid=valid, credit=credit)
        here = [queue.here & queue.channel[c] for _, queue in every]
        under_way = Cat(h & queue.inside for h, (_, queue) in zip(here, every, strict=True))
        contract.claim(f"one_packet{c}", at_most_one(under_way))
        eligible_here = Cat(h & e for h, e in zip(here, eligible, strict=True))
        contract.claim(f"unmixed{c}", ~(eligible_here & ~under_way).any() | ~under_way.any())
        # A credit that is not away (in a flit, in the buffer, returning) is at the sender.
        taken = Cat(h & g for h, g in zip(here, goes, strict=True)).any()
        away = level(contract, f"away{c}", depth, up=taken, down=credit)
        bodies = Cat(h & q.present & q.inside for h, (_, q) in zip(here, every, strict=True))
        has = (away != depth).replicate(len(every))
        contract.claim(f"credits{c}", ~(bodies & (eligible_here ^ has)).any())
        heads = Cat(h & q.present & q.head for h, (_, q) in zip(here, every, strict=True))
        free = heads.any() & (away != depth) & ~under_way.any()
        contract.claim(f"begins{c}", ~free | (eligible_here & heads).any())
        if dut.predicts and not inputs.promoted:
            could = candidates & eligible_here
            sure = at_most_one(could) & (could.any() == taken)
            stays = heads & Cat(later) & ~Cat(goes)
            foreseen = past(m, Mux(sure, stays, 0))
            contract.claim(f"foreseen{c}", (away == depth) | ~(foreseen & ~eligible_here).any())
        contract.claim(f"sent{c}", valid == past(m, taken, dut.pipeline.link_cycles))
    _service(contract, dut, inputs, eligible, bypass_limits)
    return contract


def _service(
    contract: Contract,
    dut: OutputPort,
    inputs: Inputs,
    eligible: list[Value],
    bypass_limits: tuple[int, ...],
) -> None:
    """Claim that eligible flits are granted in time."""
    m, every, wishes, yielding = contract.m, inputs.queues, inputs.wishes, inputs.promoted
    chosen = contract.one_of("chosen", len(every))

    def of(values: list[Value]) -> Value:
        return (Cat(values) & chosen).any()

    present = of([q.present & q.here for _, q in every])
    goes = of([q.goes for _, q in every])
    can = contract.see("can", present & of(eligible))
    could = past(m, can & ~goes & of([~q.head for _, q in every]))
    if max(dut.channels) > 1:  # else it goes
        contract.claim("stays", ~could | can)
    wish = Cat(wishes[i] for i, _ in every)
    limit = max(dut.channels) * len(dut.channels) - 1
    served = dut.grant.any() & ~goes & (wish & chosen).any()
    if dut.lanes.spare:
        served &= Cat(q.goes & q.here & q.last for _, q in every).any()
    numbers = {i: [k for k, (j, _) in enumerate(every) if i == j] for i in yielding}
    for i, promoted in yielding.items():
        for v, k in enumerate(numbers[i]):
            served &= ~(every[k][1].goes & every[k][1].head & promoted[v])
            served &= ~chosen[k]
    contract.claim("served", at_most_times(m, limit, can & ~goes, served))

    # On its channel, with or without credits, candidate or not.
    other = contract.one_of("other", len(every))
    contract.assume(other != chosen)
    waits = present & ~goes & of([q.head for _, q in every])
    yields = Cat(chosen[k] for of_input in numbers.values() for k in of_input).any()
    bypassed = waits & yields
    for i, promoted in yielding.items():
        for v, k in enumerate(numbers[i]):
            waits &= ~chosen[k] | promoted[v]
    begins = [q.goes & q.here & q.head for _, q in every]
    mine = Cat(of([q.channel[c] for _, q in every]) for c in range(dut.outgoing))
    same = [(mine & q.channel).any() for _, q in every]
    passes = (Cat(b & s for b, s in zip(begins, same, strict=True)) & other).any()
    if not dut.batches and max(dut.channels) > 1:
        return
    batches = LIMIT if dut.batches else 1
    contract.claim("passed", at_most_times(m, batches, waits, passes))
    if yielding:  # its limit, one for each channel that it sees late, and a batch
        most = max(bypass_limits) + dut.outgoing + 1 + batches
        contract.claim("bypassed", at_most_times(m, most, bypassed, passes))


def progress(*, bound: int, **port: Any) -> Contract:
    """Return within how many cycles each flit leaves that waits for an output port.

    The receiver returns a credit in the cycle after a flit has arrived. Packets begin at any time,
    and have at most two flits without a gap. A candidate for another output is granted there. Then
    no front flit, head or body, of any buffer, waits for `bound` cycles, whatever else requests
    the output.

    Parameters
    ----------
    bound : int
        Cycles.
    port
        As for the contract `output_port`.
    """
    contract = Contract()
    m = contract.m
    inputs = Inputs(contract, **port)
    link = inputs.dut.link
    m.d.comb += link.credit.eq(past(m, link.valid))
    for free in inputs.elsewhere:
        contract.assume(free)
    for _, queue in inputs.queues:
        goes_on = Mux(queue.goes, ~queue.last, queue.inside & ~queue.present)
        contract.assume(~goes_on | (queue.comes & queue.tail))
        contract.assume(queue.away)

    chosen = contract.one_of("chosen", len(inputs.queues))
    waits = Cat(q.present & q.here & ~q.goes for _, q in inputs.queues) & chosen
    waited = Signal(bound)  # a thermometer
    m.d.sync += waited.eq(Mux(waits.any(), Cat(1, waited), 0))
    contract.see("waited", waited)
    contract.claim("leaves", ~waited[-1])
    return contract
