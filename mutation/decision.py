"""A routing unit behind its header generator, at any node: one decision in every clock."""

from amaranth import Array, C, Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.network import node_straps
from fingerpost.hdl.routing import header_generator, routing_unit

__all__ = ["Decision"]


class Decision(wiring.Component):
    """The decision of a node; what comes from its terminal goes through the header generator first.

    Parameters
    ----------
    network : Network

    Members
    -------
    asks : ``In(1)``                     Asserted with a header to decide on.
    at : ``In(range(nodes))``            The node, the same for all.
    arrival, header : ``In``             As of `fingerpost.hdl.routing.base.RoutingUnit`.
    selection : ``In(selection width)``  The same, where it takes one.
    valid : ``Out(1)``                   It was answered, and not refused. It comes a clock
                                         after the header generator.
    answer : ``Out``                     Port and next header.
    """

    asks: Signal
    at: Signal
    arrival: Signal
    header: Signal
    selection: Signal
    valid: Signal
    answer: Signal

    def __init__(self, network: Network) -> None:
        self.network, routing = network, network.routing
        ports, header = bits(network.topology.degree + 1), routing.header.width
        super().__init__(
            {
                "asks": In(1),
                "at": In(range(network.topology.nodes)),
                "arrival": In(ports),
                "header": In(header),
                **({"selection": In(routing.selection_width)} if routing.selection else {}),
                "valid": Out(1),
                "answer": Out(ports + header),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Delay by the cycles of header generation what does not go through it."""
        m = Module()
        network, routing = self.network, self.network.routing
        m.submodules.header_generator = first = header_generator(routing)
        m.submodules.routing = unit = routing_unit(routing)
        nodes = (node_straps(network, node)[0] for node in range(network.topology.nodes))
        straps = Array(C(each, routing.straps.width) for each in nodes)[self.at]
        late = [self.asks, self.arrival, self.header]
        late += [self.selection] if routing.selection else []
        for _ in range(routing.header_cycles):
            earlier, late = late, [Signal.like(signal) for signal in late]
            m.d.sync += [signal.eq(before) for signal, before in zip(late, earlier, strict=True)]
        asks, arrival, header, *selection = late
        at_terminal = arrival == network.topology.local
        m.d.comb += [
            first.straps.as_value().eq(straps),
            first.header.as_value().eq(self.header),
            unit.straps.as_value().eq(straps),
            unit.arrival.eq(arrival),
            unit.header.as_value().eq(header),
            *(unit.selection.eq(signal) for signal in selection),
        ]
        with m.If(at_terminal):
            m.d.comb += unit.header.as_value().eq(first.next_header.as_value())
        m.d.sync += [
            self.valid.eq(asks & ~unit.error & ~(at_terminal & first.error)),
            self.answer.eq(Cat(unit.port, unit.next_header.as_value())),
        ]
        return m
