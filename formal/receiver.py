"""The receiver of an OS-Link port: it takes nothing of a packet in which it started."""

from amaranth import Cat, Signal

from fingerpost.formal.contract import Contract, at_most_one
from fingerpost.golden.link.parameters import QUIET, OsLinkParameters
from fingerpost.hdl.link.receiver import Receiver

__all__ = ["receiver"]


def receiver(*, clocks_per_bit: int) -> Contract:
    """Return what a receiver promises of any wire.

    It finds no packet, and no part of one, before the line has once been low for `QUIET` bits,
    which is longer than it is in any packet. Of a packet it finds one end: an acknowledge, a byte,
    or a byte without stop bit.
    """
    contract = Contract()
    m = contract.m
    m.submodules.dut = dut = Receiver(OsLinkParameters(clocks_per_bit=clocks_per_bit))
    m.d.comb += dut.link_in.eq(contract.anything("link_in"))
    found = Cat(dut.acknowledge, dut.byte, dut.bad_stop)
    for name, value in (("found", found), ("header", dut.header), ("active", dut.active)):
        contract.see(name, value)

    most = QUIET * clocks_per_bit - 1
    line, before, low, heard = Signal(), Signal(), Signal(range(most + 1)), Signal()
    m.d.sync += [before.eq(dut.link_in), line.eq(before)]  # as behind the synchronizer
    with m.If(line):
        m.d.sync += low.eq(0)
    with m.Elif(low != most):
        m.d.sync += low.eq(low + 1)
    with m.Else():
        m.d.sync += heard.eq(1)
    contract.claim("heard", heard | ~(found.any() | dut.header | dut.active))
    contract.claim("one_end", at_most_one(found))
    return contract
