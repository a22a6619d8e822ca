"""The router: any routing unit, wormhole switching, virtual channels, credits."""

from typing import Any

import numpy as np
from amaranth import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out, flipped

from golden import counters
from golden.arrays import BoolArray, IntArray
from golden.deadlock.lanes import Lanes
from golden.network import terminal_depth
from golden.routing import Routing
from golden.topology.base import NodeType
from hdl.chance import Chance
from hdl.courtesy import Courtesy
from hdl.flit import LinkSignature
from hdl.header import struct
from hdl.injection import OVERRUNS, Injection
from hdl.input_port import InputPort
from hdl.output_port import OutputPort

__all__ = ["Router"]

ERRORS = counters.ERRORS.width
"""Bits of the error counter."""


class Router(wiring.Component):
    """The router of one node: `degree` links and a terminal.

    A flit takes three cycles a hop. On the link it gets its way and is written to its queue; then
    it is nominated and taken; then it crosses to the output register. A channel keeps up one flit
    per cycle if it is at least 5 deep: flit and credit together take five cycles. No link input
    reaches a link output without passing a register. The terminal has one channel in each
    direction, and an `Injection`, which takes the cycles of the routing's launch; its queue is
    deeper by as much.

    Parameters
    ----------
    routing : Routing
    lanes : Lanes
        The virtual channels of every link.
    depth : int
        Flits that each channel of each input can hold.
    flit_width : int
        Bits of data in a flit; the header takes the lowest ones of a head.
    courtesies : (degree + 1, degree + 1) array, optional
        Packets that a head lets pass, by port of arrival and output port; then it comes first. With
        0, as by default, it takes turns with all others.
    register : bool
        Whether a register stands behind each routing unit: then a hop takes four cycles, and the
        terminal's queue is deeper by one.
    stalls : bool
        Whether it tells at which outputs flits wait.
    node_type : NodeType, optional
        The ports in use; by default all. The others are there, but nothing is behind them.
    taken : (degree + 1, degree + 1) array, optional
        The turns that routes take, by port of arrival and output port; by default all. Packets
        that ask for others are malformed.

    Members
    -------
    straps : ``In(routing.straps)``              The constants of the node.
    increments : ``In(degree * degree)``         Whether a packet from an input to an output moves
                                                 to the next channel, by input, then output.
    inputs : ``In(LinkSignature)``, by port      Links from the neighbours.
    outputs : ``Out(LinkSignature)``, by port    Links to the neighbours.
    inject, eject : ``In/Out(LinkSignature)``    The terminal.
    errors : ``Out(8)``                          Malformed flits and packets so far, two cycles
                                                 later; stops at 255.
    overruns : ``Out(8)``                        Flits that came from the terminal without a
                                                 credit; stops at 255.
    stalled : ``Out(degree + 1)``                If asked for. Bit p: in the cycle before, a flit
                                                 waited for output p, and none went there.

    Raises
    ------
    ValueError
        If a header does not fit into a flit, or queues hold nothing.
    """

    straps: data.View
    increments: Signal
    inputs: list[Any]
    outputs: list[Any]
    inject: Any
    eject: Any
    errors: Signal
    overruns: Signal
    stalled: Signal

    def __init__(
        self,
        routing: Routing,
        *,
        lanes: Lanes,
        depth: int,
        flit_width: int,
        courtesies: IntArray | None = None,
        register: bool = False,
        stalls: bool = False,
        node_type: NodeType | None = None,
        taken: BoolArray | None = None,
    ) -> None:
        if flit_width < routing.header.width:
            raise ValueError(
                f"Router needs a flit_width of at least {routing.header.width}, the bits of a "
                f"{routing.algorithm} header, not {flit_width}"
            )
        if depth < 1:
            raise ValueError(f"Router needs a buffer_depth of at least 1, not {depth}")
        self.routing, self.lanes, self.channels = routing, lanes, lanes.channels
        self.depth, self.flit_width = depth, flit_width
        self.register, self.stalls = register, stalls
        self.degree = routing.topology.degree
        every = tuple(range(self.degree))
        self.node_type = node_type or NodeType(every, every, True)
        ports = self.degree + 1
        self.taken = np.ones((ports, ports), np.bool_) if taken is None else taken
        self.courtesies = np.zeros((ports, ports), int) if courtesies is None else courtesies
        link = LinkSignature(channels=self.channels, flit_width=flit_width)
        terminal = LinkSignature(channels=1, flit_width=flit_width)
        super().__init__(
            {
                "straps": In(struct(routing.straps)),
                "increments": In(self.degree**2),
                "inputs": In(link).array(self.degree),
                "outputs": Out(link).array(self.degree),
                "inject": In(terminal),
                "eject": Out(terminal),
                "errors": Out(ERRORS),
                "overruns": Out(OVERRUNS),
                **({"stalled": Out(self.degree + 1)} if stalls else {}),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Join every input with the outputs to which routes turn from there."""
        m = Module()
        terminal = (self.degree,) if self.node_type.terminal else ()
        # Where no route turns there is nothing: no flit comes.
        inputs = {
            port: self._input(m, port)
            for port in self.node_type.inputs + terminal
            if self.taken[port, self.node_type.outputs + terminal].any()
        }
        outputs = {
            port: self._output(m, port, inputs)
            for port in self.node_type.outputs + terminal
            if self._turning_to(port, inputs)
        }
        able: dict[int, list[Signal]] = {port: [] for port in inputs}
        soon: dict[int, list[Signal]] = {port: [] for port in inputs}
        granted: dict[int, list[Any]] = {port: [] for port in inputs}
        for out, o in outputs.items():
            for number, port in enumerate(self._turning_to(out, inputs)):
                i, front = inputs[port], o.fronts[number]
                wants = Cat(w[i.outputs.index(out)] for w in i.wants)
                m.d.comb += [
                    front.wants.eq(wants),
                    front.waits.eq(i.waits),
                    front.head.eq(i.head),
                    front.last.eq(i.last),
                    front.nominee.eq(i.nominee),
                    o.crossing[number].eq(i.crossing),
                ]
                if port != self.degree != out:
                    m.d.comb += o.increments[number].eq(self.increments[port * self.degree + out])
                able[port].append(o.able[number])
                soon[port].append(o.soon[number])
                granted[port].append(o.grant[number])
        for port, i in inputs.items():
            for v in range(i.channels):
                m.d.comb += [
                    i.ready[v].eq(Cat(bits[v] for bits in able[port]).any()),
                    i.soon[v].eq(Cat(bits[v] for bits in soon[port]).any()),
                ]
            m.d.comb += i.granted.eq(Cat(granted[port]).any())
            if self.courtesies[port].any():
                self._courtesy(m, port, inputs, outputs)
        if self.node_type.terminal:
            self._terminal(m, inputs[self.degree], outputs)
        if self.routing.selection:
            self._selection(m, inputs, outputs)
        if self.stalls:
            for port, o in outputs.items():
                waits = Cat((front.wants & front.waits).any() for front in o.fronts)
                m.d.sync += self.stalled[port].eq(waits.any() & ~o.grant.any())

        new = Signal(max(1, len(inputs)))  # a node that faults have cut off has none
        total = Signal(ERRORS + 1)
        m.d.sync += new.eq(Cat(i.error for i in inputs.values()))
        m.d.comb += total.eq(self.errors + sum(new))
        m.d.sync += self.errors.eq(total[:ERRORS] | total[ERRORS].replicate(ERRORS))
        return m

    def _turning_to(self, out: int, inputs: dict[int, InputPort]) -> list[int]:
        """Return the inputs from which routes turn to an output, the terminal last."""
        return [port for port in inputs if self.taken[port, out]]

    def _output(self, m: Module, port: int, inputs: dict[int, InputPort]) -> OutputPort:
        turning = self._turning_to(port, inputs)
        m.submodules[f"output{port}"] = o = OutputPort(
            channels=tuple(inputs[p].channels for p in turning),
            terminal=self.degree in turning,
            lanes=self.lanes,
            eject=port == self.degree,
            depth=self.depth,
            guests=[n for n, p in enumerate(turning) if self.courtesies[p, port]],
            flit_width=self.flit_width,
        )
        wiring.connect(
            m, o.link, flipped(self.eject if port == self.degree else self.outputs[port])
        )
        return o

    def _input(self, m: Module, port: int) -> InputPort:
        terminal = port == self.degree
        outputs = self.node_type.outputs + ((self.degree,) if self.node_type.terminal else ())
        m.submodules[f"input{port}"] = i = InputPort(
            self.routing,
            port=port,
            outputs=tuple(out for out in outputs if self.taken[port, out]),
            channels=1 if terminal else self.channels,
            depth=self._depth(port),
            flit_width=self.flit_width,
            register=self.register,
        )
        m.d.comb += i.straps.eq(self.straps)
        if not terminal:
            wiring.connect(m, i.link, flipped(self.inputs[port]))
            m.d.comb += i.header.eq(i.link.flit.data[: self.routing.header.width])
        return i

    def _depth(self, port: int) -> int:
        """Return the flits that each channel of an input holds."""
        if port < self.degree:
            return self.depth
        return terminal_depth(self.routing, self.depth, register=self.register)

    def _terminal(self, m: Module, i: InputPort, outputs: dict[int, OutputPort]) -> None:
        """Let packets from the terminal through the injection, from lane to lane."""
        m.submodules.injection = e = Injection(self.routing, flit_width=self.flit_width)
        m.d.comb += [
            e.straps.eq(self.straps),
            e.valid.eq(self.inject.valid),
            e.flit.eq(self.inject.flit),
            e.full.eq(i.full),
            e.inside.eq(i.inside),
            self.inject.credit.eq(i.link.credit),
            i.link.valid.eq(e.next_valid),
            i.link.flit.eq(e.next_flit),
            i.header.eq(e.header),
            i.refused.eq(e.refused),
            self.overruns.eq(e.overruns),
        ]
        wanted = dict(zip(i.outputs, i.wants[0], strict=True))
        lanes = int(self.lanes.count[0])
        lane = Signal(lanes, init=1)
        for o in outputs.values():
            m.d.comb += o.lane.eq(lane)
        if lanes > 1:
            with m.If(i.granted & i.last & ~wanted.get(self.degree, 0)):
                m.d.sync += lane.eq(lane.rotate_left(1))

    def _courtesy(
        self, m: Module, port: int, inputs: dict[int, InputPort], outputs: dict[int, OutputPort]
    ) -> None:
        """Count what passes the heads of an input where they are guests: all but their own."""
        i, limit = inputs[port], int(self.courtesies[port].max())
        crossing = Signal(i.channels, name=f"crossing{port}")
        m.d.sync += crossing.eq(i.nominee)
        for v in range(i.channels):
            m.submodules[f"courtesy{port}_{v}"] = courtesy = Courtesy(limit)
            passes = []
            for wants, out in zip(i.wants[v], i.outputs, strict=True):
                turning, o = self._turning_to(out, inputs), outputs[out]
                guests = [p for p in turning if self.courtesies[p, out]]
                if port in guests:
                    m.d.comb += o.insists[guests.index(port)][v].eq(courtesy.insists)
                    mine = turning.index(port)
                    others = Cat(o.through[:mine], o.through[mine + 1 :])
                    own = o.through[mine] & (crossing & ~(1 << v)).any()
                    passes.append(wants & (others.any() | own))
            m.d.comb += [
                courtesy.waits.eq(i.waits[v] & i.head[v]),
                courtesy.passes.eq(Cat(passes).any()),
                courtesy.goes.eq(i.granted & i.nominee[v] & i.head[v]),
            ]

    def _selection(
        self, m: Module, inputs: dict[int, InputPort], outputs: dict[int, OutputPort]
    ) -> None:
        """Tell the routing units what they take besides: chance, or which outputs are free."""
        selection = Signal(self.routing.selection_width)
        if self.routing.selection == "random":
            m.submodules.chance = chance = Chance()
            m.d.comb += selection.eq(chance.state ^ self.straps.salt)
        else:
            for port, o in outputs.items():
                wanted = Cat((front.wants & front.waits).any() for front in o.fronts)
                m.d.comb += selection[port].eq(~wanted.any())
        m.d.comb += [i.selection.eq(selection) for i in inputs.values()]
