"""Progress of an output port: if its neighbours progress, a flit leaves within a bound."""

from typing import Any

from amaranth import Cat, Mux, Signal

from fingerpost.formal.contract import Contract, past
from fingerpost.formal.inputs import Inputs

__all__ = ["progress"]


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
