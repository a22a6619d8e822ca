"""A claim about something that cannot happen is found, and one about what can is not."""

from amaranth import Signal

from fingerpost.formal.contract import Contract
from fingerpost.formal.prove import unreached


def test_finds_what_assumptions_leave_out() -> None:
    contract = Contract()
    a, b, late = contract.anything("a"), contract.anything("b"), Signal()
    contract.m.d.sync += late.eq(a)
    contract.assume(~(late & b))
    contract.claim("happens", ~late | ~b)
    contract.claim("never", ~(late & b) | a)
    contract.claim("has_no_trigger", a | b)
    assert list(contract.triggers) == ["happens", "never"]
    assert unreached(contract) == ["never"]
