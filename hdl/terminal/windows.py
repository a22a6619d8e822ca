"""Windows of a sender, one for each destination; the twin of golden's Windows."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.golden.terminal.flow_layout import FlowControl

__all__ = ["Windows"]


class Windows(wiring.Component):
    """Count the units that are outstanding to each peer: issued, and not yet acknowledged.

    Two memories hold the units issued and acknowledged, modulo a power of two, so that each has one
    writer. Memories are not reset: after a reset they are cleared, a row a cycle.

    ::

        cycle        0 1 2 3 4
        peer         5 5 5 5 5
        outstanding  - 3 3 3 5  to the peer of the cycle before
        units        0 0 2 0 0

    Parameters
    ----------
    flow : FlowControl

    Members
    -------
    cleared : ``Out(1)``                   All windows are cleared; until then nothing is issued.
    peer : ``In``                          Node whose window is read.
    outstanding : ``Out``                  Units to the `peer` of the previous cycle.
    units : ``In``                         Units issued to `peer`, the same as a cycle before; 0 in
                                           the cycle after others were issued.
    acked, acked_peer, acked_units : ``In``    A peer acknowledges units.
    """

    cleared: Signal
    peer: Signal
    outstanding: Signal
    units: Signal
    acked: Signal
    acked_peer: Signal
    acked_units: Signal

    def __init__(self, flow: FlowControl) -> None:
        self.flow = flow
        number, width = bits(flow.peers), bits(flow.window + 1)
        super().__init__(
            {
                "cleared": Out(1),
                "peer": In(number),
                "outstanding": Out(width),
                "units": In(width),
                "acked": In(1),
                "acked_peer": In(number),
                "acked_units": In(width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Read both counts of the peer; write the one that changes."""
        m = Module()
        flow = self.flow
        width = len(self.units)
        clear = Signal(range(flow.peers))
        with m.If(~self.cleared):
            m.d.sync += [clear.eq(clear + 1), self.cleared.eq(clear == flow.peers - 1)]

        counts: list[Memory] = [Memory(shape=width, depth=flow.peers, init=[]) for _ in range(2)]
        m.submodules.issued, m.submodules.acknowledged = counts
        issued, acknowledged = (memory.read_port() for memory in counts)
        write_issued, write_acknowledged = (memory.write_port() for memory in counts)
        # An acknowledge is counted in the cycle after it; the next one may be of the same peer.
        late, late_peer, late_units = (
            Signal.like(s, name=f"late_{s.name}")
            for s in (self.acked, self.acked_peer, self.acked_units)
        )
        read = counts[1].read_port(transparent_for=(write_acknowledged,))
        m.d.sync += [
            late.eq(self.acked),
            late_peer.eq(self.acked_peer),
            late_units.eq(self.acked_units),
        ]
        m.d.comb += [
            issued.addr.eq(self.peer),
            acknowledged.addr.eq(self.peer),
            self.outstanding.eq(issued.data - acknowledged.data),
            write_issued.addr.eq(Mux(self.cleared, self.peer, clear)),
            write_issued.data.eq(Mux(self.cleared, issued.data + self.units, 0)),
            write_issued.en.eq((self.units != 0) | ~self.cleared),
            read.addr.eq(self.acked_peer),
            write_acknowledged.addr.eq(Mux(self.cleared, late_peer, clear)),
            write_acknowledged.data.eq(Mux(self.cleared, read.data + late_units, 0)),
            write_acknowledged.en.eq(late | ~self.cleared),
        ]
        return m
