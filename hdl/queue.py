"""A queue: the flits of one channel of an input, and the way of the packet at its front."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from golden.header import bits
from hdl.logic import encode

__all__ = ["Queue"]

NIBBLE = 4
"""Bits of a row that cost one LUT-RAM."""


class Queue(wiring.Component):
    """Know where the flits of a channel are, and where the packet at the front goes.

    The data is elsewhere, in a memory that all channels of an input share. Here are the pointers
    to it, and for each flit the way and whether it is a tail. The front has registers of its own:
    whether it goes is known late in a cycle, and then only has to choose between what is there.

    Parameters
    ----------
    depth : int
        Flits that it can hold.
    outputs : int
        Outputs to which its packets may go.

    Members
    -------
    arrives : ``In(1)``            A flit is written to row `newest`.
    comes : ``In(1)``              Known before: that is so.
    way, tail : ``In``             As `Admission` says of it.
    goes : ``In(1)``               The front goes, or is drained.
    newest, oldest : ``Out``       Rows: of the next flit, and of the front.
    full : ``Out(1)``              There is no room, or none behind what comes.
    waits : ``Out(1)``             There is a front.
    wants : ``Out(outputs)``       The output of its packet, one-hot; 0: it is drained. Holds from
                                   a packet's head to its tail.
    head, last : ``Out(1)``        The front is the head of its packet, and its tail.
    """

    arrives: Signal
    comes: Signal
    way: Signal
    tail: Signal
    goes: Signal
    newest: Signal
    oldest: Signal
    full: Signal
    waits: Signal
    wants: Signal
    head: Signal
    last: Signal

    def __init__(self, *, depth: int, outputs: int) -> None:
        self.depth, self.outputs = depth, outputs
        super().__init__(
            {
                "arrives": In(1),
                "comes": In(1),
                "way": In(outputs),
                "tail": In(1),
                "goes": In(1),
                "newest": Out(bits(depth)),
                "oldest": Out(bits(depth)),
                "full": Out(1),
                "waits": Out(1),
                "wants": Out(outputs),
                "head": Out(1, init=1),  # type: ignore[call-arg]
                "last": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Keep pointers and front; the next way is read while the front still waits."""
        m = Module()
        following = Signal.like(self.oldest)
        more = Signal()  # there are flits behind the front
        m.d.comb += [
            following.eq(self._after(self.oldest)),
            more.eq(self.waits & (self.newest != following)),
            self.full.eq(
                (self.waits | self.comes)
                & (Mux(self.comes, self._after(self.newest), self.newest) == self.oldest)
            ),
        ]
        way, tail = self._next(m, following)

        with m.If(self.arrives):
            m.d.sync += self.newest.eq(self._after(self.newest))
        with m.If(self.goes):
            m.d.sync += [self.oldest.eq(following), self.head.eq(self.last)]
        m.d.sync += self.waits.eq(Mux(self.goes, more, self.waits) | self.arrives)
        with m.If(self.goes | ~self.waits):
            m.d.sync += self.last.eq(Mux(more, tail, self.tail))
        with m.If(Mux(self.goes, self.last, ~self.waits & self.head)):
            m.d.sync += self.wants.eq(Mux(more, way, self.way))
        return m

    def _after(self, row: Value) -> Value:
        if self.depth == 1 << bits(self.depth):
            return (row + 1)[: bits(self.depth)]
        return Mux(row == self.depth - 1, 0, row + 1)[: bits(self.depth)]

    def _next(self, m: Module, following: Value) -> tuple[Value, Value]:
        """Return way and tail of the flit behind the front, from a memory."""
        code = 1 + self.outputs <= NIBBLE  # one-hot if that costs no more
        packed = Cat(self.tail, self.way if code else encode(Cat(~self.way.any(), self.way)))
        rows: Memory = Memory(shape=len(packed), depth=1 << bits(self.depth), init=[])
        m.submodules.ways = rows
        write, read = rows.write_port(), rows.read_port(domain="comb")
        m.d.comb += [
            write.addr.eq(self.newest),
            write.data.eq(packed),
            write.en.eq(self.arrives),
            read.addr.eq(following),
        ]
        tail, way = read.data[0], read.data[1:]
        return (way if code else Cat(way == i + 1 for i in range(self.outputs))), tail
