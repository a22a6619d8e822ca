"""Windows of a sender: never more room than is left, and exact after two cycles."""

from amaranth import Mux, Signal

from fingerpost.formal.contract import Contract, level
from fingerpost.golden.terminal.flow_layout import FlowControl
from fingerpost.hdl.terminal.windows import Windows

__all__ = ["windows"]


def windows(*, peers: int, eager: int, ordered: bool = True) -> Contract:
    """Return what the windows promise of any one peer, whatever is done with the others.

    Units are issued to the peer that was read last, when the windows had been cleared; once after
    each reading, not while another is read, and no more than fit. The peer acknowledges no more
    than was issued. Then it is told whether an eager packet fits into the window beside the units
    issued before the cycle of reading, but for those acknowledged two cycles before it or earlier.
    """
    contract = Contract()
    m = contract.m
    flow = FlowControl(peers, eager, eager, eager, ordered)
    m.submodules.dut = dut = Windows(flow)
    width, number = len(dut.units), len(dut.peer)
    peer, reads = contract.free(dut, "peer", "read")
    issued, units = contract.free(dut, "issued", "units")
    acked, source, returned = contract.free(dut, "acked", "acked_peer", "acked_units")
    before = Signal(number)
    m.d.comb += dut.issued_peer.eq(before)
    its = contract.constant("its", number)
    contract.assume((its < peers) & (peer < peers) & (source < peers))
    cycles = Signal(range(flow.clearing + 1))
    cleared = cycles == flow.clearing
    with m.If(~cleared):
        m.d.sync += cycles.eq(cycles + 1)
    contract.claim("cleared", dut.cleared == cleared)
    fresh = Signal()  # nothing was issued since the last reading
    with m.If(reads):
        m.d.sync += [before.eq(peer), fresh.eq(cleared)]
    with m.Elif(issued):
        m.d.sync += fresh.eq(0)
    contract.assume(cleared | ~acked)
    contract.assume(~issued | (fresh & ~reads))

    up = Mux(issued & (before == its), units, 0)
    down = Mux(acked & (source == its), returned, 0)
    outstanding = level(contract, "outstanding", flow.window, up=up, down=down, init=flow.withheld)
    contract.assume((outstanding + up <= flow.window) & (down <= outstanding))
    late, read = Signal(width), Signal(range(flow.window + 1))
    m.d.sync += late.eq(down)
    with m.If(reads):
        m.d.sync += read.eq(outstanding + late)
    shown = contract.see("shown", fresh & (before == its))
    contract.see("read", read)
    contract.claim("fits", ~shown | (dut.fits == (flow.window - read >= eager)))
    issues, count, first = issued & (before == its), Signal(flow.units), Signal(flow.units)
    m.d.sync += count.eq(count + Mux(issues, units, 0))
    with m.If(reads):
        m.d.sync += first.eq(count)
    contract.claim("sequence", ~shown | (dut.sequence == first))
    contract.claim("never_more", ~(shown & dut.fits) | (flow.window - outstanding >= eager))
    return contract
