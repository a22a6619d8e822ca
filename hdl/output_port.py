"""An output port: credits, channels held by packets, arbitration, and the registered link."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.admission import way_layout
from hdl.arbiter import Arbiter
from hdl.link import LinkSignature, flit_layout
from hdl.logic import bar, select

__all__ = ["OutputPort"]


class OutputPort(wiring.Component):
    """Choose one of the nominees that ask for this output, and send it if it is ready.

    Parameters
    ----------
    ports, inputs : int
        Ports of the router, and its inputs in use.
    channels, outgoing : int
        Virtual channels of this output, and of the links.
    depth : int
        Flits that the receiver holds for each channel.
    flit_width : int

    Members
    -------
    request : ``In(inputs)``           Which nominees ask for this output.
    aside : ``In(inputs)``             Which want it too, but do not ask: they were not ready.
    eager : ``In(inputs)``             Which nominees are heads in their first cycle.
    nominees : ``In(way_layout)``      Where the nominees want to go, by input.
    flits : ``In(flit_layout)``        The nominees themselves.
    ready : ``Out(inputs)``            Which nominees could go if they went here: their channel
                                       has room, and is not held by another packet.
    grant : ``Out(inputs)``            One-hot: the nominee that is taken.
    link : ``Out(LinkSignature)``      The link; all its outputs are registers.
    """

    request: Signal
    aside: Signal
    eager: Signal
    nominees: list[data.View]
    flits: list[data.View]
    ready: Signal
    grant: Signal
    link: Any

    def __init__(
        self,
        *,
        ports: int,
        inputs: int,
        channels: int,
        outgoing: int,
        depth: int,
        flit_width: int,
    ) -> None:
        self.inputs, self.channels, self.depth = inputs, channels, depth
        super().__init__(
            {
                "request": In(inputs),
                "aside": In(inputs),
                "eager": In(inputs),
                "nominees": In(way_layout(ports, outgoing)).array(inputs),
                "flits": In(flit_layout(flit_width)).array(inputs),
                "ready": Out(inputs),
                "grant": Out(inputs),
                "link": Out(LinkSignature(channels=channels, flit_width=flit_width)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Arbitration, one column of the crossbar, and the state of each channel."""
        m = Module()
        link = self.link
        m.submodules.arbiter = arbiter = Arbiter(self.inputs)
        winner = arbiter.grant
        # Who stands aside asks one cycle after it is ready. In that cycle no new head may take
        # what became free, or a stream of packets from one input would shut out the others.
        waited = Signal()
        m.d.sync += waited.eq(self.aside.any())
        m.d.comb += [
            arbiter.request.eq(self.request & ~(self.eager & waited.replicate(self.inputs))),
            self.grant.eq(winner & self.ready),
        ]
        m.d.sync += link.flit.eq(select(winner, self.flits))

        # A flit is counted when it is on the link, one cycle late: in that cycle its channel has
        # room if it would have some with one credit less.
        possible: list[list[Value]] = [[] for _ in range(self.inputs)]
        for v in range(self.channels):
            sent = link.valid[v]
            credits = bar(
                m, f"credits{v}", self.depth, init=self.depth, up=link.credit[v], down=sent
            )
            some, several = credits[0], credits[1] if self.depth > 1 else 0
            held, holds = Signal(name=f"held{v}"), Signal(name=f"holds{v}")
            room, free = Signal(name=f"room{v}"), Signal(name=f"free{v}")
            m.d.comb += [
                holds.eq(Mux(sent, ~link.flit.tail, held)),
                room.eq(Mux(sent, several, some)),
                free.eq(room & ~holds),
            ]
            m.d.sync += held.eq(holds)
            goes = []
            for i, way in enumerate(self.nominees):
                able = Mux(way.head, free, room)
                if self.channels > 1:
                    able = able & way.channel[v]
                possible[i].append(able)
                goes.append(winner[i] & able)
            m.d.sync += link.valid[v].eq(Cat(goes).any())
        m.d.comb += self.ready.eq(Cat(Cat(able).any() for able in possible))
        return m
