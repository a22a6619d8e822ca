"""Route stage: the route of every arriving flit, and what happens to malformed ones."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib.data import ArrayLayout
from amaranth.lib.wiring import In, Out

from fingerpost.golden.routing import Routing
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import flit_layout, struct
from fingerpost.hdl.routing import RoutingUnit, routing_unit


class RouteStage(Component):
    """Compute the route of every arriving head flit; combinational but for `in_packet`.

    A packet is unroutable if its header names no node or requests a turn that no route takes. It
    gets no route and is discarded. An orphan, a body flit outside any packet, is discarded as a
    packet of its own. A head inside a packet is handled as a body flit. Each of these is an error.

    Parameters
    ----------
    routing : Routing
    outputs : int
        The number of output ports to which routes turn from here.
    channels : int
        Virtual channels of this input.
    flit_width : int

    Members
    -------
    straps : ``In(routing.straps)``    Constants of the node.
    arrival : ``In(range(ports))``     Index of the input port; constant.
    turns : ``In(range(ports))``, by output
                                       Indices of the output ports; constant.
    selection : ``In(selection)``      Input of an adaptive or random decision, if it needs one.
    valid : ``In(channels)``           One-hot: the channel of the arriving flit; 0: none.
    flit : ``In(flit_layout)``         The flit.
    header : ``In(header)``            Of a head: its header.
    refused : ``In(1)``                Of a head: its header names no node.
    route : ``Out(outputs)``           Of a head: the output of its packet, one-hot by `outputs`; 0:
                                       the packet is discarded. Undefined for body flits.
    tail : ``Out(1)``                  The flit ends its packet.
    data : ``Out(flit_width)``         The data of the flit, with the next header if it is a head.
    in_packet : ``Out(channels)``      Channels that are between a head and its tail.
    error : ``Out(1)``                 The flit is malformed.
    """

    def __init__(
        self,
        routing: Routing,
        *,
        outputs: int,
        channels: int,
        flit_width: int,
    ) -> None:
        self.routing, self.outputs = routing, outputs
        port = range(routing.topology.all_ports)
        self.channels, self.flit_width = channels, flit_width
        super().__init__(
            straps=In(struct(routing.straps)),
            arrival=In(port),
            turns=In(ArrayLayout(port, outputs)),
            **({"selection": In(routing.selection_width)} if routing.selection else {}),
            valid=In(channels),
            flit=In(flit_layout(flit_width)),
            header=In(struct(routing.header)),
            refused=In(1),
            route=Out(outputs),
            tail=Out(1),
            data=Out(flit_width),
            in_packet=Out(channels),
            error=Out(1),
        )

    def elaborate(self, platform: object) -> Module:
        """Route a head; track for each channel whether a packet continues."""
        m = Module()
        m.submodules.routing = unit = routing_unit(self.routing)
        header_width = self.routing.header.width
        continues_packet, unroutable, orphan = Signal(), Signal(), Signal()
        routable, port = self.flit.head & ~unroutable, self._port(unit)
        m.d.comb += [
            unit.straps.eq(self.straps),
            unit.arrival.eq(self._arrival()),
            unit.header.eq(self.header),
            continues_packet.eq((self.in_packet & self.valid).any()),
            orphan.eq(~self.flit.head & ~continues_packet),
            unroutable.eq(self.refused | unit.error),
            self.route.eq(Cat(routable & (port == turn) for turn in self.turns)),
            self.tail.eq(self.flit.tail | orphan),
            self.data.eq(self.flit.data),
        ]
        if self.routing.selection:
            m.d.comb += unit.selection.eq(self.selection)
        with m.If(self.flit.head & ~continues_packet):
            m.d.comb += self.data[:header_width].eq(unit.next_header)
        with m.If(self.valid.any()):
            malformed_head = self.flit.head & (continues_packet | ~self.route.any())
            m.d.comb += self.error.eq(orphan | malformed_head)
        leaves_open = (self.flit.head | continues_packet) & ~self.flit.tail
        for v in range(self.channels):
            with m.If(self.valid[v]):
                m.d.sync += self.in_packet[v].eq(leaves_open)
        return m

    def _arrival(self) -> Value:
        """Return the port of arrival for the routing unit: all terminals are alike to it."""
        topology = self.routing.topology
        if topology.local_ports == 1:
            return self.arrival
        return Mux(self.arrival >= topology.local, topology.local, self.arrival)

    def _port(self, unit: RoutingUnit) -> Value:
        """Return the output that a head requests: at its destination its address says which."""
        topology, width = self.routing.topology, self.routing.header.width
        if topology.local_ports == 1:
            return unit.port
        local = self.flit.data[width : self.routing.address_layout.width]
        return Mux(unit.port == topology.local, local + topology.local, unit.port)
