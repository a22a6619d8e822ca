"""Two streams of packets into one."""

from amaranth import Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from fingerpost.hdl.bus.axi_stream import AxiStreamSignature
from fingerpost.hdl.lib.component import Component


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
            {
                "first": In(stream),
                "second": In(stream),
                "first_dest": In(number),
                "second_dest": In(number),
                "stream": Out(stream),
                "tdest": Out(number),
            }
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
