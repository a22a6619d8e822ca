"""Packets that wait until they are complete, and two streams of them into one."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fingerpost.hdl.bus.axi import AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.memory import NO_RW_CHECK


class PacketQueue(Component):
    """Keep packets in order, in block RAM, and offer those that are complete.

    A packet is offered from the second cycle after its last beat on, without a pause. One of more
    than `depth` beats is taken and dropped whole.

    Parameters
    ----------
    width : int
        Bits of tdata.
    number : int
        Bits of the number of a node.
    depth : int
        Beats, a power of two.

    Members
    -------
    source : ``In(AxiStreamSignature)``
    dest : ``In(number)``                   tdest of what enters.
    stream : ``Out(AxiStreamSignature)``
    tdest : ``Out(number)``                 tdest of what leaves.
    dropped : ``Out(1)``                    A packet turns out to be too long in this cycle.
    """

    def __init__(self, *, width: int, number: int, depth: int) -> None:
        self.depth = depth
        super().__init__(
            source=In(AxiStreamSignature(width, user=1)),
            dest=In(number),
            stream=Out(AxiStreamSignature(width, user=1)),
            tdest=Out(number),
            dropped=Out(1),
        )

    def elaborate(self, platform: object) -> Module:
        """Write beats, and read the one that is at the front in the next cycle."""
        m = Module()
        source, stream, depth = self.source, self.stream, self.depth
        names = [name for name in source.signature.members if name not in ("tvalid", "tready")]
        entering = Cat(self.dest, *(getattr(source, name) for name in names))
        leaving = Cat(self.tdest, *(getattr(stream, name) for name in names))
        rows: Memory = Memory(shape=len(entering), depth=depth, init=[], attrs=NO_RW_CHECK)
        m.submodules.rows = rows
        write, read = rows.write_port(), rows.read_port()

        read_ptr, next_read_ptr, write_ptr = (Signal(range(depth)) for _ in range(3))
        used, filled = Signal(range(depth + 1)), Signal(range(depth + 1))
        packets, ended = Signal(range(depth + 1)), Signal()
        valid, dropping = Signal(), Signal()
        taken, take, completes, leaves = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            source.tready.eq((used != depth) | dropping | (filled == depth)),
            taken.eq(source.tvalid & source.tready),
            take.eq(taken & ~dropping),
            self.dropped.eq(take & (filled == depth)),
            write.en.eq(take & ~self.dropped),
            write.addr.eq(write_ptr),
            write.data.eq(entering),
            completes.eq(write.en & source.tlast),
            stream.tvalid.eq(valid),
            leaving.eq(read.data),
            leaves.eq(valid & stream.tready),
            next_read_ptr.eq(read_ptr + leaves),
            read.addr.eq(next_read_ptr),
        ]
        m.d.sync += [
            valid.eq(Mux(leaves, ~stream.tlast | (packets > Mux(ended, 2, 1)), packets != ended)),
            read_ptr.eq(next_read_ptr),
            write_ptr.eq(write_ptr + write.en),
            # A packet that is dropped has all rows, so it leaves the pointers where they were.
            used.eq(Mux(self.dropped, 0, used + write.en - leaves)),
            filled.eq(Mux(completes | self.dropped, 0, filled + write.en)),
            # What comes out of block RAM comes late, so it is counted in the next cycle.
            ended.eq(leaves & stream.tlast),
            packets.eq(packets + completes - ended),
        ]
        with m.If(taken):
            m.d.sync += dropping.eq((dropping | self.dropped) & ~source.tlast)
        return m


class PacketMerge(Component):
    """Pass packets of two streams on, one by one; if both offer one, they take turns.

    What is offered stays until it is accepted. Combinational from a stream to the other.

    Parameters
    ----------
    width : int
        Bits of tdata.
    number : int
        Bits of the number of a node.

    Members
    -------
    first, second : ``In(AxiStreamSignature)``
    first_dest, second_dest : ``In(number)``      Their tdest, in all beats of a packet.
    stream : ``Out(AxiStreamSignature)``
    tdest : ``Out(number)``
    """

    def __init__(self, *, width: int, number: int) -> None:
        stream = AxiStreamSignature(width, user=1)
        super().__init__(
            first=In(stream),
            second=In(stream),
            first_dest=In(number),
            second_dest=In(number),
            stream=Out(stream),
            tdest=Out(number),
        )

    def elaborate(self, platform: object) -> Module:
        """Choose a stream, and keep it until its packet has gone."""
        m = Module()
        first, second, out = self.first, self.second, self.stream
        # 1: of the second stream. The owner of an ended packet was served last.
        held, owner, ended, chosen = Signal(), Signal(init=1), Signal(), Signal()
        m.d.comb += [
            chosen.eq(Mux(held & ~ended, owner, second.tvalid & ~(owner & first.tvalid))),
            out.tvalid.eq(Mux(chosen, second.tvalid, first.tvalid)),
            first.tready.eq(out.tready & ~chosen),
            second.tready.eq(out.tready & chosen),
            self.tdest.eq(Mux(chosen, self.second_dest, self.first_dest)),
        ]
        for name in out.signature.members:
            if name not in ("tvalid", "tready"):
                sides: list[Value] = [getattr(second, name), getattr(first, name)]
                m.d.comb += getattr(out, name).eq(Mux(chosen, *sides))
        m.d.sync += [
            # What comes out of block RAM comes late, so a packet ends a cycle later.
            ended.eq(out.tvalid & out.tready & out.tlast),
            held.eq(out.tvalid | (held & ~ended)),
        ]
        with m.If(out.tvalid):
            m.d.sync += owner.eq(chosen)
        return m
