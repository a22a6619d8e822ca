"""Router: any routing unit, wormhole switching, virtual channels, credit-based flow control."""

from functools import reduce
from operator import add, or_

import numpy as np
from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, flipped

from fingerpost.golden import counters
from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.deadlock.lanes import Lanes
from fingerpost.golden.network.network import terminal_depth
from fingerpost.golden.router.pipeline import Pipeline
from fingerpost.golden.routing import Routing
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import LinkSignature, struct
from fingerpost.hdl.lib.logic import Chance, count
from fingerpost.hdl.lib.ports import local_name
from fingerpost.hdl.lib.table import table_members
from fingerpost.hdl.router.injection import OVERRUNS, Injection
from fingerpost.hdl.router.input_port import InputPort
from fingerpost.hdl.router.output_port import OutputPort
from fingerpost.hdl.router.switch_allocator import BypassLimit

ERRORS = counters.ERRORS.width
"""Bits of the error counter."""


class Router(Component):
    """The router of one node: `degree` links, and a terminal or several.

    A flit takes two cycles a hop, as `Pipeline` counts them. While it is on the link it is routed
    and written to its buffer (RC); then it is the candidate of its input, is granted (VA, SA), and
    crosses to the output register (ST), with `hop_cycles` 3 in the cycle after its grant. A virtual
    channel sustains one flit per cycle if its buffer holds `Pipeline.full_rate_depth` flits: the
    credit loop takes two cycles more than a hop. No link input reaches a link output without a
    register. The terminal has one virtual channel in each direction for each message class, and an
    `Injection`, which takes the cycles of header generation; its buffers are deeper by as many
    flits.

    Parameters
    ----------
    routing : Routing
    lanes : Lanes
        The virtual channels of every link; its copies are the message classes.
    depth : int
        Flits that each channel of each input can hold.
    flit_width : int
        Bits of data in a flit; the header takes the lowest ones of a head.
    batches : bool
        Whether heads are served in batches where an input has several virtual channels.
    bypass_limits : (ports, ports) array, optional
        Packets that may bypass a head before it is promoted, by input and output port. With 0, the
        default, the input does not yield: it is arbitrated like the others.
    pipeline : Pipeline
        The cycles of its stages. With a register behind each routing unit the terminal's queue is
        deeper by one.
    stalls : bool
        Whether it reports at which outputs flits wait.
    node_type : NodeType, optional
        The ports in use; by default all. The others exist, but have no logic.
    used_turns : (ports, ports) array, optional
        The turns that routes use, by input and output port; by default all. Packets that request
        others are malformed.

    Members
    -------
    straps : ``In(routing.straps)``              Constants of the node.
    table : ``Out(TableSignature)``              What header generation reads beside the router, if
                                                 it does.
    increments : ``In(degree * degree)``         Asserted where a packet from an input to an output
                                                 moves to the next channel; by input, then output.
    inputs : ``In(LinkSignature)``, by port      Links from the neighbours.
    outputs : ``Out(LinkSignature)``, by port    Links to the neighbours.
    inject, eject : ``In/Out(LinkSignature)``    The terminal; others have inject1, eject1 ...
    errors : ``Out(8)``                          Malformed flits and packets so far, two cycles
                                                 later; saturates at 255.
    overruns : ``Out(8)``                        Credit violations: flits that the terminal sent
                                                 without a credit; saturates at 255.
    stalled : ``Out(ports)``                     With `stalls`. Bit p: in the previous cycle a flit
                                                 waited for output p, and none was granted it.

    Raises
    ------
    ValueError
        If a header does not fit into a flit, or buffers hold nothing.
    """

    def __init__(
        self,
        routing: Routing,
        *,
        lanes: Lanes,
        depth: int,
        flit_width: int,
        batches: bool = True,
        bypass_limits: IntArray | None = None,
        pipeline: Pipeline = Pipeline(),
        stalls: bool = False,
        node_type: NodeType | None = None,
        used_turns: BoolArray | None = None,
    ) -> None:
        width = routing.address_layout.width
        if flit_width < width:
            raise ValueError(
                f"Router needs a flit_width of at least {width}, the bits of a "
                f"{routing.algorithm} header, not {flit_width}"
            )
        if depth < 1:
            raise ValueError(f"Router needs a buffer_depth of at least 1, not {depth}")
        self.routing, self.lanes, self.channels = routing, lanes, lanes.all_channels
        self.classes = lanes.copies
        self.depth, self.flit_width = depth, flit_width
        self.pipeline, self.stalls, self.batches = pipeline, stalls, batches
        self.degree = routing.topology.degree
        topology, every = routing.topology, tuple(range(self.degree))
        self.node_type = node_type or NodeType(every, every, topology.local_ports)
        ports, locals_ = topology.all_ports, range(topology.local_ports)
        self.used_turns = np.ones((ports, ports), np.bool_) if used_turns is None else used_turns
        self.bypass_limits = (
            np.zeros((ports, ports), int) if bypass_limits is None else bypass_limits
        )
        link = LinkSignature(channels=self.channels, flit_width=flit_width)
        terminal = LinkSignature(channels=self.classes, flit_width=flit_width)
        super().__init__(
            straps=In(struct(routing.straps)),
            **(table_members(routing.node_table) if self.node_type.terminals else {}),
            increments=In(self.degree**2),
            inputs=In(link).array(self.degree),
            outputs=Out(link).array(self.degree),
            **{local_name("inject", t): In(terminal) for t in locals_},
            **{local_name("eject", t): Out(terminal) for t in locals_},
            errors=Out(ERRORS),
            overruns=Out(OVERRUNS),
            **({"stalled": Out(ports)} if stalls else {}),
        )
        self.injects = [getattr(self, local_name("inject", t)) for t in locals_]
        self.ejects = [getattr(self, local_name("eject", t)) for t in locals_]

    @property
    def terminals(self) -> tuple[int, ...]:
        """Return the ports of terminals."""
        return tuple(range(self.degree, self.degree + self.node_type.terminals))

    def elaborate(self, platform: object) -> Module:
        """Connect the ports: a page of wiring, in the order in which a flit passes the stages."""
        m = Module()
        terminals = self.terminals
        # A port without a used turn gets no logic: no flit arrives there.

        # RC, route computation, and the write to a buffer: an input port for each link in.
        inputs = {
            port: self._input(m, port)
            for port in self.node_type.inputs + terminals
            if self.used_turns[port, self.node_type.outputs + terminals].any()
        }
        # VA, SA, ST and LT: an output port for each link out, with allocators for its virtual
        # channels and the switch, a column of the crossbar, and the register of the link.
        outputs = {
            port: self._output(m, port, inputs)
            for port in self.node_type.outputs + terminals
            if self._turning_to(port, inputs)
        }
        answers = {port: list[tuple[OutputPort, int]]() for port in inputs}
        for out, o in outputs.items():
            for number, port in enumerate(self._turning_to(out, inputs)):
                i, front = inputs[port], o.fronts[number]
                answers[port].append((o, number))
                m.d.comb += [
                    # VA: the front flits of buffers request a virtual channel of their output.
                    front.request.eq(Cat(bits[i.outputs.index(out)] for bits in i.request)),
                    front.valid.eq(i.valid),
                    front.head.eq(i.head),
                    front.tail.eq(i.tail),
                    # SA: the candidate of the input requests the switch.
                    front.candidate.eq(i.candidate),
                    # ST: a candidate that was granted crosses it.
                    o.st_flit[number].eq(i.st_flit),
                ]
                if max(port, out) < self.degree:
                    m.d.comb += o.increments[number].eq(self.increments[port * self.degree + out])
        # Outputs answer which front flits are eligible (VA), and which candidates granted (SA).
        for port, i in inputs.items():
            for v in range(i.channels):
                m.d.comb += [
                    i.eligible[v].eq(Cat(o.eligible[n][v] for o, n in answers[port]).any()),
                    i.eligible_next[v].eq(
                        Cat(o.eligible_next[n][v] for o, n in answers[port]).any()
                    ),
                ]
            m.d.comb += i.granted.eq(Cat(o.grant[n] for o, n in answers[port]).any())
        for port in inputs:
            if self.bypass_limits[port].any():
                self._bypass(m, port, inputs, outputs)
        # LT: `_output` has connected the registers of output ports with the links out.

        counts = [self._terminal(m, inputs[port], port, outputs) for port in terminals]
        total: Value = reduce(add, counts, Const(0))
        if len(counts) > 1:  # each stops at its largest number, and so does their sum
            total = total[:OVERRUNS] | total[OVERRUNS:].any().replicate(OVERRUNS)
        if counts:
            m.d.comb += self.overruns.eq(total if len(counts) > 1 else counts[0])
        if self.routing.selection:
            self._selection(m, inputs, outputs)
        if self.stalls:
            for port, o in outputs.items():
                waiting = Cat((front.request & front.valid).any() for front in o.fronts)
                m.d.sync += self.stalled[port].eq(waiting.any() & ~o.grant.any())
        error_q = Signal(max(1, len(inputs)))  # by input; a node that is cut off by faults has none
        m.d.sync += error_q.eq(Cat(i.error for i in inputs.values()))
        count(m, self.errors, sum(error_q, Const(0)))
        return m

    def _turning_to(self, out: int, inputs: dict[int, InputPort]) -> list[int]:
        """Return the inputs from which routes turn to an output, the terminals last."""
        return [port for port in inputs if self.used_turns[port, out]]

    def _output(self, m: Module, port: int, inputs: dict[int, InputPort]) -> OutputPort:
        """Make an output port, and connect its link."""
        turning = self._turning_to(port, inputs)
        # front0, front1 ... come from the inputs whose packets may turn to it, in this order.
        m.submodules[f"output{port}"] = o = OutputPort(
            channels=tuple(inputs[p].channels for p in turning),
            terminals=sum(p >= self.degree for p in turning),
            lanes=self.lanes,
            eject=port >= self.degree,
            depth=self.depth,
            batches=self.batches,
            yielding=[n for n, p in enumerate(turning) if self.bypass_limits[p, port]],
            flit_width=self.flit_width,
            pipeline=self.pipeline,
        )
        wiring.connect(m, o.link, flipped([*self.outputs, *self.ejects][port]))
        return o

    def _input(self, m: Module, port: int) -> InputPort:
        """Make an input port, and connect its link; that of a terminal comes by the injection."""
        terminal = port >= self.degree
        outputs = self.node_type.outputs + self.terminals
        # request_v[n] is of channel v, for the n-th of its outputs: `turns`, the first lowest.
        m.submodules[f"input{port}"] = i = InputPort(
            self.routing,
            outputs=tuple(out for out in outputs if self.used_turns[port, out]),
            channels=self.classes if terminal else self.channels,
            depth=self._depth(port),
            flit_width=self.flit_width,
            pipeline=self.pipeline,
            by_packet=self.lanes.spare,
        )
        m.d.comb += [i.straps.eq(self.straps), i.arrival.eq(port)]
        m.d.comb += i.turns.eq(i.turns.shape().const(i.outputs))
        if not terminal:
            wiring.connect(m, i.link, flipped(self.inputs[port]))
            m.d.comb += i.header.eq(i.link.flit.data[: self.routing.header.width])
        return i

    def _depth(self, port: int) -> int:
        """Return the flits that each channel of an input holds."""
        if port < self.degree:
            return self.depth
        return terminal_depth(self.routing, self.depth, self.pipeline)

    def _terminal(
        self, m: Module, i: InputPort, port: int, outputs: dict[int, OutputPort]
    ) -> Signal:
        """Connect the injection at a port, and return its counter of credit violations.

        Packets of the terminal use the lanes of their class in turn.
        """
        local = port - self.degree
        m.submodules[local_name("injection", local)] = e = Injection(
            self.routing, flit_width=self.flit_width, classes=self.classes
        )
        inject = self.injects[local]
        if self.routing.node_table:
            wiring.connect(m, e.table, flipped(self.table))
        m.d.comb += [
            e.straps.eq(self.straps),
            e.valid.eq(inject.valid),
            e.flit.eq(inject.flit),
            e.full.eq(i.full),
            e.in_packet.eq(i.in_packet),
            inject.credit.eq(i.link.credit),
            i.link.valid.eq(e.next_valid),
            i.link.flit.eq(e.next_flit),
            i.header.eq(e.header),
            i.refused.eq(e.refused),
        ]
        lanes, several = int(self.lanes.count[0]), self.classes > 1
        own = f"lane{local}_" if local else "lane"
        every = [
            Signal(lanes, init=1, name=f"{own}{c}" if several else own.removesuffix("_"))
            for c in range(self.classes)
        ]
        for o in outputs.values():
            if local < len(o.lane_of):
                m.d.comb += o.lane_of[local].eq(Cat(every) if several else every[0])
        for c, lane in enumerate(every if lanes > 1 else ()):
            ends = i.granted & i.candidate[c] & i.tail[c]
            requests = dict(zip(i.outputs, i.request[c], strict=True))
            if several:
                ejects = Cat(requests[out] for out in self.terminals if out in requests).any()
                with m.If(ends & ~ejects):
                    m.d.sync += lane.eq(lane.rotate_left(1))
                continue
            chosen = Signal(lanes)
            asked = [
                outputs[out].next_lane_of[local] & (request & i.valid).replicate(lanes)
                for out, request in requests.items()
                if out < self.degree
            ]
            m.d.comb += chosen.eq(reduce(or_, asked, Value.cast(0)))
            with m.If(chosen.any()):
                m.d.sync += lane.eq(Mux(ends, chosen.rotate_left(1), chosen))
        return e.overruns

    def _bypass(
        self, m: Module, port: int, inputs: dict[int, InputPort], outputs: dict[int, OutputPort]
    ) -> None:
        """Count the packets that bypass the heads of a yielding input, but for their own."""
        i, limit = inputs[port], int(self.bypass_limits[port].max())
        st_channel = Signal(i.channels, name=f"st_channel{port}")
        m.d.sync += st_channel.eq(i.candidate)
        for v in range(i.channels):
            m.submodules[f"bypass_limit{port}_{v}"] = bypass = BypassLimit(limit)
            bypassed = []
            for request, out in zip(i.request[v], i.outputs, strict=True):
                turning, o = self._turning_to(out, inputs), outputs[out]
                yielding = [p for p in turning if self.bypass_limits[p, out]]
                if port in yielding:
                    m.d.comb += o.promoted[yielding.index(port)][v].eq(bypass.promoted)
                    mine = turning.index(port)
                    others = Cat(o.tail_passed[:mine], o.tail_passed[mine + 1 :])
                    own = o.tail_passed[mine] & (st_channel & ~(1 << v)).any()
                    bypassed.append(request & (others.any() | own))
            m.d.comb += [
                bypass.valid.eq(i.valid[v] & i.head[v]),
                bypass.bypassed.eq(Cat(bypassed).any()),
                bypass.granted.eq(i.granted & i.candidate[v] & i.head[v]),
            ]

    def _selection(
        self, m: Module, inputs: dict[int, InputPort], outputs: dict[int, OutputPort]
    ) -> None:
        """Connect the selection of the routing units: random bits, or the outputs that are free."""
        selection = Signal(self.routing.selection_width)
        if self.routing.selection == "random":
            m.submodules.chance = chance = Chance()
            m.d.comb += selection.eq(chance.state ^ self.straps.salt)
        else:
            for port, o in outputs.items():
                waiting = Cat((front.request & front.valid).any() for front in o.fronts)
                m.d.comb += selection[port].eq(~waiting.any())
        m.d.comb += [i.selection.eq(selection) for i in inputs.values()]
