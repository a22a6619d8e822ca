"""Progress of an output port: if its neighbours progress, a flit leaves within a bound."""

from amaranth import Cat, Mux, Signal

from fingerpost.formal.contract import Contract
from fingerpost.formal.inputs import Inputs
from fingerpost.golden.deadlock.lanes import Lanes
from fingerpost.hdl.router.output_port import OutputPort

__all__ = ["progress"]


def progress(
    *,
    channels: tuple[int, ...],
    lanes: Lanes,
    depth: int,
    bound: int,
    eject: bool = False,
    terminal: bool = True,
    bypass_limits: tuple[int, ...] = (),
) -> Contract:
    """Return within how many cycles each flit leaves that waits for an output port.

    The receiver returns a credit in the cycle after a flit has arrived. Packets begin at any time,
    and have at most two flits without a gap. A candidate for another output is granted there. Then
    no front flit, head or body, of any buffer, waits for `bound` cycles, whatever else requests
    the output.

    Parameters
    ----------
    channels, lanes, depth, eject, terminal, bypass_limits
        As for the contract `output_port`.
    bound : int
        Cycles.
    """
    contract = Contract()
    m = contract.m
    m.submodules.dut = dut = OutputPort(
        channels=channels,
        terminal=terminal,
        lanes=lanes,
        eject=eject,
        depth=depth,
        yielding=[i for i, limit in enumerate(bypass_limits) if limit],
        flit_width=1,
    )
    inputs = Inputs(contract, dut, bypass_limits)
    back = Signal(dut.outgoing)
    m.d.sync += back.eq(dut.link.valid)
    m.d.comb += dut.link.credit.eq(back)
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
