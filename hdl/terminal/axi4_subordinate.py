"""The side of an AXI4 terminal to which a subordinate is connected; one that does not answer."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.golden.terminal.memory_map import PAGE
from fingerpost.golden.terminal.transaction import (
    FIXED,
    LONGEST_BURST,
    SLVERR,
    WRAP,
    TransactionLayout,
)
from fingerpost.hdl.bus.axi import Axi4Signature, AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.terminal.packet_queue import PacketMerge


class AnswerTimeout(Component):
    """Stand in for a subordinate that has not answered in time, until a reset.

    Cycles count in which something is waited for: that the subordinate accepts an address or data,
    or that it responds to a read, or to a write whose data it has. Each of these begins the count
    again. After `cycles` it is cut off: it is offered nothing more, and what it sends is taken and
    dropped. In its place everything is accepted, and a response with SLVERR is always offered; the
    side takes as many as are due.

    Parameters
    ----------
    bus : Axi4Signature
    cycles : int
    most : int
        Responses of writes that can be due.

    Members
    -------
    side : ``In(bus)``      From the side of the terminal.
    axi : ``Out(bus)``      To the subordinate.
    cut : ``Out(1)``        It is cut off.
    """

    def __init__(self, bus: Axi4Signature, cycles: int, *, most: int) -> None:
        self.bus, self.cycles, self.most = bus, cycles, most
        super().__init__(side=In(bus), axi=Out(bus), cut=Out(1))

    def elaborate(self, platform: object) -> Module:
        """Pass everything on, or stand in."""
        m = Module()
        side, axi, cut = self.side, self.axi, self.cut
        channels = [(name, name in ("b", "r")) for name in self.bus.channels]
        for name, member in self.bus.members.items():
            inner, outer = getattr(side, name), getattr(axi, name)
            m.d.comb += outer.eq(inner) if member.flow == Out else inner.eq(outer)
        waited, written = Signal(range(self.cycles)), Signal(range(self.most + 1))
        last = 1 if self.bus.lite else axi.wlast
        m.d.sync += written.eq(
            written + (axi.wvalid & axi.wready & last) - (axi.bvalid & axi.bready)
        )
        # For a request, or data, that is offered; for a response that would be taken.
        waits, moves = Signal(), Signal()
        for name, back in channels:
            valid = getattr(axi if back else side, f"{name}valid")
            ready = getattr(side if back else axi, f"{name}ready")
            due = written != 0 if name == "b" else 1
            with m.If(valid & ready):
                m.d.comb += moves.eq(1)
            with m.If((ready & ~valid & due) if back else (valid & ~ready)):
                m.d.comb += waits.eq(1)
        m.d.sync += waited.eq(Mux(moves | ~waits, 0, waited + 1))
        with m.If(waits & ~moves & (waited == self.cycles - 1)):
            m.d.sync += cut.eq(1)
        with m.If(cut):
            for name, back in channels:
                ours = getattr(side, f"{name}valid" if back else f"{name}ready")
                m.d.comb += ours.eq(1)
                theirs = getattr(axi, f"{name}ready" if back else f"{name}valid")
                m.d.comb += theirs.eq(back)
            m.d.comb += [side.bresp.eq(SLVERR), side.rresp.eq(SLVERR)]
        return m


OFFSET = PAGE.bit_length() - 1
"""Bits of an address within a page."""

REQUEST, DATA = range(2)
"""What the next beat is of: what begins a request, or data."""


class Axi4Subordinate(Component):
    """Repeat the requests that arrive to a subordinate, and send its responses to their sources.

    Requests are passed on one by one, in order and with ID 0, so responses come in that order, too;
    a queue of sources for reads and one for writes says where they go. A response has as many beats
    as its request announces. With AXI4-Lite a burst becomes as many accesses.

    Parameters
    ----------
    layout : TransactionLayout
    bus : Axi4Signature
        The subordinate.
    number : int
        Bits of the number of a node.
    bursts : bool
        Whether requests may have several beats.
    timeout : int
        Cycles after which `AnswerTimeout` stands in; 0: never.

    Members
    -------
    axi : ``Out(bus)``
    cut : ``Out(1)``                           With a time-out: that of `AnswerTimeout`.
    requests : ``In(AxiStreamSignature)``      Packets of manager sides; `tuser` is {source, error}.
    responses : ``Out(AxiStreamSignature)``    Packets to them, and where they go.
    dest : ``Out(number)``
    """

    def __init__(
        self,
        layout: TransactionLayout,
        bus: Axi4Signature,
        *,
        number: int,
        bursts: bool = True,
        timeout: int = 0,
    ) -> None:
        self.layout, self.bus, self.number, self.bursts = layout, bus, number, bursts
        self.timeout = timeout
        super().__init__(
            axi=Out(bus),
            **({"cut": Out(1)} if timeout else {}),
            requests=In(AxiStreamSignature(layout.width, user=number + 1)),
            responses=Out(AxiStreamSignature(layout.width, user=1)),
            dest=Out(number),
        )

    def elaborate(self, platform: object) -> Module:
        """Pass requests on, and responses back."""
        m = Module()
        layout, number = self.layout, self.number
        axi = self.axi
        if self.timeout:
            m.submodules.answers = answers = AnswerTimeout(
                self.bus, self.timeout, most=layout.outstanding * LONGEST_BURST
            )
            connect(m, answers.axi, flipped(self.axi))
            m.d.comb += self.cut.eq(answers.cut)
            axi = answers.side
        entry = data.StructLayout({"source": number, "tag": layout.tag, "length": 8 * self.bursts})
        m.submodules.reads = reads = SyncFIFO(width=entry.size, depth=layout.outstanding)
        m.submodules.writes = writes = SyncFIFO(width=entry.size, depth=layout.outstanding)
        self._pass_requests(m, axi, reads, writes)
        m.submodules.merge = merge = PacketMerge(width=layout.width, number=number)
        connect(m, merge.stream, flipped(self.responses))
        m.d.comb += self.dest.eq(merge.tdest)
        self._answer_write(m, axi, data.View(entry, writes.r_data), writes, merge)
        self._answer_read(m, axi, data.View(entry, reads.r_data), reads, merge)
        return m

    def _pass_requests(self, m: Module, axi: Any, reads: SyncFIFO, writes: SyncFIFO) -> None:
        """Collect what begins a request, offer its address, and pass its data on."""
        layout, requests = self.layout, self.requests
        width, size = layout.width, layout.request.width
        word, count = Signal(layout.request_beats * width), Signal(range(layout.request_beats))
        request: Any = data.View(struct(layout.request), word[:size])
        # Seen in the last beat of what begins a request, before it is in `word`.
        arriving: Value = Cat(word[width:], requests.tdata)
        comes: Any = data.View(struct(layout.request), arriving[:size])
        taken = Signal()
        m.d.comb += taken.eq(requests.tvalid & requests.tready)
        source = requests.tuser[1:]
        m.d.comb += [
            reads.w_data.eq(Cat(source, comes.tag, comes.length)),  # cut off without bursts
            writes.w_data.eq(Cat(source, comes.tag, comes.length)),
        ]
        state = Signal(range(2))
        whole = self._join_data(m, axi, taken & (state == DATA))
        waits = axi.awvalid | axi.arvalid
        left, steps = Signal(8), self.bus.lite and self.bursts
        accepted = (axi.arvalid & axi.arready) | (axi.awvalid & axi.awready)
        with m.If(accepted & (left == 0)):
            m.d.sync += [axi.arvalid.eq(0), axi.awvalid.eq(0)]
        if steps:
            with m.If(accepted):
                m.d.sync += left.eq(left - 1)
                m.d.sync += request.address[:OFFSET].eq(self._next(m, request))
        with m.Switch(state):
            with m.Case(REQUEST):
                m.d.comb += requests.tready.eq(reads.w_rdy & writes.w_rdy & ~waits)
                with m.If(taken):
                    m.d.sync += [word.eq(arriving), count.eq(count + 1)]
                    with m.If(count == layout.request_beats - 1):
                        m.d.comb += [reads.w_en.eq(~comes.write), writes.w_en.eq(comes.write)]
                        m.d.sync += [
                            *(axi.arvalid.eq(~comes.write), axi.awvalid.eq(comes.write)),
                            *(count.eq(0), state.eq(Mux(comes.write, DATA, REQUEST))),
                        ]
                        if steps:
                            m.d.sync += left.eq(comes.length)
            with m.Case(DATA):
                m.d.comb += [
                    axi.wvalid.eq(requests.tvalid & whole),
                    requests.tready.eq(axi.wready | ~whole),
                ]
                with m.If(taken & requests.tlast):
                    m.d.sync += state.eq(REQUEST)
        for channel in ("aw", "ar"):
            fields = {"addr": "address", "prot": "prot"}
            if not self.bus.lite:
                fields |= {"len": "length"} | {x: x for x in ("size", "burst", "cache", "qos")}
            for name, field in fields.items():
                m.d.comb += getattr(axi, channel + name).eq(request[field])

    def _next(self, m: Module, request: Any) -> Value:
        """Return the address of the next beat of a burst, within 4 KB."""
        low, mask, size = request.address[:OFFSET], Signal(OFFSET), Signal(OFFSET)
        m.d.comb += [
            size.eq(Const(1, OFFSET) << request.size),
            mask.eq(~0),
        ]
        with m.If(request.burst == FIXED):
            m.d.comb += mask.eq(0)
        with m.If(request.burst == WRAP):
            m.d.comb += mask.eq((request.length << request.size) | (size - 1))
        return (low & ~mask) | (((low & ~(size - 1)) + size) & mask)

    def _join_data(self, m: Module, axi: Any, taken: Value) -> Value:
        """Show the data of a write, whose parts are taken; return whether its beat is whole."""
        layout, requests = self.layout, self.requests
        beat: Any = data.View(struct(layout.write), requests.tdata[: layout.write.width])
        data_, strobe, whole = beat.data, beat.strobe, Value.cast(1)
        if layout.parts > 1:
            high, low = Signal(), Signal.like(Value.cast(Cat(data_, strobe)))
            with m.If(taken):
                m.d.sync += [high.eq(~high), low.eq(Cat(data_, strobe))]
            whole = high
            data_ = Cat(low[: layout.flit_data], data_)
            strobe = Cat(low[layout.flit_data :], strobe)
        m.d.comb += [axi.wdata.eq(data_), axi.wstrb.eq(strobe)]
        if not self.bus.lite:
            m.d.comb += axi.wlast.eq(requests.tlast)
        return whole

    def _answer_write(
        self, m: Module, axi: Any, entry: Any, queue: SyncFIFO, merge: PacketMerge
    ) -> None:
        """Send a response of a write, a packet of one beat; of several responses the worst."""
        out = merge.first
        beat: Any = data.View(struct(self.layout.response), out.tdata[: self._size])
        other: Any = data.View(struct(self.layout.response), merge.second.tdata[: self._size])
        last, worst, resp = Signal(), Signal(2), Signal(2)
        m.d.comb += [last.eq(1), resp.eq(axi.bresp)]
        if self.bus.lite and self.bursts:
            got = Signal(8)
            m.d.comb += last.eq(got == entry.length)
            with m.If(worst > axi.bresp):
                m.d.comb += resp.eq(worst)
            with m.If(axi.bvalid & axi.bready):
                m.d.sync += [got.eq(Mux(last, 0, got + 1)), worst.eq(Mux(last, 0, resp))]
        m.d.comb += [
            out.tvalid.eq(axi.bvalid & queue.r_rdy & last),
            axi.bready.eq(queue.r_rdy & (out.tready | ~last)),
            queue.r_en.eq(axi.bvalid & axi.bready & last),
            *(beat.write.eq(1), beat.tag.eq(entry.tag), beat.resp.eq(resp)),
            beat.data.eq(other.data),  # means nothing, may change, and costs no selection
            *(out.tlast.eq(1), merge.first_dest.eq(entry.source)),
        ]

    def _answer_read(
        self, m: Module, axi: Any, entry: Any, queue: SyncFIFO, merge: PacketMerge
    ) -> None:
        """Send what was read, a packet of as many beats as were asked for."""
        layout, out = self.layout, merge.second
        beat: Any = data.View(struct(layout.response), out.tdata[: self._size])
        sent, part = Signal(len(entry.length)), Signal(range(layout.parts))
        last_part, goes = Signal(), Signal()
        m.d.comb += [
            last_part.eq(part == layout.parts - 1),
            out.tvalid.eq(axi.rvalid & queue.r_rdy),
            goes.eq(out.tvalid & out.tready),
            axi.rready.eq(out.tready & queue.r_rdy & last_part),
            out.tlast.eq((sent == entry.length) & last_part),
            queue.r_en.eq(goes & out.tlast),
            *(beat.tag.eq(entry.tag), beat.resp.eq(axi.rresp)),
            beat.data.eq(axi.rdata.word_select(part, layout.flit_data)),
            merge.second_dest.eq(entry.source),
        ]
        with m.If(goes):
            m.d.sync += part.eq(Mux(last_part, 0, part + 1))
            with m.If(last_part):
                m.d.sync += sent.eq(Mux(out.tlast, 0, sent + 1))

    @property
    def _size(self) -> int:
        return self.layout.response.width
