"""Virtual-channel buffer: pointers, and the route and tail of every flit of one channel."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.logic import encode

NIBBLE = 4
"""Bits of a row that cost one LUT-RAM."""


class VcBuffer(Component):
    """Keep the flits of one virtual channel in order, and the route of the packet at the front.

    The data is in a memory that all channels of an input share. This component holds the pointers
    into it, and for each flit its route and whether it is a tail. The front has registers of its
    own: `pop` is known late in a cycle, and then only selects between values that are ready.

    With a depth of 2 and one output; a packet of two flits::

        cycle       0 1 2 3 4
        push        1 1 0 0 0
        push_route  1 0 0 0 0
        push_tail   0 1 0 0 0
        pop         0 0 1 1 0
        valid       0 1 1 1 0
        full        0 0 1 0 0
        write_ptr   0 1 0 0 0
        read_ptr    0 0 0 1 0

    Parameters
    ----------
    depth : int
        Flits that it can hold.
    outputs : int
        Outputs to which its packets may go.

    Members
    -------
    push : ``In(1)``                    A flit is written to row `write_ptr`.
    push_pending : ``In(1)``            The same, known earlier: `push` is asserted in this cycle.
    push_route, push_tail : ``In``      Route and tail of that flit, from `RouteStage`.
    pop : ``In(1)``                     The front flit is sent, or discarded.
    write_ptr, read_ptr : ``Out``       Rows: of the next flit, and of the front.
    full : ``Out(1)``                   No room is left behind a pending push.
    valid : ``Out(1)``                  There is a front flit.
    request : ``Out(outputs)``          One-hot: the output of its packet; 0: it is discarded. Holds
                                        from a packet's head to its tail.
    head, tail : ``Out(1)``             The front flit is the head, the tail of its packet.
    """

    def __init__(self, *, depth: int, outputs: int) -> None:
        self.depth, self.outputs = depth, outputs
        super().__init__(
            push=In(1),
            push_pending=In(1),
            push_route=In(outputs),
            push_tail=In(1),
            pop=In(1),
            write_ptr=Out(bits(depth)),
            read_ptr=Out(bits(depth)),
            full=Out(1),
            valid=Out(1),
            request=Out(outputs),
            head=Out(1, init=1),  # type: ignore[call-arg]
            tail=Out(1),
        )

    def elaborate(self, platform: object) -> Module:
        """Keep pointers and front; the next route is read while the front flit is still there."""
        m = Module()
        next_read_ptr = Signal.like(self.read_ptr)
        more = Signal()  # there are flits behind the front
        m.d.comb += [
            next_read_ptr.eq(self._after(self.read_ptr)),
            more.eq(self.valid & (self.write_ptr != next_read_ptr)),
            self.full.eq(
                (self.valid | self.push_pending)
                & (
                    Mux(self.push_pending, self._after(self.write_ptr), self.write_ptr)
                    == self.read_ptr
                )
            ),
        ]
        route, tail = self._next(m, next_read_ptr)

        with m.If(self.push):
            m.d.sync += self.write_ptr.eq(self._after(self.write_ptr))
        with m.If(self.pop):
            m.d.sync += [self.read_ptr.eq(next_read_ptr), self.head.eq(self.tail)]
        m.d.sync += self.valid.eq(Mux(self.pop, more, self.valid) | self.push)
        with m.If(self.pop | ~self.valid):
            m.d.sync += self.tail.eq(Mux(more, tail, self.push_tail))
        with m.If(Mux(self.pop, self.tail, ~self.valid & self.head)):
            m.d.sync += self.request.eq(Mux(more, route, self.push_route))
        return m

    def _after(self, row: Value) -> Value:
        if self.depth == 1 << bits(self.depth):
            return (row + 1)[: bits(self.depth)]
        return Mux(row == self.depth - 1, 0, row + 1)[: bits(self.depth)]

    def _next(self, m: Module, next_read_ptr: Value) -> tuple[Value, Value]:
        """Return route and tail of the flit behind the front, from a memory."""
        one_hot = 1 + self.outputs <= NIBBLE  # if that costs no more
        route = self.push_route
        packed = Cat(self.push_tail, route if one_hot else encode(Cat(~route.any(), route)))
        rows: Memory = Memory(shape=len(packed), depth=1 << bits(self.depth), init=[])
        m.submodules.routes = rows
        write, read = rows.write_port(), rows.read_port(domain="comb")
        m.d.comb += [
            write.addr.eq(self.write_ptr),
            write.data.eq(packed),
            write.en.eq(self.push),
            read.addr.eq(next_read_ptr),
        ]
        tail, code = read.data[0], read.data[1:]
        return (code if one_hot else Cat(code == i + 1 for i in range(self.outputs))), tail
