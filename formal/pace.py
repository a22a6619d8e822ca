"""The pace of receivers: never faster than the port of the terminal, and it never stops."""

from amaranth import Mux, Signal, Value

from fingerpost.formal.contract import Contract, past
from fingerpost.golden.terminal.flow_layout import FlowControl
from fingerpost.hdl.terminal.pace import Pace

__all__ = ["pace"]

AHEAD = 6
"""Sevenths of a flit by which the invitations of a window may exceed 5/7 flits a cycle."""


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
