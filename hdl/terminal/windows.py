"""The windows of a sender, one for each destination, and the pace at which receivers invite."""

from collections.abc import Sequence
from typing import Any

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
            clear=Out(bits(flow.clearing)),
            cleared=Out(1),
            peer=In(number),
            read=In(1),
            fits=Out(1),
            sequence=Out(flow.units),
            issued=In(1),
            issued_peer=In(number),
            units=In(width),
            acked=In(1),
            acked_peer=In(number),
            acked_units=In(width),
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


def most_invited(flow: FlowControl) -> int:
    """Return the flits that a receiver invites in a cycle at most: a long packet, and a beat."""
    return flow.packet_limit + 3


class Pace(Component):
    """Let the receivers of all message classes of a terminal invite as much as its port takes.

    They invite more slowly than flits can arrive, so that a queue stands in receivers and not in
    routers: F flits that any of them invites keep all closed for 7 F / 5 cycles. While `full` flits
    or more arrive in a row, there is a queue in routers, and time does not pass.

    Parameters
    ----------
    flow : FlowControl
    classes : int

    Members
    -------
    arrives : ``In(1)``       A flit arrives, of any class.
    invited_0, ... : ``In``   Flits that the receiver of a class invites in this cycle.
    invites : ``In(1)``       Any of them invites a flit; known earlier than how many.
    open : ``Out(1)``         Receivers may invite.
    """

    def __init__(self, flow: FlowControl, classes: int) -> None:
        self.flow, self.classes = flow, classes
        each = {f"invited_{c}": In(range(most_invited(flow) + 1)) for c in range(classes)}
        super().__init__(arrives=In(1), **each, invites=In(1), open=Out(1))

    def elaborate(self, platform: object) -> Module:
        """Count flits that were invited, and those that arrive in a row."""
        m = Module()
        full = self.flow.full
        each: Sequence[Any] = [getattr(self, f"invited_{c}") for c in range(self.classes)]
        wait = Signal(range(2 * self.classes * most_invited(self.flow)))
        invited = Signal(range(self.classes * most_invited(self.flow) + 1))
        seventh, row = Signal(3), Signal(range(full + 1))
        passes, rested = Signal(), Signal(init=1)  # time passes; there is no wait
        none = Signal(init=1)  # no flit was invited in the cycle before
        next_seventh, next_row, next_wait = (
            Signal.like(s, name=f"next_{s.name}") for s in (seventh, row, wait)
        )
        m.d.comb += [
            next_seventh.eq(Mux(seventh == 6, 0, seventh + 1)),
            next_row.eq(Mux(self.arrives, row + (row != full), 0)),
            next_wait.eq(wait + invited - (passes & ((wait != 0) | (invited != 0)))),
            self.open.eq(none & rested),
        ]
        next_passes = (next_seventh != 0) & (next_seventh != 3) & (next_row != full)
        m.d.sync += [
            *(seventh.eq(next_seventh), row.eq(next_row), wait.eq(next_wait)),
            *(passes.eq(next_passes), rested.eq(next_wait <= next_passes)),
            *(invited.eq(sum(each[1:], each[0])), none.eq(~self.invites)),
        ]
        return m
