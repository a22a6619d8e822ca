"""The injection: what a flit from the terminal goes through before it is a flit like any other."""

from amaranth import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from golden import counters
from golden.routing import Routing
from hdl.flit import flit_layout
from hdl.header import struct
from hdl.routing import launch

__all__ = ["Injection"]

OVERRUNS = counters.OVERRUNS.width
"""Bits of the counter of overruns."""


class Injection(wiring.Component):
    """Launch the headers of packets from the terminal, and keep out what comes without a credit.

    A packet that loses a flit, since the queue is full, is ended: it gets a tail as soon as there
    is room, so that nobody waits for the one that may be lost. What arrives before that, and in
    that cycle, is lost too.

    Parameters
    ----------
    routing : Routing
    flit_width : int

    Members
    -------
    straps : ``In(routing.straps)``    The node's constants.
    valid, flit : ``In``               A flit from the terminal.
    full : ``In(1)``                   The terminal's queue has no room.
    inside : ``In(1)``                 A packet goes on behind the injection.
    next_valid, next_flit : ``Out``    The same `routing.launch_cycles` later.
    header : ``Out(header)``           And if that is a head, its header for the routing unit.
    refused : ``Out(1)``               Or: its header names no node.
    overruns : ``Out(8)``              Flits that were lost; stops at 255.
    """

    straps: data.View
    valid: Signal
    flit: data.View
    full: Signal
    inside: Signal
    next_valid: Signal
    next_flit: data.View
    header: data.View
    refused: Signal
    overruns: Signal

    def __init__(self, routing: Routing, *, flit_width: int) -> None:
        self.routing, self.flit_width = routing, flit_width
        super().__init__(
            {
                "straps": In(struct(routing.straps)),
                "valid": In(1),
                "flit": In(flit_layout(flit_width)),
                "full": In(1),
                "inside": In(1),
                "next_valid": Out(1),
                "next_flit": Out(flit_layout(flit_width)),
                "header": Out(struct(routing.header)),
                "refused": Out(1),
                "overruns": Out(OVERRUNS),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Delay the flit by as many cycles as the launch of its header takes."""
        m = Module()
        m.submodules.launch = maker = launch(self.routing)
        width = self.routing.header.width
        m.d.comb += [
            maker.straps.eq(self.straps),
            maker.header.eq(self.flit.data[:width]),
            self.header.eq(maker.next_header),
            self.refused.eq(maker.error),
        ]
        valid: Signal = self.valid
        flit: data.View | Signal = self.flit
        for cycle in range(self.routing.launch_cycles):
            later_valid = Signal(name=f"valid{cycle}")
            later = Signal(flit_layout(self.flit_width), name=f"flit{cycle}")
            m.d.sync += [later_valid.eq(valid), later.eq(flit)]
            valid, flit = later_valid, later

        cut = Signal()  # the packet that comes in has lost a flit, and has not been ended
        m.d.sync += cut.eq(self.full & (cut | (valid & self.inside)))
        with m.If(valid & (self.full | cut) & ~self.overruns.all()):
            m.d.sync += self.overruns.eq(self.overruns + 1)
        m.d.comb += [
            self.next_valid.eq(~self.full & (valid | cut)),
            self.next_flit.eq(flit),
        ]
        with m.If(cut):
            m.d.comb += [self.next_flit.head.eq(0), self.next_flit.tail.eq(1)]
        return m
