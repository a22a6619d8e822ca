"""The OS-Link port: one byte at a time without an acknowledge, and each whole on the wire."""

from amaranth import Const, Mux, Signal

from fingerpost.formal.contract import Contract, stays
from fingerpost.golden.link.parameters import OsLinkParameters
from fingerpost.hdl.link.os_link import OsLink

__all__ = ["os_link"]

ACKNOWLEDGE, BYTE = 2, 11
"""Bits of a packet, the start bit and a last low one among them."""


def os_link(
    *, clocks_per_bit: int = 4, fifo: int = 1, slot: int = 0, late: bool = False
) -> Contract:
    """Return what a port promises on any wire: of any levels at any time, acknowledged or not.

    No byte is accepted before the previous one is acknowledged, and no acknowledge is reported
    that none waits for. An accepted byte is on the wire from the next clock on, unchanged: two
    high bits, its eight from the lowest, a low one, each as long as it should be. All else on the
    wire are acknowledges: a high bit and a low one. What was received stays, and as it is, until
    it is taken.

    Parameters
    ----------
    clocks_per_bit, fifo, slot
        As of `OsLinkParameters`.
    late : bool
        Whether acknowledges are late.
    """
    contract = Contract()
    m = contract.m
    parameters = OsLinkParameters(
        clocks_per_bit=clocks_per_bit,
        fifo=fifo,
        slot=slot,
        acknowledge="late" if late else "overlap",
    )
    m.submodules.dut = dut = OsLink(parameters)
    byte = contract.anything("byte", 8)
    m.d.comb += [
        dut.link_in.eq(contract.anything("link_in")),
        dut.tx.valid.eq(contract.anything("offered")),
        dut.tx.payload.eq(byte),
        dut.rx.ready.eq(contract.anything("reads")),
        dut.tx_break.eq(contract.anything("tx_break")),
    ]
    taken = contract.see("taken", dut.tx.valid & dut.tx.ready)
    done, wire = contract.see("done", dut.tx_done), contract.see("wire", dut.link_out)

    waits = Signal()
    m.d.sync += waits.eq(taken | (waits & ~done))
    contract.claim("window", ~(taken & waits))
    contract.claim("done", ~done | waits)

    # What must be on the wire: the bits that are left, the lowest now; and for how many clocks.
    bits, left, tick = Signal(BYTE), Signal(range(BYTE + 1)), Signal(range(clocks_per_bit))
    now, rest = Signal.like(bits), Signal.like(left)
    ends = tick == clocks_per_bit - 1
    begins = wire & (left == 0)
    m.d.comb += [now.eq(Mux(begins, 1, bits)), rest.eq(Mux(begins, ACKNOWLEDGE, left))]
    m.d.sync += tick.eq(Mux(ends | (rest == 0), 0, tick + 1))
    m.d.sync += [
        bits.eq(Mux(ends, now >> 1, now)),
        left.eq(Mux(ends & (rest != 0), rest - 1, rest)),
    ]
    with m.If(taken):
        m.d.sync += [bits.eq(byte << 2 | Const(0b11)), left.eq(BYTE), tick.eq(0)]
    contract.claim("wire", wire == now[0])
    contract.claim("whole", ~taken | (rest == 0) | ((rest == 1) & ends))

    read = contract.see("received", dut.rx.valid)
    contract.claim("stays", stays(m, read, dut.rx.ready, dut.rx.payload))
    return contract
