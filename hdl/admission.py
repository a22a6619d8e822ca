"""Admission: the way of every arriving flit, and what to do with malformed ones."""

from amaranth import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.data import View
from amaranth.lib.wiring import In, Out

from golden.routing import Routing
from hdl.flit import flit_layout
from hdl.header import struct
from hdl.routing import routing_unit

__all__ = ["Admission"]


class Admission(wiring.Component):
    """Give every arriving head its way; combinational.

    A packet whose header names no node, or asks for a turn that no route takes, is given no way:
    it will be drained. So will a body flit outside any packet, as a packet of its own. A head
    inside a packet is taken for a body flit. Each of these is an error.

    Parameters
    ----------
    routing : Routing
    port : int
        The input port.
    outputs : tuple of int
        The output ports to which routes turn from here.
    channels : int
        Virtual channels of this input.
    flit_width : int

    Members
    -------
    straps : ``In(routing.straps)``    Constants of the node.
    selection : ``In(selection)``      What the decision is told besides, if it takes something.
    valid : ``In(channels)``           The channel of the arriving flit, one-hot; 0: none.
    flit : ``In(flit_layout)``         The flit.
    header : ``In(header)``            If it is a head, its header.
    refused : ``In(1)``                If it is a head, its header names no node.
    way : ``Out(outputs)``             If it is a head, where its packet goes, one-hot by `outputs`;
                                       0: drain it. Of body flits it means nothing.
    tail : ``Out(1)``                  It ends what is drained, or goes its way.
    data : ``Out(flit_width)``         Its data, with the next header if it is a head.
    inside : ``Out(channels)``         Which channels are between a head and its tail.
    error : ``Out(1)``                 It is malformed.
    """

    straps: View
    selection: Signal
    valid: Signal
    flit: View
    header: View
    refused: Signal
    way: Signal
    tail: Signal
    data: Signal
    inside: Signal
    error: Signal

    def __init__(
        self,
        routing: Routing,
        *,
        port: int,
        outputs: tuple[int, ...],
        channels: int,
        flit_width: int,
    ) -> None:
        self.routing, self.port, self.outputs = routing, port, outputs
        self.channels, self.flit_width = channels, flit_width
        super().__init__(
            {
                "straps": In(struct(routing.straps)),
                **({"selection": In(routing.selection_width)} if routing.selection else {}),
                "valid": In(channels),
                "flit": In(flit_layout(flit_width)),
                "header": In(struct(routing.header)),
                "refused": In(1),
                "way": Out(len(outputs)),
                "tail": Out(1),
                "data": Out(flit_width),
                "inside": Out(channels),
                "error": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Route a head; know of each channel whether a packet goes on."""
        m = Module()
        m.submodules.routing = unit = routing_unit(self.routing)
        header_width = self.routing.header.width
        follows, lost, stray = Signal(), Signal(), Signal()
        m.d.comb += [
            unit.straps.eq(self.straps),
            unit.arrival.eq(self.port),
            unit.header.eq(self.header),
            follows.eq((self.inside & self.valid).any()),
            stray.eq(~self.flit.head & ~follows),
            lost.eq(self.refused | unit.error),
            self.way.eq(Cat(self.flit.head & ~lost & (unit.port == port) for port in self.outputs)),
            self.tail.eq(self.flit.tail | stray),
            self.data.eq(self.flit.data),
        ]
        if self.routing.selection:
            m.d.comb += unit.selection.eq(self.selection)
        with m.If(self.flit.head & ~follows):
            m.d.comb += self.data[:header_width].eq(unit.next_header)
        with m.If(self.valid.any()):
            m.d.comb += self.error.eq(stray | (self.flit.head & (follows | ~self.way.any())))
        for v in range(self.channels):
            with m.If(self.valid[v]):
                m.d.sync += self.inside[v].eq((self.flit.head | follows) & ~self.flit.tail)
        return m
