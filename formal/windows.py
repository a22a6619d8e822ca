"""Windows of a sender: never fewer units than are outstanding, and exact after two cycles."""

from amaranth import Mux, Signal

from fingerpost.formal.contract import Contract, level
from fingerpost.golden.terminal.flow_layout import FlowControl
from fingerpost.hdl.terminal.windows import Windows

__all__ = ["windows"]


def windows(*, peers: int, eager: int, ordered: bool = True) -> Contract:
    """Return what the windows promise of any one peer, whatever is done with the others.

    Units are issued to the peer that was read in the cycle before, when the windows had been
    cleared; not in two cycles behind each other, and no more than fit. The peer acknowledges no
    more than was issued. Then the units read are those issued before the cycle of reading, less
    those that were acknowledged two cycles before it or earlier.
    """
    contract = Contract()
    m = contract.m
    flow = FlowControl(peers, eager, eager, eager, ordered)
    m.submodules.dut = dut = Windows(flow)
    width, number = len(dut.units), len(dut.peer)
    peer, units = contract.anything("peer", number), contract.anything("units", width)
    acked, source = contract.anything("acked"), contract.anything("source", number)
    returned = contract.anything("returned", width)
    m.d.comb += [
        *(dut.peer.eq(peer), dut.units.eq(units)),
        *(dut.acked.eq(acked), dut.acked_peer.eq(source), dut.acked_units.eq(returned)),
    ]
    its = contract.constant("its", number)
    contract.assume((its < peers) & (peer < peers) & (source < peers))
    cycles = Signal(range(peers + 1))
    with m.If(cycles != peers):
        m.d.sync += cycles.eq(cycles + 1)
    contract.claim("cleared", dut.cleared == (cycles == peers))
    before, issued_before, cleared_before = Signal(number), Signal(), Signal()
    m.d.sync += [before.eq(peer), issued_before.eq(units != 0)]
    m.d.sync += cleared_before.eq(cycles == peers)
    contract.assume(cleared_before | ~acked)
    contract.assume((units == 0) | (cleared_before & (peer == before) & ~issued_before))

    up = Mux(peer == its, units, 0)
    down = Mux(acked & (source == its), returned, 0)
    outstanding = level(contract, "outstanding", flow.window, up=up, down=down)
    contract.assume((outstanding + up <= flow.window) & (down <= outstanding))
    late, read = Signal(width), Signal(range(flow.window + 1))
    m.d.sync += [late.eq(down), read.eq(outstanding + late)]
    reads = Signal()
    m.d.sync += reads.eq((peer == its) & (cycles == peers))
    contract.see("read", read)
    contract.claim("units", ~reads | (dut.outstanding == read))
    contract.claim("never_fewer", ~reads | issued_before | (dut.outstanding >= outstanding))
    return contract
