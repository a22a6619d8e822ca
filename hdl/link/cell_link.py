"""OS-Links between routers: flits and credits as cells; the twin of golden.link.cell_link."""

from collections.abc import Collection, Iterator
from typing import Any, ClassVar

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, stream
from amaranth.lib.crc.catalog import CRC16_IBM_3740
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import In, Member, Out, connect

from fingerpost.golden.header import bits
from fingerpost.golden.link import CellLink
from fingerpost.golden.link.cells import CREDITS, FLIT, LINK_ERRORS, STATUS
from fingerpost.golden.link.parameters import ERRORS
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import LinkSignature, flit_layout, struct
from fingerpost.hdl.lib.logic import encode, select
from fingerpost.hdl.lib.ports import Port, of_node, part
from fingerpost.hdl.link.base import Linked, LinkEnds
from fingerpost.hdl.link.os_link import OsLink


class CellSender(Component):
    """Send the flits of an output and the credits of an input as bytes.

    There is a place for every flit for which the router can have a credit, so nothing is lost
    however slow the bytes are. Credits go first: they are short, and only flits make them.

    Parameters
    ----------
    channels, depth, flit_width : int
        Virtual channels, flits that each of them can hold at the far end, bits of a flit's data.

    Members
    -------
    link : ``In(LinkSignature)``            What the router sends. The credits that come back are
                                            no concern of this component.
    credit : ``In(channels)``               The credits that the router gives back.
    bytes : ``Out(stream.Signature(8))``    The bytes of both.
    """

    def __init__(self, *, channels: int, depth: int, flit_width: int) -> None:
        self.channels, self.depth, self.flit_width = channels, depth, flit_width
        super().__init__(
            link=In(LinkSignature(channels=channels, flit_width=flit_width)),
            credit=In(channels),
            bytes=Out(stream.Signature(8)),
        )

    def elaborate(self, platform: object) -> Module:
        """Choose the next byte whenever the last one is taken."""
        m = Module()
        last = self.flit_width // 8
        queued = data.StructLayout(
            {"channel": bits(self.channels), "flit": flit_layout(self.flit_width)}
        )
        m.submodules.queue = queue = SyncFIFO(width=queued.size, depth=self.channels * self.depth)
        first = queued(queue.r_data)
        flit, index = first.flit, Signal(range(last + 1))
        load, gives, starts, goes, done = Signal(), Signal(), Signal(), Signal(), Signal()
        owing = self._owing(m, gives)
        m.d.comb += [
            queue.w_data.eq(Cat(encode(self.link.valid), self.link.flit)),
            queue.w_en.eq(self.link.valid.any()),
            load.eq(~self.bytes.valid | self.bytes.ready),
            gives.eq(load & ~index.any() & owing.any()),
            starts.eq(load & ~index.any() & ~owing.any() & queue.r_rdy),
            goes.eq(load & index.any()),
            done.eq(goes & (index == last)),
            queue.r_en.eq(done),
        ]

        control: Any = Signal(struct(FLIT))
        credits: Any = Signal(struct(CREDITS))
        m.d.comb += [
            control.flit.eq(1),
            control.head.eq(flit.head),
            control.tail.eq(flit.tail),
            control.channel.eq(first.channel),
            credits.channels.eq(owing),
        ]

        # Where the CRC goes, there was the status; if that is not 0, neither shall the CRC fit.
        places = [flit.data.word_select(place, 8) for place in range(last)]
        plain, is_crc = Signal(8), Signal()
        m.d.comb += [
            plain.eq(select(Cat(index == place + 1 for place in range(last)), places)),
            is_crc.eq(flit.tail & (index >= last - 1)),
        ]
        crcs = _checksums(
            m,
            self.channels,
            channel=first.channel,
            start=starts & flit.head,
            valid=starts | (goes & ~is_crc),
            byte=Mux(starts, control, plain),
        )
        due = _of(first.channel, crcs) ^ flit.data[-STATUS:].any().replicate(STATUS)
        body = Mux(is_crc, Mux(index == last, due[8:], due[:8]), plain)
        with m.If(load):
            m.d.sync += [
                self.bytes.valid.eq(gives | starts | goes),
                self.bytes.payload.eq(Mux(gives, credits, Mux(starts, control, body))),
                index.eq(Mux(done, 0, index + (starts | goes))),
            ]
        return m

    def _owing(self, m: Module, gives: Value) -> Value:
        """Count the credits that are to be sent; return the channels that have some."""
        counts = [Signal(range(self.depth + 1), name=f"owed{v}") for v in range(self.channels)]
        for count, credit in zip(counts, self.credit, strict=True):
            m.d.sync += count.eq(count + credit - (gives & count.any()))
        return Cat(count.any() for count in counts)


class CellReceiver(Component):
    """Make flits and credits of the bytes that come. Each is taken at once: it never waits.

    Parameters
    ----------
    channels, flit_width : int
        Virtual channels, and bits of a flit's data.

    Members
    -------
    bytes : ``In(stream.Signature(8))``    The bytes of the far end.
    link : ``Out(LinkSignature)``          Its flits; the router's credits for them are no concern
                                           of this component.
    credit : ``Out(channels)``             Its credits, a register.
    bad_packet : ``Out(1)``                The tail on the link is of a packet in which something
                                           was wrong.
    bad_cell : ``Out(1)``                  A byte that should begin a cell does not.
    """

    def __init__(self, *, channels: int, flit_width: int) -> None:
        self.channels, self.flit_width = channels, flit_width
        super().__init__(
            bytes=In(stream.Signature(8)),
            link=Out(LinkSignature(channels=channels, flit_width=flit_width)),
            credit=Out(channels),
            bad_packet=Out(1),
            bad_cell=Out(1),
        )

    def elaborate(self, platform: object) -> Module:
        """Shift the bytes of a flit together; with the last one it is there."""
        m = Module()
        last = self.flit_width // 8
        valid, byte = self.bytes.valid, self.bytes.payload
        control, owed = data.View(struct(FLIT), byte[: FLIT.width]), struct(CREDITS)(byte).channels
        index, channel = Signal(range(last + 1)), Signal(bits(self.channels))
        head, tail, arrived, content = Signal(), Signal(), Signal(), Signal(self.flit_width)
        begins, goes, good, starts, gives = Signal(), Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            self.bytes.ready.eq(1),
            begins.eq(valid & ~index.any()),
            goes.eq(valid & index.any()),
            good.eq(~byte[FLIT.width :].any() & (control.channel < self.channels)),
            starts.eq(begins & control.flit & good),
            gives.eq(begins & ~control.flit & owed.any() & ~owed[self.channels :].any()),
        ]
        m.d.sync += [
            self.bad_cell.eq(begins & ~starts & ~gives),
            self.credit.eq(owed & gives.replicate(self.channels)),
            arrived.eq(goes & (index == last)),
        ]
        with m.If(starts):
            m.d.sync += [
                channel.eq(control.channel),
                head.eq(control.head),
                tail.eq(control.tail),
                index.eq(1),
            ]
        with m.If(goes):
            m.d.sync += [
                content.eq(Cat(content[8:], byte)),
                index.eq(Mux(index == last, 0, index + 1)),
            ]

        # A head inside a packet starts no new CRC: a tail was lost, and both packets are bad.
        inside = Signal(self.channels)
        here = Cat(control.channel == v for v in range(self.channels))
        within = (inside & here).any()
        with m.If(starts):
            follows = (control.head | within) & ~control.tail
            m.d.sync += inside.eq(Mux(follows, inside | here, inside & ~here))
        crcs = _checksums(
            m,
            self.channels,
            channel=Mux(starts, control.channel, channel),
            start=starts & control.head & ~within,
            valid=starts | (goes & ~(tail & (index >= last - 1))),
            byte=byte,
        )
        wrong = Signal()
        m.d.comb += [
            wrong.eq(content[-STATUS:] != _of(channel, crcs)),
            self.bad_packet.eq(arrived & tail & wrong),
            self.link.valid.eq(arrived << channel),
            self.link.flit.head.eq(head),
            self.link.flit.tail.eq(tail),
            self.link.flit.data.eq(
                Cat(content[:-STATUS], Mux(tail, wrong.replicate(STATUS), content[-STATUS:]))
            ),
        ]
        return m


def _checksums(
    m: Module, channels: int, *, channel: Value, start: Value, valid: Value, byte: Value
) -> list[Value]:
    """Return the CRCs of the packets on all channels, one of which gets a byte."""
    crcs = []
    for v in range(channels):
        m.submodules[f"crc{v}"] = crc = CRC16_IBM_3740().create()
        here = channel == v
        m.d.comb += [
            crc.start.eq(start & here),
            crc.valid.eq(valid & here),
            crc.data.eq(byte),
        ]
        crcs.append(crc.crc)
    return crcs


def _of(channel: Value, values: list[Value]) -> Value:
    """Return the value that belongs to a channel."""
    return select(Cat(channel == v for v in range(len(values))), values)


class CellLinkEnds(LinkEnds):
    """The ends of OS-Links: a port for every link, with what makes bytes of flits and credits.

    A `CellSender` keeps what the router sends until the OS-Link has taken it byte by byte, and a
    `CellReceiver` gives it what comes, see `golden.link.cells`. Nodes need not have the same
    clock: each may be 1 % off in frequency, and phases do not matter. All nodes must be reset
    together, and leave it within 20 bit times.

    A node has these ports instead of its router's links:

    link_in : ``In(degree)``             The wire from each neighbour, asynchronous.
    link_out : ``Out(degree)``           The wire to each neighbour, a register.
    link_errors : ``Out(degree * 8)``    What each link has found wrong since the reset, a bit for
                                         each of `LINK_ERRORS`.
    """

    kind: ClassVar[str] = CellLink.kind
    adds: ClassVar[str] = "OS-Links"

    def members(self, router: Linked) -> dict[str, Member]:
        """Return a wire for each port and direction."""
        return {"link_in": In(router.degree), "link_out": Out(router.degree)}

    def errors(self, router: Linked) -> dict[str, Member]:
        """Return `link_errors`."""
        return {"link_errors": Out(router.degree * len(LINK_ERRORS))}

    def join(self, m: Module, node: Any, router: Linked) -> None:
        """Stand an OS-Link between each pair of link ports and its wires."""
        for port in router.node_type.inputs:
            self._link(m, node, router, port)

    def _link(self, m: Module, node: Any, router: Linked, port: int) -> None:
        shape = {"channels": router.channels, "flit_width": router.flit_width}
        incoming, outgoing = router.inputs[port], router.outputs[port]
        parameters: Any = self.network.link
        m.submodules[f"os_link{port}"] = os_link = OsLink(parameters)
        m.submodules[f"sender{port}"] = sender = CellSender(depth=router.depth, **shape)
        m.submodules[f"receiver{port}"] = receiver = CellReceiver(**shape)
        connect(m, sender.bytes, os_link.tx)
        connect(m, os_link.rx, receiver.bytes)
        m.d.comb += [
            os_link.link_in.eq(node.link_in[port]),
            node.link_out[port].eq(os_link.link_out),
            sender.link.valid.eq(outgoing.valid),
            sender.link.flit.eq(outgoing.flit),
            outgoing.credit.eq(receiver.credit),
            sender.credit.eq(incoming.credit),
            incoming.valid.eq(receiver.link.valid),
            incoming.flit.eq(receiver.link.flit),
        ]
        wrong = [getattr(os_link, name) for name in ERRORS]
        seen = node.link_errors.word_select(port, len(LINK_ERRORS))
        m.d.sync += seen.eq(seen | Cat(*wrong, receiver.bad_packet, receiver.bad_cell))

    def ports(self) -> list[Port]:
        """Return `link_errors` of all nodes."""
        topology = self.network.topology
        bits = topology.nodes * topology.local * len(LINK_ERRORS)
        meaning = f"for each port {', '.join(LINK_ERRORS)}: each stays set until reset"
        return [Port("link_errors", "output", bits, meaning)]

    def wires(self, nodes: Collection[int]) -> Iterator[str]:
        """Declare and join the wires: a bit for each port of a node."""
        local = self.network.topology.local
        for node in nodes:
            yield f"  wire [{local - 1}:0] out_{node};"
        for node in nodes:
            bits = [
                "out_{}[{}]".format(*self.origin[node, port])
                if (node, port) in self.origin
                else "1'b0"
                for port in reversed(range(local))
            ]
            yield f"  wire [{local - 1}:0] in_{node} = {{{', '.join(bits)}}};"

    def connections(self, node: int) -> Iterator[str]:
        """Connect the wires of a node, and what it has found wrong."""
        yield f".link_in(in_{node}), .link_out(out_{node})"
        yield f".link_errors({of_node('link_errors', node)})"

    def seen(self, node: int, port: int) -> str:
        """Return {errors, wire}."""
        at = node * self.network.topology.local + port
        return f"{{{part('link_errors', at, len(LINK_ERRORS))}, n.out_{node}[{port}]}}"
