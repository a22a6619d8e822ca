"""From the network to AXI4-Stream; twin of fingerpost.golden.terminal.axi_interface."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from amaranth import Cat, Module, Signal, Value
from amaranth.lib import data
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import In, Member, Out

from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.hdl.bus.axi import AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import LinkSignature, flit_layout, struct
from fingerpost.hdl.lib.logic import select
from fingerpost.hdl.router.switch_allocator import Arbiter
from fingerpost.hdl.terminal.base import LocalPort


class AxiReceiver(Component):
    """Make beats of flits: heads are taken out, the last beat of a packet is its tail.

    Flits wait in a queue as deep as the credits that the router has, so it never overflows. A
    credit goes back in the cycle after a flit has left it: no path leads from `tready` to the
    router.

    Parameters
    ----------
    layout : AxiLayout
    flit_width, depth : int

    Members
    -------
    eject : ``In(LinkSignature)``            From the router.
    stream : ``Out(AxiStreamSignature)``     `tuser` is the source above the error mark.
    """

    def __init__(self, layout: AxiLayout, *, flit_width: int, depth: int) -> None:
        self.layout, self.flit_width, self.depth = layout, flit_width, depth
        super().__init__(
            eject=In(LinkSignature(channels=1, flit_width=flit_width)),
            stream=Out(AxiStreamSignature(layout.data_width, user=layout.number + 1)),
        )

    def elaborate(self, platform: object) -> Module:
        """Queue flits, and offer those that are no heads."""
        m = Module()
        layout, stream, eject = self.layout, self.stream, self.eject
        shape = flit_layout(self.flit_width)
        m.submodules.queue = queue = SyncFIFO(width=shape.size, depth=self.depth)
        front: Any = data.View(shape, queue.r_data)
        head: Any = data.View(struct(layout.head), front.data[: layout.head.width])
        body: Any = data.View(struct(layout.body), front.data[: layout.body.width])
        source, goes, bad = Signal(layout.number), Signal(), Signal()
        status: Value = front.data[self.flit_width - layout.status :]
        m.d.comb += [
            queue.w_data.eq(eject.flit),
            queue.w_en.eq(eject.valid),
            queue.r_en.eq(goes),
            goes.eq(queue.r_rdy & (front.head | stream.tready)),
            bad.eq(front.tail & (body.error | status.any())),
            stream.tvalid.eq(queue.r_rdy & ~front.head),
            stream.tdata.eq(body.data),
            stream.tlast.eq(front.tail),
            stream.tuser.eq(Cat(bad, source)),
        ]
        if layout.bytes > 1:
            kept = [~front.tail | (body.last_byte >= byte) for byte in range(1, layout.bytes)]
            m.d.comb += stream.tkeep.eq(Cat(1, *kept))
        m.d.sync += eject.credit.eq(goes)
        with m.If(queue.r_rdy & front.head):
            m.d.sync += source.eq(head.source)
        return m


class Pair(NamedTuple):
    """The interface of a class: what sends to the router, and what receives from it.

    Both may be one component. `send` has `inject`, `request` and `grant`, `receive` has `eject`.
    """

    send: Any
    receive: Any
    s_axis: Any
    m_axis: Any


def join_classes(
    m: Module,
    node: Any,
    router: LocalPort,
    pairs: list[Pair],
    others: Mapping[str, Member],
) -> None:
    """Join the interfaces of all classes with the router and the ports of a node.

    Senders are granted the port flit by flit, the least recently granted first; a sender requests
    it only with a credit of its class, so that no class waits for another. Class c has the c-th
    part of each port of the node: of the streams, and of `others`, ports of `send`.
    """
    m.submodules[router.named("axi_arbiter")] = arbiter = Arbiter(len(pairs))
    for c, pair in enumerate(pairs):
        _join_stream(m, c, node.s_axis, pair.s_axis)
        _join_stream(m, c, node.m_axis, pair.m_axis, out=True)
        m.d.comb += [
            pair.send.inject.credit.eq(router.inject.credit[c]),
            pair.send.grant.eq(arbiter.grant[c]),
            arbiter.request[c].eq(pair.send.request),
            router.inject.valid[c].eq(pair.send.inject.valid),
            pair.receive.eject.valid.eq(router.eject.valid[c]),
            pair.receive.eject.flit.eq(router.eject.flit),
            router.eject.credit[c].eq(pair.receive.eject.credit),
        ]
        for name, member in others.items():
            own: Any = getattr(pair.send, name)
            their = getattr(node, name)[c * len(own) : (c + 1) * len(own)]
            m.d.comb += their.eq(own) if member.flow == Out else own.eq(their)
    flits = [Value.cast(pair.send.inject.flit) for pair in pairs]
    m.d.comb += [
        arbiter.update.eq(arbiter.grant),
        Value.cast(router.inject.flit).eq(
            select(Cat(pair.send.inject.valid for pair in pairs), flits)
        ),
    ]


def _join_stream(m: Module, c: int, several: Any, one: Any, *, out: bool = False) -> None:
    """Connect a stream with the part of class c of several; `out` leads from the one to them."""
    for name in one.signature.members:
        own: Any = getattr(one, name)
        width = len(own)
        their = getattr(several, name)[c * width : (c + 1) * width]
        forth = out != (name == "tready")
        m.d.comb += their.eq(own) if forth else own.eq(their)
