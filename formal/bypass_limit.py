"""Bypass limit: a head is promoted exactly when it has been bypassed to the limit."""

from amaranth import Cat, Module, Signal, Value

from fingerpost.formal.contract import Contract
from fingerpost.hdl.router.bypass_limit import BypassLimit

__all__ = ["bypass_limit", "bypasses"]


def bypass_limit(*, limit: int) -> Contract:
    """Return what a bypass limit promises of any heads, packets that bypass them, and grants.

    It equals `bypasses`, the reference that stands around an output port in its contract; so a head
    is promoted from the cycle after the last of `limit` bypasses to its grant, and no other is.
    """
    contract = Contract()
    m = contract.m
    m.submodules.dut = dut = BypassLimit(limit)
    valid, bypassed, granted = contract.free(dut, "valid", "bypassed", "granted")
    # A head waits until it is granted.
    contract.assume(~granted | valid)
    due = bypasses(m, "due", limit, waits=valid, bypassed=bypassed, granted=granted)
    contract.see("promoted", dut.promoted)
    contract.claim("exact", dut.promoted == due[-1])
    return contract


def bypasses(
    m: Module, name: str, limit: int, *, waits: Value, bypassed: Value, granted: Value
) -> Signal:
    """Return a thermometer of the packets that bypassed a head since the last was granted."""
    passed = Signal(limit, name=name)
    with m.If(granted):
        m.d.sync += passed.eq(0)
    with m.Elif(waits & bypassed):
        m.d.sync += passed.eq(Cat(1, passed))
    return passed
