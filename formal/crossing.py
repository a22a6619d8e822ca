"""Crossing: words come out in order, whatever clocks do and whatever metastable bits become."""

from typing import Any

from amaranth import (
    ClockDomain,
    ClockSignal,
    EnableInserter,
    Module,
    Mux,
    ResetSignal,
    Signal,
    Value,
)
from amaranth.hdl._ast import AnySeq

from fingerpost.formal.contract import Contract, past
from fingerpost.hdl.terminal.crossing import Crossing

LATE = 4
"""Ticks of its own clock within which each side sees what the other has done."""

RESET = 6
"""Ticks of both clocks for which a reset is asserted at least."""


class Metastable:
    """A platform for Amaranth whose synchronizers sample bits that are changing.

    Their first flip-flop takes each bit as it is or as it was up to `window` steps before, each bit
    by itself; so the bits of a word may arrive that much apart, too.

    Parameters
    ----------
    window : int
    """

    def __init__(self, window: int = 1) -> None:
        self.window = window

    def get_ff_sync(self, synchronizer: Any) -> Module:
        """Return flip-flops in place of those of a synchronizer of a word."""
        m = Module()
        self._stages(m, synchronizer)
        m.d.comb += synchronizer.o.eq(self._last)
        return m

    def get_async_ff_sync(self, synchronizer: Any) -> Module:
        """Return flip-flops in place of those of a reset, which is released with the clock."""
        m = Module()
        self._stages(m, synchronizer, init=1)
        m.d.comb += synchronizer.o.eq(self._last | synchronizer.i)
        return m

    def _stages(self, m: Module, synchronizer: Any, *, init: int = 0) -> None:
        """Add the flip-flops; the value of the last is `_last`."""
        value: Value = Value.cast(synchronizer.i)
        before = value
        for _ in range(self.window):
            earlier = Signal(len(value), name="earlier", reset_less=True)
            m.d.sync += earlier.eq(before)
            either = AnySeq(len(value))
            before, value = earlier, (value & either) | (earlier & ~either)
        for stage in range(synchronizer._stages):
            flop = Signal(len(value), name=f"stage{stage}", init=init, reset_less=True)
            m.d[synchronizer._o_domain] += flop.eq(value)
            value = flop
        self._last = value


def crossing(*, depth: int, resets: bool = False, window: int = 1) -> Contract:
    """Return what a crossing promises of any two clocks, words and metastable bits.

    In each step either clock ticks, both do, or none does. Words come out as they went in, in
    order, none lost or doubled, and no more are between than there is room for. Each side sees
    within a few ticks of its clock that there is a word, or room. A word that is offered stays.
    A reset of either side, or both, empties the crossing: what was written before does not come
    out.

    Parameters
    ----------
    depth : int
        Words.
    resets : bool
        Whether there are resets, each for three ticks of both clocks at least.
    window : int
        Steps by which bits may be late. More than one is more skew than the constraints allow.
    """
    contract = Contract()
    contract.platform = Metastable(window)
    m = contract.m
    write, read = (contract.anything(f"{side}_tick") for side in ("write", "read"))
    reset = _reset(contract, write, read) if resets else Signal(2)
    for number, side in enumerate(("write", "read")):
        m.domains += ClockDomain(side)
        m.d.comb += [ClockSignal(side).eq(ClockSignal()), ResetSignal(side).eq(reset[number])]
    dut = Crossing(1, depth=depth)
    ticks = {"write": write, "read": read, "queue": write}
    m.submodules.dut = EnableInserter(ticks)(dut)
    contract.free(dut, "w_valid", "w_data", "r_ready")
    for name in ("w_ready", "r_valid", "r_data"):
        contract.see(name, getattr(dut, name))
    calm = ~reset.any()
    taken = contract.see("taken", write & dut.w_valid & dut.w_ready & calm)
    come = contract.see("come", read & dut.r_valid & dut.r_ready & calm)

    held = Signal(range(depth + 2), name="held")
    contract.see("held", held)
    m.d.sync += held.eq(Mux(calm, held + taken - come, 0))
    contract.claim("room", ~taken | (held != depth))
    contract.claim("none_made", ~(dut.r_valid & calm) | (held != 0))
    waits, before = Signal(), Signal.like(dut.r_data)
    m.d.sync += [waits.eq(dut.r_valid & calm & ~come), before.eq(dut.r_data)]
    contract.claim("stays", ~(waits & calm) | (dut.r_valid & (dut.r_data == before)))

    # Any one word.
    here, ahead, kept = Signal(), Signal.like(held), Signal()
    with m.If(~calm):
        m.d.sync += here.eq(0)
    with m.Elif(here):
        with m.If(come):
            m.d.sync += [ahead.eq(ahead - 1), here.eq(ahead != 0)]
    with m.Elif(taken & contract.anything("arm")):
        m.d.sync += [here.eq(1), ahead.eq(held - come), kept.eq(dut.w_data)]
    contract.claim("same", ~(here & (ahead == 0) & dut.r_valid & calm) | (dut.r_data == kept))

    for name, tick, idle in (
        ("seen", read, (held != 0) & ~dut.r_valid),
        ("free", write, (held != depth) & ~dut.w_ready),
    ):
        waited = Signal(LATE + 2 * resets, name=f"{name}_waited")
        with m.If(~(idle & calm)):
            m.d.sync += waited.eq(0)
        with m.Elif(tick):
            m.d.sync += waited.eq(waited << 1 | 1)
        contract.claim(name, ~waited.all())
    return contract


def _reset(contract: Contract, write: Value, read: Value) -> Signal:
    """Return the resets of both sides: of one, or of both together."""
    m = contract.m
    asserted, which = contract.anything("reset"), contract.constant("which", 2)
    contract.assume(which.any())
    reset = contract.see("resets", Mux(asserted, which, 0))
    enough = []
    for name, tick in (("write", write), ("read", read)):
        count = Signal(range(RESET + 1), name=f"{name}_ticks")
        m.d.sync += count.eq(Mux(asserted, Mux(count == RESET, RESET, count + tick), 0))
        enough.append(count == RESET)
    contract.assume(~past(m, asserted) | asserted | (enough[0] & enough[1]))
    return reset
