"""Windows of a sender, one for each destination; in golden a part of flow_sender."""

from amaranth import Module, Mux, Signal
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.golden.terminal.flow_layout import FlowControl
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.memory import NO_RW_CHECK, read_new


class Windows(Component):
    """Count the units that may be issued to each peer: all but those not yet acknowledged.

    Two memories hold the units issued, and those that may be in all, modulo a power of two, so that
    each has one writer. Memories are not reset: after a reset they are cleared, a row a cycle,
    and all windows are closed: they have room for one packet of any length.

    ::

        cycle        0 1 2 3 4
        peer         5 - - 5 -
        read         1 0 0 1 0
        fits         - 1 1 1 0
        issued       0 0 1 0 0
        units        - - 2 - -

    Parameters
    ----------
    flow : FlowControl

    Members
    -------
    clear, cleared : ``Out``               Row that is cleared; all are, until then nothing is
                                           issued.
    peer, read : ``In``                    Node whose window is read, from the next cycle on.
    fits : ``Out(1)``                      As many as an eager packet has may be issued to it.
    sequence : ``Out``                     Those that were ever issued, modulo a power of two.
    issued, units : ``In``                 Units are issued to it, not while another is read, once.
    issued_peer : ``In``                   Its number.
    acked, acked_peer, acked_units : ``In``    A peer acknowledges units.
    """

    def __init__(self, flow: FlowControl) -> None:
        self.flow = flow
        number, width = bits(flow.peers), bits(flow.window + 1)
        super().__init__(
            {
                "clear": Out(bits(flow.clearing)),
                "cleared": Out(1),
                "peer": In(number),
                "read": In(1),
                "fits": Out(1),
                "sequence": Out(flow.units),
                "issued": In(1),
                "issued_peer": In(number),
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
        width = flow.units
        clear = self.clear
        with m.If(~self.cleared):
            m.d.sync += [clear.eq(clear + 1), self.cleared.eq(clear == flow.clearing - 1)]

        issued: Memory = Memory(shape=width, depth=flow.peers, init=[], attrs=NO_RW_CHECK)
        allowed: Memory = Memory(shape=width, depth=flow.peers, init=[])
        m.submodules.issued, m.submodules.allowed = issued, allowed
        write_issued, write_allowed = issued.write_port(), allowed.write_port()
        sent, returned = issued.read_port(), allowed.read_port()
        # An acknowledge is counted in the cycle after it; the next one may be of the same peer.
        late, late_peer, late_units = (
            Signal.like(s, name=f"late_{s.name}")
            for s in (self.acked, self.acked_peer, self.acked_units)
        )
        asked, before = read_new(m, allowed, write_allowed)
        m.d.sync += [
            late.eq(self.acked),
            late_peer.eq(self.acked_peer),
            late_units.eq(self.acked_units),
        ]
        room = Signal(width)
        m.d.comb += [
            *(port.addr.eq(self.peer) for port in (sent, returned)),
            *(port.en.eq(self.read) for port in (sent, returned)),
            room.eq(returned.data - sent.data),
            self.fits.eq(room >= flow.eager),
            self.sequence.eq(sent.data),
            write_issued.addr.eq(Mux(self.cleared, self.issued_peer, clear)),
            write_issued.en.eq(self.issued | ~self.cleared),
            asked.eq(self.acked_peer),
            write_allowed.addr.eq(Mux(self.cleared, late_peer, clear)),
            write_allowed.data.eq(
                Mux(self.cleared, before + late_units, flow.window - flow.withheld)
            ),
            write_allowed.en.eq(late | ~self.cleared),
        ]
        with m.If(self.cleared):
            m.d.comb += write_issued.data.eq(sent.data + self.units)
        return m
