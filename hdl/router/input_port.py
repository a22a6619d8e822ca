"""Input port: a buffer for every virtual channel, and the candidate of each cycle."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.data import ArrayLayout
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.golden.router.pipeline import Pipeline
from fingerpost.golden.routing import Routing
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import LinkSignature, flit_layout, struct
from fingerpost.hdl.lib.logic import delayed, select
from fingerpost.hdl.lib.memory import NO_RW_CHECK
from fingerpost.hdl.router.route_stage import RouteStage
from fingerpost.hdl.router.switch_allocator import Arbiter
from fingerpost.hdl.router.vc_buffer import VcBuffer


class InputPort(Component):
    """Buffer the flits of one link, and nominate one virtual channel as candidate in each cycle.

    A flit is routed and written while it is on the link. The candidate is chosen one cycle ahead:
    an eligible channel, or else the channel of an arriving flit. Its front flit is read from the
    memory. When an output grants the candidate, the flit is in switch traversal in the same cycle,
    or with `hop_cycles` 3 in the next one. A flit without a route is discarded. The credit of a
    flit returns in the cycle after it is sent or discarded.

    Parameters
    ----------
    routing : Routing
    outputs : tuple of int
        The output ports to which routes turn from here.
    channels : int
        Virtual channels of this input.
    depth : int
        Flits that each channel can hold.
    flit_width : int
    pipeline : Pipeline
        With a register behind the routing unit a flit is written a cycle later.
    by_packet : bool
        Whether the candidate stays until the tail of its packet while it is eligible.

    Members
    -------
    straps, selection, header, refused : ``In``    As for `RouteStage`.
    arrival : ``In(range(ports))``            Index of this port; constant.
    turns : ``In(range(ports))``, by output   The `outputs`, the first lowest; constant.
    link : ``In(LinkSignature)``              Flits in, credits out.
    in_packet : ``Out(channels)``             As of `RouteStage`.
    full, valid, head, tail : ``Out(channels)``
                                              Of the front of each channel, as of `VcBuffer`.
    request : ``Out(outputs)``, by channel    Bit n: the front of this channel requests the n-th of
                                              `outputs`.
    eligible : ``In(channels)``               The front flit may be sent if its output grants it.
    eligible_next : ``In(channels)``          The same in the next cycle, if all candidates are
                                              granted now.
    candidate : ``Out(channels)``             One-hot: the channel that is nominated.
    granted : ``In(1)``                       Asserted while an output grants the candidate.
    st_flit : ``Out(flit_layout)``            The candidate in switch traversal.
    error : ``Out(1)``                        The arriving flit is malformed.
    """

    def __init__(
        self,
        routing: Routing,
        *,
        outputs: tuple[int, ...],
        channels: int,
        depth: int,
        flit_width: int,
        pipeline: Pipeline = Pipeline(),
        by_packet: bool = False,
    ) -> None:
        self.routing, self.outputs = routing, outputs
        self.channels, self.depth, self.flit_width = channels, depth, flit_width
        self.by_packet, self.pipeline = by_packet, pipeline
        self.write_cycles = pipeline.routing - 1
        port = range(routing.topology.all_ports)
        super().__init__(
            straps=In(struct(routing.straps)),
            arrival=In(port),
            turns=In(ArrayLayout(port, len(outputs))),
            **({"selection": In(routing.selection_width)} if routing.selection else {}),
            header=In(struct(routing.header)),
            refused=In(1),
            link=In(LinkSignature(channels=channels, flit_width=flit_width)),
            in_packet=Out(channels),
            full=Out(channels),
            valid=Out(channels),
            head=Out(channels),
            tail=Out(channels),
            request=Out(len(outputs)).array(channels),
            eligible=In(channels),
            eligible_next=In(channels),
            candidate=Out(channels, init=1),  # type: ignore[call-arg]
            granted=In(1),
            st_flit=Out(flit_layout(flit_width)),
            error=Out(1),
        )

    def elaborate(self, platform: object) -> Module:
        """Route stage, buffers, candidate, memory: the stages of a flit in their order."""
        m = Module()
        link = self.link
        m.submodules.route_stage = stage = RouteStage(
            self.routing,
            outputs=len(self.outputs),
            channels=self.channels,
            flit_width=self.flit_width,
        )
        m.d.comb += [
            stage.straps.eq(self.straps),
            stage.arrival.eq(self.arrival),
            stage.turns.eq(self.turns),
            stage.valid.eq(link.valid),
            stage.flit.eq(link.flit),
            stage.header.eq(self.header),
            stage.refused.eq(self.refused),
            self.in_packet.eq(stage.in_packet),
            self.error.eq(stage.error),
        ]
        if self.routing.selection:
            m.d.comb += stage.selection.eq(self.selection)

        arriving = {
            "push": link.valid,
            "route": stage.route,
            "push_tail": stage.tail,
            "content": stage.data,
        }
        push, route, tail, content = (
            delayed(m, name, value, self.write_cycles) for name, value in arriving.items()
        )
        self._nominate(m, push)
        buffers = [
            VcBuffer(depth=self.depth, outputs=len(self.outputs)) for _ in range(self.channels)
        ]
        for v, buffer in enumerate(buffers):
            m.submodules[f"vc_buffer{v}"] = buffer
            discarded = buffer.valid & ~buffer.request.any()
            m.d.comb += [
                buffer.push.eq(push[v]),
                buffer.push_pending.eq(push[v] if self.write_cycles else 0),
                buffer.push_route.eq(route),
                buffer.push_tail.eq(tail),
                buffer.pop.eq((self.granted & self.candidate[v]) | discarded),
                self.full[v].eq(buffer.full),
                self.valid[v].eq(buffer.valid),
                self.head[v].eq(buffer.head),
                self.tail[v].eq(buffer.tail),
                self.request[v].eq(buffer.request),
            ]
            pop = delayed(m, f"pop{v}", buffer.pop, self.pipeline.credit - 1)
            m.d.sync += link.credit[v].eq(pop)

        store: Memory = Memory(
            shape=self.flit_width,
            depth=self.channels << bits(self.depth),
            init=[],
            attrs=NO_RW_CHECK,
        )
        m.submodules.data = store
        crosses = "sync" if self.pipeline.allocation else "comb"
        write, read = store.write_port(), store.read_port(domain=crosses)
        rows = {
            end: [Cat(getattr(buffer, end), self._number(v)) for v, buffer in enumerate(buffers)]
            for end in ("write_ptr", "read_ptr")
        }
        m.d.comb += [
            write.addr.eq(select(push, rows["write_ptr"])),
            write.data.eq(content),
            write.en.eq(push.any()),
            read.addr.eq(select(self.candidate, rows["read_ptr"])),
            self.st_flit.data.eq(read.data),
        ]
        m.d[crosses] += [
            self.st_flit.head.eq((self.candidate & self.head).any()),
            self.st_flit.tail.eq((self.candidate & self.tail).any()),
        ]
        return m

    def _nominate(self, m: Module, push: Value) -> None:
        """Choose the candidate of the next cycle.

        It stays if it is eligible and was not granted. Else it is the least recently granted of
        the other channels that are eligible in the next cycle, else the channel of an arriving
        flit, else the same again. By packet it stays, too, if it was granted and is no tail, and of
        the other channels those come first that request another output.
        """
        if self.channels == 1:
            m.d.comb += self.candidate.eq(1)
            return
        m.submodules.input_arbiter = arbiter = Arbiter(self.channels)
        others: Value = self.eligible_next & ~self.candidate
        ends: Value = self.granted
        if self.by_packet:
            used, elsewhere = Signal(len(self.outputs)), Signal(self.channels)
            m.d.comb += [
                used.eq(select(self.candidate & self.valid, self.request)),
                elsewhere.eq(others & ~Cat((bits & used).any() for bits in self.request)),
            ]
            others = Mux(elsewhere.any(), elsewhere, others)
            ends = self.granted & (self.candidate & self.tail).any()
        m.d.comb += [
            arbiter.request.eq(others),
            arbiter.update.eq(self.candidate & self.granted.replicate(self.channels)),
        ]
        with m.If(ends | ~(self.eligible & self.candidate).any()):
            with m.If(arbiter.request.any()):
                m.d.sync += self.candidate.eq(arbiter.grant)
            with m.Elif(push.any()):
                m.d.sync += self.candidate.eq(push)

    def _number(self, channel: int) -> Any:
        """Return the bits of a row that are the number of a channel."""
        width = bits(self.channels) if self.channels > 1 else 0
        return [] if not width else Const(channel, width)
