"""From AXI4-Stream into the network; the twin of fingerpost.golden.terminal.axi_sender."""

from typing import Any

from amaranth import Module, Mux, Signal
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.golden.terminal.beat import EXPIRED, REFUSED, AxiLayout
from fingerpost.hdl.bus.axi import AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import LinkSignature, struct
from fingerpost.hdl.lib.logic import count, thermometer
from fingerpost.hdl.terminal.packet_queue import PacketQueue


class AxiSender(Component):
    """Make flits of beats: a head before the first of a packet, and the last one is the tail.

    One beat is held, with the head that its packet would have. So `tready` follows from registers
    alone, and packets come one behind the other without a gap. What belongs to no terminal, or to
    a packet that was closed, is taken and dropped up to its tlast.

    Parameters
    ----------
    layout : AxiLayout
    flit_width : int
    credits : int
        At the start.
    timeout : int
        Cycles without a beat after which a packet that has begun is closed; 0: never.
    shared : bool
        Whether other senders send to the same port, each on a channel of its own.

    Members
    -------
    stream : ``In(AxiStreamSignature)``
    head : ``In(layout.head)``             What the head holds of a packet with the `tdest` of now.
    known : ``In(1)``                      There is a terminal of that number.
    inject : ``Out(LinkSignature)``        To the router.
    request : ``Out(1)``                   If shared: there is a flit, and a credit.
    grant : ``In(1)``                      If shared: it is sent.
    refused, expired : ``Out(8)``          Packets that were dropped, and closed; stop at 255.
    """

    def __init__(
        self,
        layout: AxiLayout,
        *,
        flit_width: int,
        credits: int,
        timeout: int,
        shared: bool = False,
    ) -> None:
        self.layout, self.flit_width = layout, flit_width
        self.credits, self.timeout, self.shared = credits, timeout, shared
        super().__init__(
            {
                "stream": In(AxiStreamSignature(layout.data_width, user=1)),
                "head": In(layout.head.width),
                "known": In(1),
                "inject": Out(LinkSignature(channels=1, flit_width=flit_width)),
                **({"request": Out(1), "grant": In(1)} if shared else {}),
                REFUSED.name: Out(REFUSED.width),
                EXPIRED.name: Out(EXPIRED.width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Hold one beat, and send it or its head as credits allow."""
        m = Module()
        stream, inject = self.stream, self.inject
        held, opened, dropping, known = Signal(), Signal(), Signal(), Signal()
        head, last = Signal.like(self.head), Signal()
        beat: Any = Signal(struct(self.layout.body))

        drops, opens, goes, closes, leaves = Signal(), Signal(), Signal(), Signal(), Signal()
        sends = opens | goes | closes
        credits = thermometer(
            m, "credits", self.credits, init=self.credits, up=inject.credit[0], down=sends
        )
        some = credits[0]
        late = self._late(m, opened & ~held)
        if self.shared:
            flit = Mux(held, ~drops, opened & late)
            m.d.comb += self.request.eq(some & flit)
            some = some & self.grant
        m.d.comb += [
            drops.eq(held & (dropping | (~opened & ~known))),
            opens.eq(some & held & ~opened & ~drops),
            goes.eq(some & held & opened),
            closes.eq(some & ~held & opened & late),
            leaves.eq(drops | goes),
            stream.tready.eq(~held | leaves),
            inject.valid.eq(sends),
            inject.flit.head.eq(opens),
            inject.flit.tail.eq(closes | (goes & last)),
        ]
        # A packet that is closed ends with an error mark and no data.
        closing: Any = Signal(struct(self.layout.body))
        m.d.comb += closing.error.eq(1)
        m.d.comb += inject.flit.data.eq(Mux(opens, head, Mux(closes, closing, beat)))

        takes = Signal()
        m.d.comb += takes.eq(stream.tvalid & stream.tready)
        m.d.sync += [
            held.eq(takes | (held & ~leaves)),
            opened.eq(opens | (opened & ~closes & ~(goes & last))),
            dropping.eq(closes | Mux(drops, ~last, dropping)),
        ]
        with m.If(takes):
            m.d.sync += [head.eq(self.head), known.eq(self.known), last.eq(stream.tlast)]
            m.d.sync += [beat.data.eq(stream.tdata), beat.error.eq(stream.tuser & stream.tlast)]
            self._count_bytes(m, beat)
        count(m, self.refused, drops & ~dropping)
        count(m, self.expired, closes)
        return m

    def _count_bytes(self, m: Module, beat: Any) -> None:
        """Keep which byte of the last beat is the highest in use; tkeep counts there only."""
        if self.layout.bytes > 1:
            m.d.sync += beat.last_byte.eq(0)
            for byte in range(1, self.layout.bytes):
                with m.If(self.stream.tlast & self.stream.tkeep[byte]):
                    m.d.sync += beat.last_byte.eq(byte)

    def _late(self, m: Module, waits: Any) -> Any:
        """Return whether an open packet has waited for its next beat as long as it may."""
        if not self.timeout:
            return 0
        quiet = Signal(range(self.timeout + 1))
        late = quiet == self.timeout
        m.d.sync += quiet.eq(Mux(waits, Mux(late, quiet, quiet + 1), 0))
        return late


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
