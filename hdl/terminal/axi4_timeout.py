"""Subordinates that do not answer."""

from amaranth import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from fingerpost.golden.terminal.transaction import SLVERR
from fingerpost.hdl.bus.axi4 import Axi4Signature
from fingerpost.hdl.lib.component import Component


class AnswerTimeout(Component):
    """Stand in for a subordinate that has not answered in time, until a reset.

    Cycles count in which something is waited for: that the subordinate accepts an address or data,
    or that it responds to a read, or to a write whose data it has. Each of these begins the count
    again. After `cycles` it is cut off: it is offered nothing more, and what it sends is taken and
    dropped. In its place everything is accepted, and a response with SLVERR is always offered; the
    side takes as many as are due.

    Parameters
    ----------
    bus : Axi4Signature
    cycles : int
    most : int
        Responses of writes that can be due.

    Members
    -------
    side : ``In(bus)``      From the side of the terminal.
    axi : ``Out(bus)``      To the subordinate.
    cut : ``Out(1)``        It is cut off.
    """

    def __init__(self, bus: Axi4Signature, cycles: int, *, most: int) -> None:
        self.bus, self.cycles, self.most = bus, cycles, most
        super().__init__({"side": In(bus), "axi": Out(bus), "cut": Out(1)})

    def elaborate(self, platform: object) -> Module:
        """Pass everything on, or stand in."""
        m = Module()
        side, axi, cut = self.side, self.axi, self.cut
        channels = [(name, name in ("b", "r")) for name in self.bus.channels]
        for name, member in self.bus.members.items():
            inner, outer = getattr(side, name), getattr(axi, name)
            m.d.comb += outer.eq(inner) if member.flow == Out else inner.eq(outer)
        waited, written = Signal(range(self.cycles)), Signal(range(self.most + 1))
        last = 1 if self.bus.lite else axi.wlast
        m.d.sync += written.eq(
            written + (axi.wvalid & axi.wready & last) - (axi.bvalid & axi.bready)
        )
        # For a request, or data, that is offered; for a response that would be taken.
        waits, moves = Signal(), Signal()
        for name, back in channels:
            valid = getattr(axi if back else side, f"{name}valid")
            ready = getattr(side if back else axi, f"{name}ready")
            due = written != 0 if name == "b" else 1
            with m.If(valid & ready):
                m.d.comb += moves.eq(1)
            with m.If((ready & ~valid & due) if back else (valid & ~ready)):
                m.d.comb += waits.eq(1)
        m.d.sync += waited.eq(Mux(moves | ~waits, 0, waited + 1))
        with m.If(waits & ~moves & (waited == self.cycles - 1)):
            m.d.sync += cut.eq(1)
        with m.If(cut):
            for name, back in channels:
                ours = getattr(side, f"{name}valid" if back else f"{name}ready")
                m.d.comb += ours.eq(1)
                theirs = getattr(axi, f"{name}ready" if back else f"{name}valid")
                m.d.comb += theirs.eq(back)
            m.d.comb += [side.bresp.eq(SLVERR), side.rresp.eq(SLVERR)]
        return m
