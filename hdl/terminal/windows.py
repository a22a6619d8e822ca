"""Windows of a sender, one for each destination; the twin of golden's Windows."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.golden.terminal.flow_layout import FlowControl

__all__ = ["Windows"]


class Windows(wiring.Component):
    """Count the packets that are outstanding to each peer: issued, and not yet acknowledged.

    Two memories hold the packets issued and acknowledged, modulo twice the window, so that each has
    one writer. Memories are not reset: after a reset they are cleared, a row a cycle.

    ::

        cycle    0 1 2 3
        peer     5 5 5 5
        open     - 1 1 0    about the peer of the cycle before
        issue    0 0 1 0    the last packet that the window has room for

    Parameters
    ----------
    flow : FlowControl

    Members
    -------
    cleared : ``Out(1)``             All windows are open; until then nothing is issued.
    peer : ``In``                    Node whose window is read.
    open : ``Out(1)``                The window of the `peer` of the previous cycle has room.
    issue : ``In(1)``                A packet to `peer`, the same as in the previous cycle, is sent.
    acked, acked_peer : ``In``       A peer acknowledges `batch` packets.
    """

    cleared: Signal
    peer: Signal
    open: Signal
    issue: Signal
    acked: Signal
    acked_peer: Signal

    def __init__(self, flow: FlowControl) -> None:
        self.flow = flow
        number = bits(flow.peers)
        super().__init__(
            {
                "cleared": Out(1),
                "peer": In(number),
                "open": Out(1),
                "issue": In(1),
                "acked": In(1),
                "acked_peer": In(number),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Read both counts of the peer; write the one that changes."""
        m = Module()
        flow = self.flow
        width = bits(2 * flow.window)
        clear = Signal(range(flow.peers))
        with m.If(~self.cleared):
            m.d.sync += [clear.eq(clear + 1), self.cleared.eq(clear == flow.peers - 1)]

        counts = [Memory(shape=width, depth=flow.peers, init=[]) for _ in range(2)]
        m.submodules.issued, m.submodules.acknowledged = counts
        issued, acknowledged = (memory.read_port() for memory in counts)
        write_issued, write_acknowledged = (memory.write_port() for memory in counts)
        # An acknowledge is counted in the cycle after it; the next one may be of the same peer.
        late, late_peer = Signal(), Signal.like(self.acked_peer)
        read = counts[1].read_port(transparent_for=(write_acknowledged,))
        m.d.sync += [late.eq(self.acked), late_peer.eq(self.acked_peer)]
        outstanding = Signal(width)
        m.d.comb += [
            issued.addr.eq(self.peer),
            acknowledged.addr.eq(self.peer),
            outstanding.eq(issued.data - acknowledged.data),
            self.open.eq(outstanding < flow.window),
            write_issued.addr.eq(Mux(self.cleared, self.peer, clear)),
            write_issued.data.eq(Mux(self.cleared, issued.data + 1, 0)),
            write_issued.en.eq(self.issue | ~self.cleared),
            read.addr.eq(self.acked_peer),
            write_acknowledged.addr.eq(Mux(self.cleared, late_peer, clear)),
            write_acknowledged.data.eq(Mux(self.cleared, read.data + flow.batch, 0)),
            write_acknowledged.en.eq(late | ~self.cleared),
        ]
        return m
