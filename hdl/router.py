"""The router: any routing unit, wormhole switching, virtual channels, credits."""

from typing import Any

from amaranth import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out, flipped

from golden.network import terminal_depth
from golden.routing import Routing
from golden.topology.base import Kind
from hdl.chance import Chance
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
    kind : Kind, optional
        The ports in use; by default all. The others are there, but nothing is behind them.

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

    def __init__(
        self,
        routing: Routing,
        *,
        channels: int,
        depth: int,
        flit_width: int,
        kind: Kind | None = None,
    ) -> None:
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
        every = tuple(range(self.degree))
        self.kind = kind or Kind(every, every, True)
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
        terminal = (self.degree,) if self.kind.terminal else ()
        inputs = {port: self._input(m, port) for port in self.kind.inputs + terminal}
        outputs = {
            port: self._output(m, port, len(inputs)) for port in self.kind.outputs + terminal
        }
        if self.kind.terminal:
            self._terminal(m, inputs[self.degree])
        if self.routing.hint:
            self._hint(m, list(inputs.values()), outputs)

        for number, i in enumerate(inputs.values()):
            wanted = Cat(i.nominee.port[port] for port in outputs)
            for o, wants in zip(outputs.values(), wanted, strict=True):
                m.d.comb += [
                    o.request[number].eq(i.asks & wants),
                    o.aside[number].eq(i.aside & wants),
                    o.eager[number].eq(i.eager),
                    o.nominees[number].eq(i.nominee),
                    o.flits[number].eq(i.flit),
                ]
            m.d.comb += [
                i.ready.eq(select(wanted, [o.ready[number] for o in outputs.values()])),
                i.granted.eq(Cat(o.grant[number] for o in outputs.values()).any()),
            ]

        new = Signal(len(inputs))
        total = Signal(ERRORS + 1)
        m.d.sync += new.eq(Cat(i.error for i in inputs.values()))
        m.d.comb += total.eq(self.errors + sum(new))
        m.d.sync += self.errors.eq(total[:ERRORS] | total[ERRORS].replicate(ERRORS))
        return m

    def _shape(self, port: int) -> dict[str, int]:
        return {
            "channels": 1 if port == self.degree else self.channels,
            "outgoing": self.channels,
            "depth": self.depth,
            "flit_width": self.flit_width,
        }

    def _output(self, m: Module, port: int, inputs: int) -> OutputPort:
        m.submodules[f"output{port}"] = o = OutputPort(
            ports=self.degree + 1, inputs=inputs, **self._shape(port)
        )
        wiring.connect(
            m, o.link, flipped(self.eject if port == self.degree else self.outputs[port])
        )
        return o

    def _input(self, m: Module, port: int) -> InputPort:
        shape = self._shape(port)
        if port == self.degree:
            shape["depth"] = terminal_depth(self.routing, self.depth)
        m.submodules[f"input{port}"] = i = InputPort(self.routing, port=port, **shape)
        m.d.comb += i.straps.eq(self.straps)
        if port < self.degree:
            wiring.connect(m, i.link, flipped(self.inputs[port]))
            m.d.comb += [
                i.turns.eq(self.turns.word_select(port, self.degree)),
                i.header.eq(i.link.flit.data[: self.routing.header.width]),
            ]
        return i

    def _terminal(self, m: Module, i: InputPort) -> None:
        """Let packets from the terminal through the entrance."""
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

    def _hint(self, m: Module, inputs: list[InputPort], outputs: dict[int, OutputPort]) -> None:
        """Tell the routing units what they take besides: chance, or which outputs are free."""
        hint = Signal(self.routing.hint_width)
        if self.routing.hint == "random":
            m.submodules.chance = chance = Chance()
            m.d.comb += hint.eq(chance.state ^ self.straps.salt)
        else:
            for port, o in outputs.items():
                m.d.comb += hint[port].eq(~(o.request | o.aside).any())
        m.d.comb += [i.hint.eq(hint) for i in inputs]
