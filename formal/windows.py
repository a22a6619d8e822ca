"""Windows and pace of a terminal with flow control."""

from amaranth import Mux, Signal, Value

from fingerpost.formal.contract import Contract, level, past
from fingerpost.golden.terminal.flow_layout import FlowControl
from fingerpost.hdl.terminal.pace import Pace
from fingerpost.hdl.terminal.windows import Windows

__all__ = ["pace", "windows"]

AHEAD = 6
"""Sevenths of a flit by which the invitations of a window may exceed 5/7 flits a cycle."""


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


def pace(*, limit: int, eager: int, classes: int = 1) -> Contract:
    """Return what a pace promises of receivers that begin packets only while it is open.

    Receivers grant packets of up to `limit` beats, and hand over the beats of eager packets, also
    while it is closed. Whatever arrives:

    - Over any window of T cycles at whose end it is open, 7 F <= 5 T + `AHEAD` for the F flits that
      were invited. A leaky bucket holds the greatest 7 F - 5 T of all windows that end now.
    - While so many flits arrive in a row that there is a queue in routers, it does not open.
    - When nothing is invited, it opens within a bounded number of cycles, and stays open. Only
      those cycles count in which there is no such queue.
    """
    contract = Contract()
    m = contract.m
    flow = FlowControl(peers=1, eager=eager, packet_limit=limit, receive=limit, ordered=True)
    m.submodules.dut = dut = Pace(flow, classes)
    arrives, opens = contract.anything("arrives"), contract.see("open", dut.open)
    m.d.comb += dut.arrives.eq(arrives)
    each = [_invited(contract, c, opens, limit, eager) for c in range(classes)]
    for c, flits in enumerate(each):
        m.d.comb += getattr(dut, f"invited_{c}").eq(flits)
    invited = contract.see("flits", sum(each[1:], each[0]))
    m.d.comb += dut.invites.eq(invited != 0)

    row = Signal(range(flow.full + 1))
    m.d.sync += row.eq(Mux(arrives, Mux(row == flow.full, row, row + 1), 0))
    queue = row == flow.full

    # At most that is outstanding: what is invited while it is open, and beats of eager packets.
    most = classes * (limit + eager + 2) + 1
    bucket = Signal(range(7 * most + AHEAD + 8))
    level = bucket + 7 * invited
    m.d.sync += bucket.eq(Mux(level > 5, level - 5, 0))
    contract.claim("rate", ~opens | (bucket <= AHEAD))

    held = past(m, ~opens & queue)
    contract.claim("queue", ~(held & queue & opens))

    latest = (7 * most + 4) // 5 + 3
    idle = Signal(range(latest + 1))
    with m.If(invited != 0):
        m.d.sync += idle.eq(0)
    with m.Elif(~queue & (idle != latest)):
        m.d.sync += idle.eq(idle + 1)
    contract.claim("opens", opens | (idle != latest))
    return contract


def _invited(contract: Contract, c: int, opens: Value, limit: int, eager: int) -> Signal:
    """Return the flits that a receiver invites, of a grant and of eager packets."""
    m = contract.m
    length = contract.anything(f"grant_{c}", range(limit + 2))  # with the head; 0: none
    beat = contract.anything(f"beat_{c}")
    rest = contract.anything(f"rest_{c}", range(max(2, eager)))
    left = Signal(range(max(2, eager)), name=f"left_{c}")
    contract.assume((length == 0) | (opens & (length != 1) & (length <= limit + 1)))
    contract.assume(~beat | opens | (left != 0))
    contract.assume(rest < eager)
    with m.If(beat):
        m.d.sync += left.eq(Mux(left == 0, rest, left - 1))
    flits = Signal(range(limit + 4), name=f"invited_{c}")
    m.d.comb += flits.eq(length + Mux(beat, Mux(left == 0, 2, 1), 0))
    return flits
