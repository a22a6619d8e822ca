"""Requests of managers: the node of an address, and the beats that begin a packet."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.memory import Memory

from fingerpost.golden.terminal.memory_map import PAGE, MemoryMap
from fingerpost.golden.terminal.transaction import INCR, TransactionLayout
from fingerpost.hdl.bus.axi import Axi4Signature
from fingerpost.hdl.lib.header import struct


def look_up_node(m: Module, map: MemoryMap, address: Value) -> tuple[Value, Value]:
    """Return the node to which an address belongs, and whether there is one; combinational."""
    node, known = Signal(range(map.nodes), name="owner"), Signal(name="owned")
    for region in map.regions:
        offset, span = region.size.bit_length() - 1, region.span(map.nodes).bit_length() - 1
        inside = address[span:] == region.base >> span
        part = address[offset:span]
        with m.If(inside):
            if region.nodes is None:
                m.d.comb += [node.eq(region.node), known.eq(1)]
                continue
            mask = sum(1 << v for v in map.subordinates)
            m.d.comb += node.eq(part)
            m.d.comb += known.eq(Const(mask, 1 << len(part)).bit_select(part, 1))
    return node, known


class Request:
    """The address channel of a manager, kept in registers.

    Parameters
    ----------
    m : Module
    layout : TransactionLayout
    signature : Axi4Signature
    bus : Any
        The manager.
    channel : str
        ``aw`` or ``ar``.
    map : MemoryMap

    Attributes
    ----------
    taken : Value
        An address is accepted in this cycle; then `held` follows.
    held : Signal
    ready : Signal
        It can be sent: `step` says so.
    id : Signal
        Of no bits with AXI4-Lite.
    word : struct of layout.request
        Without the tag.
    node, known : Signal
        Where it goes, once it is ready. It is not known if no node has the address, or if the burst
        crosses 4 KB or has beats that are wider than the data.
    """

    def __init__(
        self,
        m: Module,
        layout: TransactionLayout,
        signature: Axi4Signature,
        bus: Any,
        channel: str,
        map: MemoryMap,
    ) -> None:
        def of(name: str) -> Any:
            return getattr(bus, channel + name)

        lite, widest = signature.lite, (layout.data_width // 8).bit_length() - 1
        init = {"write": channel == "aw", "size": widest * lite, "burst": INCR * lite}
        self.layout, self.held, self.ready = layout, Signal(name="held"), Signal(name="ready")
        self.node, self.known = Signal(range(map.nodes), name="node"), Signal(name="known")
        word: Any = Signal(struct(layout.request), init=init)  # type: ignore[arg-type]
        self.word = word
        self.id = Signal(signature.id_width, name="id")
        self.taken = of("valid") & of("ready")
        with m.If(self.taken):
            m.d.sync += [word.address.eq(of("addr")), word.prot.eq(of("prot"))]
            if not lite:
                m.d.sync += [self.id.eq(of("id")), word.length.eq(of("len"))]
                m.d.sync += [word[x].eq(of(x)) for x in ("size", "burst", "cache", "qos")]
        node, known = look_up_node(m, map, word.address)
        page = PAGE.bit_length() - 1
        last = Signal(page + 1)  # the byte of the page at which the last beat is, or the next page
        m.d.comb += last.eq(word.address[:page] + (word.length << word.size)[: page + 1])
        crosses = (word.burst == INCR) & last[page]
        if not lite:
            known &= ~crosses & (word.size <= widest)
        m.d.sync += [self.node.eq(node), self.known.eq(known)]

    def step(self, m: Module, leaves: Value, fits: Value) -> None:
        """Keep the request until it leaves; it is ready from the second cycle in which it fits."""
        m.d.sync += [
            self.held.eq(self.taken | (self.held & ~leaves)),
            self.ready.eq(self.held & ~leaves & fits),
        ]

    def beat(self, m: Module, tag: Value, sent: Value) -> tuple[Value, Value]:
        """Return a beat of what begins the packet, and whether it is the last.

        Parameters
        ----------
        tag : Value
            Number of the transaction.
        sent : Value
            The beat goes.
        """
        layout, count = self.layout, Signal(range(self.layout.request_beats))
        last = count == layout.request_beats - 1
        with m.If(sent):
            m.d.sync += count.eq(Mux(last, 0, count + 1))
        field = layout.request["tag"]
        word = Value.cast(self.word)
        word = Cat(word[: field.offset], tag, word[field.offset + field.width :])
        beat: Value = word[-(len(word) % layout.width or layout.width) :]
        for number in reversed(range(layout.request_beats - 1)):
            beat = Mux(count == number, word[number * layout.width :][: layout.width], beat)
        return beat, last


def at(number: Value, count: int, enable: Value) -> Value:
    """Return a number one-hot in `count` bits; 0 where it is not enabled."""
    return Mux(enable, Const(1, count) << number, 0)[:count]


def table(
    m: Module, name: str, rows: int, write: Value, row: Value, value: Value, asked: Value
) -> Value:
    """Return row `asked` of a small memory; what is written is there in the next cycle."""
    memory: Memory = Memory(shape=len(value), depth=rows, init=[])
    m.submodules[name] = memory
    writes, reads = memory.write_port(), memory.read_port(domain="comb")
    m.d.comb += [
        *(writes.en.eq(write), writes.addr.eq(row), writes.data.eq(value)),
        reads.addr.eq(asked),
    ]
    return reads.data
