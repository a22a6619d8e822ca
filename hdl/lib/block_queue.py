"""A queue in block RAM; the twin of fingerpost.golden.terminal.block_queue."""

from typing import Any

from amaranth import Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits

__all__ = ["BlockQueue"]


class BlockQueue(wiring.Component):
    """Keep entries in order; an entry is at the front two cycles after its push, at the earliest.

    Amaranth's SyncFIFOBuffered has the same timing, but its output is undefined in simulators until
    the first entry is read.

    ::

        cycle  0 1 2 3
        push   1 0 0 0
        level  0 1 1 0
        valid  0 0 1 0
        pop    0 0 1 0

    Parameters
    ----------
    shape : data.StructLayout
        Of an entry.
    depth : int

    Members
    -------
    push : ``In(1)``           Write `entry`; there must be room.
    entry : ``In(shape)``
    valid : ``Out(1)``         There is a front.
    front : ``Out(shape)``     The oldest entry.
    pop : ``In(1)``            Remove it; only while `valid`.
    level : ``Out``            Entries, the front included.
    """

    push: Signal
    entry: Any
    valid: Signal
    front: Any
    pop: Signal
    level: Signal

    def __init__(self, shape: data.StructLayout, *, depth: int) -> None:
        self.shape, self.depth = shape, depth
        super().__init__(
            {
                "push": In(1),
                "entry": In(shape),
                "valid": Out(1),
                "front": Out(shape),
                "pop": In(1),
                "level": Out(bits(depth + 1)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Read the row that is at the front in the next cycle, in every cycle."""
        m = Module()
        rows: Memory = Memory(shape=self.shape.size, depth=self.depth, init=[])
        m.submodules.rows = rows
        write, read = rows.write_port(), rows.read_port()
        write_ptr, read_ptr, next_read_ptr, left = (
            Signal(range(self.depth), name="write_ptr"),
            Signal(range(self.depth), name="read_ptr"),
            Signal(range(self.depth), name="next_read_ptr"),
            Signal.like(self.level, name="left"),
        )
        m.d.comb += [
            left.eq(self.level - self.pop),
            next_read_ptr.eq(Mux(self.pop, self._after(read_ptr), read_ptr)),
            read.addr.eq(next_read_ptr),
            self.front.eq(read.data),
            write.addr.eq(write_ptr),
            write.data.eq(self.entry),
            write.en.eq(self.push),
        ]
        m.d.sync += [
            read_ptr.eq(next_read_ptr),
            self.valid.eq(left != 0),
            self.level.eq(left + self.push),
        ]
        with m.If(self.push):
            m.d.sync += write_ptr.eq(self._after(write_ptr))
        return m

    def _after(self, row: Value) -> Value:
        return Mux(row == self.depth - 1, 0, row + 1)
