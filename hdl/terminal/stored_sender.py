"""A sender behind a queue of complete packets; in golden a part of axi_sender."""

from typing import Any

from amaranth import Module, Mux, Signal
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.logic import count
from fingerpost.hdl.terminal.axi_sender import AxiSender
from fingerpost.hdl.terminal.packet_queue import PacketQueue


class StoredSender(Component):
    """Make flits of packets that are complete, so that a slow user holds no channel.

    Parameters
    ----------
    layout : AxiLayout
    store : int
        Beats of the queue; a longer packet is dropped, and counted in `refused`.
    **options
        Those of `AxiSender`, but for `timeout`.

    Members
    -------
    Those of `AxiSender`, and

    dest : ``In(number)``       tdest of what enters.
    peer : ``Out(number)``      That of what leaves: `head` and `known` are for it.
    """

    def __init__(self, layout: AxiLayout, *, store: int, **options: Any) -> None:
        self.queue = PacketQueue(width=layout.data_width, number=layout.number, depth=store)
        self.sender = AxiSender(layout, timeout=0, **options)
        numbers = {"dest": In(layout.number), "peer": Out(layout.number)}
        super().__init__(dict(self.sender.signature.members) | numbers)

    def elaborate(self, platform: object) -> Module:
        """Stand the queue before the sender."""
        m = Module()
        m.submodules.queue = queue = self.queue
        m.submodules.sender = sender = self.sender
        connect(m, flipped(self.stream), queue.source)
        connect(m, queue.stream, sender.stream)
        m.d.comb += [queue.dest.eq(self.dest), self.peer.eq(queue.tdest)]
        for name, member in sender.signature.members.items():
            if name in ("stream", "refused"):
                continue
            inner, outer = getattr(sender, name), getattr(self, name)
            if member.is_signature:
                connect(m, inner, flipped(outer))
            else:
                m.d.comb += outer.eq(inner) if member.flow == Out else inner.eq(outer)
        too_long = Signal.like(self.refused)
        count(m, too_long, queue.dropped)
        total = Signal(len(self.refused) + 1)
        most = (1 << len(self.refused)) - 1
        m.d.comb += [
            total.eq(sender.refused + too_long),
            self.refused.eq(Mux(total[-1], most, total)),
        ]
        return m
