"""Counters that stop at their largest number: exact up to it, and it ever after."""

from amaranth import Mux, Signal

from fingerpost.formal.contract import Contract
from fingerpost.hdl.lib.logic import count as counts

__all__ = ["count"]


def count(*, width: int, most: int) -> Contract:
    """Return the contract of a counter of `width` bits, with up to `most` events in a cycle.

    It is the sum of all events until that is larger than a register of its width can hold; then it
    is the largest number of one.
    """
    contract = Contract()
    m = contract.m
    counter, largest = Signal(width), (1 << width) - 1
    events = contract.anything("events", range(most + 1))
    contract.assume(events <= most)
    counts(m, counter, events)
    contract.see("counter", counter)

    total, over = Signal(range(largest + most + 1)), Signal()
    with m.If(~over):
        m.d.sync += [total.eq(total + events), over.eq(total + events > largest)]
    contract.claim("sum", counter == Mux(over, largest, total))
    return contract
