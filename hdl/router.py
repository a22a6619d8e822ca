"""The router: any routing unit, wormhole switching, virtual channels, credits."""

from typing import Any

from amaranth import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out, flipped

from golden.network import terminal_depth
from golden.routing import Routing
from hdl.entrance import Entrance
from hdl.input_port import InputPort
from hdl.link import LinkSignature
from hdl.logic import select
from hdl.output_port import OutputPort
from hdl.routing.base import struct

__all__ = ["Router"]

ERRORS = 8
"""Bits of the error counter."""


class Router(wiring.Component):
    """The router of one node: `degree` links and a terminal.

    A flit takes two cycles a hop: on the link it gets its way and is written to its queue, then
    it is nominated, taken, and crosses to the output register. A channel keeps up one flit per
    cycle if it is at least 4 deep: flit and credit take two cycles each. No link input reaches a
    link output without passing a register. The terminal has one channel in each direction, and an
    `Entrance`, which takes the cycles of the routing's launch; its queue is deeper by as much.

    Parameters
    ----------
    routing : Routing
    channels : int
        Virtual channels of every link.
    depth : int
        Flits that each channel of each input can hold.
    flit_width : int
        Bits of data in a flit; the header takes the lowest ones of a head.

    Members
    -------
    straps : ``In(routing.straps)``              The constants of the node.
    turns : ``In(degree * degree)``              Whether a packet from an input to an output moves
                                                 to the next channel, by input, then output.
    inputs : ``In(LinkSignature)``, by port      Links from the neighbours.
    outputs : ``Out(LinkSignature)``, by port    Links to the neighbours.
    inject, eject : ``In/Out(LinkSignature)``    The terminal.
    errors : ``Out(8)``                          Malformed flits and packets so far, two cycles
                                                 later; stops at 255.
    """

    straps: data.View
    turns: Signal
    inputs: list[Any]
    outputs: list[Any]
    inject: Any
    eject: Any
    errors: Signal

    def __init__(self, routing: Routing, *, channels: int, depth: int, flit_width: int) -> None:
        if flit_width < routing.header.width:
            raise ValueError(
                f"Router needs a flit_width of at least {routing.header.width}, the bits of a "
                f"{routing.algorithm} header, not {flit_width}"
            )
        if depth < 1:
            raise ValueError(f"Router needs a buffer_depth of at least 1, not {depth}")
        if channels < 1:
            raise ValueError(f"Router needs at least 1 virtual channel, not {channels}")
        self.routing, self.channels = routing, channels
        self.depth, self.flit_width = depth, flit_width
        self.degree = routing.topology.degree
        link = LinkSignature(channels=channels, flit_width=flit_width)
        terminal = LinkSignature(channels=1, flit_width=flit_width)
        super().__init__(
            {
                "straps": In(struct(routing.straps)),
                "turns": In(self.degree**2),
                "inputs": In(link).array(self.degree),
                "outputs": Out(link).array(self.degree),
                "inject": In(terminal),
                "eject": Out(terminal),
                "errors": Out(ERRORS),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Every input sees every output."""
        m = Module()
        inputs, outputs = [], []
        for port in range(self.degree + 1):
            at_terminal = port == self.degree
            shape = {
                "channels": 1 if at_terminal else self.channels,
                "outgoing": self.channels,
                "depth": self.depth,
                "flit_width": self.flit_width,
            }
            m.submodules[f"output{port}"] = o = OutputPort(ports=self.degree + 1, **shape)
            if at_terminal:
                shape["depth"] = terminal_depth(self.routing, self.depth)
            m.submodules[f"input{port}"] = i = InputPort(self.routing, port=port, **shape)
            wiring.connect(m, o.link, flipped(self.eject if at_terminal else self.outputs[port]))
            if at_terminal:
                m.submodules.entrance = e = Entrance(self.routing, flit_width=self.flit_width)
                m.d.comb += [
                    e.straps.eq(self.straps),
                    e.valid.eq(self.inject.valid),
                    e.flit.eq(self.inject.flit),
                    self.inject.credit.eq(i.link.credit),
                    i.link.valid.eq(e.next_valid),
                    i.link.flit.eq(e.next_flit),
                    i.header.eq(e.header),
                    i.refused.eq(e.refused),
                ]
            else:
                wiring.connect(m, i.link, flipped(self.inputs[port]))
                m.d.comb += i.header.eq(i.link.flit.data[: self.routing.header.width])
            m.d.comb += i.straps.eq(self.straps)
            if not at_terminal:
                m.d.comb += i.turns.eq(self.turns.word_select(port, self.degree))
            inputs.append(i)
            outputs.append(o)

        for number, i in enumerate(inputs):
            for port, o in enumerate(outputs):
                m.d.comb += [
                    o.request[number].eq(i.asks & i.nominee.port[port]),
                    o.aside[number].eq(i.aside & i.nominee.port[port]),
                    o.eager[number].eq(i.eager),
                    o.nominees[number].eq(i.nominee),
                    o.flits[number].eq(i.flit),
                ]
            m.d.comb += [
                i.ready.eq(select(i.nominee.port, [o.ready[number] for o in outputs])),
                i.granted.eq(Cat(o.grant[number] for o in outputs).any()),
            ]

        new = Signal(self.degree + 1)
        total = Signal(ERRORS + 1)
        m.d.sync += new.eq(Cat(i.error for i in inputs))
        m.d.comb += total.eq(self.errors + sum(new))
        m.d.sync += self.errors.eq(total[:ERRORS] | total[ERRORS].replicate(ERRORS))
        return m
