"""Injection: header generation, and protection against terminals that violate credits."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.golden import counters
from fingerpost.golden.routing import Routing
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import flit_layout, struct
from fingerpost.hdl.lib.logic import count
from fingerpost.hdl.lib.table import table_members
from fingerpost.hdl.routing import header_generator

OVERRUNS = counters.OVERRUNS.width
"""Bits of the counter of credit violations."""


class Injection(Component):
    """Generate the headers of packets from the terminal, and drop flits that arrive without credit.

    A flit that arrives while the buffer is full is dropped. Its packet is then truncated: a tail
    is inserted as soon as there is room, so that the packet does not hold its channel for ever.
    Flits that arrive before the inserted tail, or in the same cycle, are dropped too. Flits of
    other message classes pass: the tail waits for a cycle without one, and then the lowest class
    comes first.

    Parameters
    ----------
    routing : Routing
    flit_width : int
    classes : int
        Message classes: channels of the terminal.

    Members
    -------
    straps : ``In(routing.straps)``    Constants of the node.
    table : ``Out(TableSignature)``    What header generation reads beside the router, if it does.
    valid, flit : ``In``               A flit from the terminal; `valid` is one-hot by class.
    full : ``In(classes)``             The buffer of the class has no room.
    in_packet : ``In(classes)``        The buffer has received a head and not yet its tail.
    next_valid, next_flit : ``Out``    The flit, `routing.header_cycles` later.
    header : ``Out(header)``           Of a head: its header for the routing unit.
    refused : ``Out(1)``               Of a head: its header names no node.
    overruns : ``Out(8)``              Credit violations: flits that were dropped; saturates at 255.
    """

    def __init__(self, routing: Routing, *, flit_width: int, classes: int = 1) -> None:
        self.routing, self.flit_width, self.classes = routing, flit_width, classes
        super().__init__(
            straps=In(struct(routing.straps)),
            **table_members(routing.node_table),
            valid=In(classes),
            flit=In(flit_layout(flit_width)),
            full=In(classes),
            in_packet=In(classes),
            next_valid=Out(classes),
            next_flit=Out(flit_layout(flit_width)),
            header=Out(struct(routing.header)),
            refused=Out(1),
            overruns=Out(OVERRUNS),
        )

    def elaborate(self, platform: object) -> Module:
        """Delay the flit by the cycles of header generation."""
        m = Module()
        m.submodules.header_generator = generator = header_generator(self.routing)
        width = self.routing.header.width
        m.d.comb += [
            generator.straps.eq(self.straps),
            generator.header.eq(self.flit.data[:width]),
            self.header.eq(generator.next_header),
            self.refused.eq(generator.error),
        ]
        if self.routing.node_table:
            connect(m, generator.table, flipped(self.table))
        valid: Signal = self.valid
        flit: data.View | Signal = self.flit
        for cycle in range(self.routing.header_cycles):
            later_valid = Signal(self.classes, name=f"valid{cycle}")
            later = Signal(flit_layout(self.flit_width), name=f"flit{cycle}")
            m.d.sync += [later_valid.eq(valid), later.eq(flit)]
            valid, flit = later_valid, later

        truncated = Signal(self.classes)  # the arriving packet has lost a flit and has no tail yet
        blocked: Value = self.full
        lost: Value = valid & (self.full | truncated)
        ends: Value = truncated
        if self.classes > 1:
            blocked = self.full | self._behind_others(valid, truncated & ~self.full)
            lost, ends = lost.any(), (truncated & ~blocked).any()
        m.d.sync += truncated.eq(blocked & (truncated | (valid & self.in_packet)))
        count(m, self.overruns, lost)
        m.d.comb += [
            self.next_valid.eq(~blocked & (valid | truncated)),
            self.next_flit.eq(flit),
        ]
        with m.If(ends):
            m.d.comb += [self.next_flit.head.eq(0), self.next_flit.tail.eq(1)]
        return m

    def _behind_others(self, valid: Signal, ready: Value) -> Value:
        """Return the classes that another comes before: one that sends, or a lower tail."""
        return Cat(
            Mux(valid.any(), ~valid[c], ready[:c].any() if c else 0) for c in range(self.classes)
        )
