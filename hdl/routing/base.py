"""What every routing unit is: golden's `Routing.unit` at one node, as combinational logic."""

from typing import ClassVar

from amaranth import Module
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.golden.routing import Routing
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.lib.table import table_members


class HeaderGenerator(Component):
    """Generate a header from what the terminal sends, as golden's `Routing.generate_header`.

    This base class passes the header on.

    Members
    -------
    straps : ``In(routing.straps)``   The node's constants.
    header : ``In(header)``           What the terminal sends.
    table : ``Out(TableSignature)``   What it reads beside the router, if it does.
    next_header : ``Out(header)``     The header, `routing.header_cycles` later.
    error : ``Out(1)``                And then: it names no node.
    """

    def __init__(self, routing: Routing) -> None:
        self.routing = routing
        super().__init__(
            straps=In(struct(routing.straps)),
            header=In(struct(routing.header)),
            **table_members(routing.node_table),
            next_header=Out(struct(routing.header)),
            error=Out(1),
        )

    def elaborate(self, platform: object) -> Module:
        """Pass the header on."""
        m = Module()
        m.d.comb += self.next_header.eq(self.header)
        return m


class RoutingUnit(Component):
    """The decision of one node for one header, as golden's `Routing.unit` makes it.

    Which node it is comes in by `straps`, so that one module serves every node of a network.

    Members
    -------
    straps : ``In(routing.straps)``       The node's label and what follows from it; constant.
    arrival : ``In(range(degree + 1))``   The port by which the packet came.
    header : ``In(header)``               What travels with the packet; from the terminal after
                                          `HeaderGenerator`.
    selection : ``In(selection)``         A further input of the decision, if golden's has one:
                                          16 random bits, or a bit for each port that no packet
                                          waits for.
    port : ``Out(range(degree + 1))``     Where it goes; `degree` is the terminal.
    next_header : ``Out(header)``         What travels on.
    error : ``Out(1)``                    The header names no node; the other outputs mean nothing.

    Attributes
    ----------
    algorithm : str
        The `Routing.algorithm` of golden's twin.
    header_generator : type
        The hardware of its `Routing.generate_header`.
    """

    header_generator: ClassVar[type[HeaderGenerator]] = HeaderGenerator

    def __init__(self, routing: Routing) -> None:
        self.routing = routing
        ports = bits(routing.topology.degree + 1)
        selection = {"selection": In(routing.selection_width)} if routing.selection else {}
        super().__init__(
            straps=In(struct(routing.straps)),
            arrival=In(ports),
            header=In(struct(routing.header)),
            **selection,
            port=Out(ports),
            next_header=Out(struct(routing.header)),
            error=Out(1),
        )
