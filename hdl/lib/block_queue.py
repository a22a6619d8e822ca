"""A queue in block RAM; the twin of fingerpost.golden.terminal.queues."""

from typing import Any

from amaranth import Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.hdl.lib.memory import NO_RW_CHECK

__all__ = ["BlockQueue"]

BLOCK_ROWS = 2048
"""Up to so many rows, a power of two of them takes no more block RAM than fewer do."""


class BlockQueue(wiring.Component):
    """Keep entries in order, the front of them in a register.

    An entry that is pushed into an empty queue is at the front in the next cycle. Others go through
    the memory, which takes three cycles; then one can be popped in every cycle.

    ::

        cycle  0 1 2 3 4 5
        push   1 1 1 0 0 0
        valid  0 1 1 0 1 1
        pop    0 0 1 0 1 1

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
    """

    push: Signal
    entry: Any
    valid: Signal
    front: Any
    pop: Signal

    def __init__(self, shape: data.StructLayout, *, depth: int) -> None:
        self.shape, self.depth = shape, depth
        super().__init__(
            {
                "push": In(1),
                "entry": In(shape),
                "valid": Out(1),
                "front": Out(shape),
                "pop": In(1),
            }
        )

    @property
    def rows(self) -> int:
        """Return the rows of the memory, more than can wait there."""
        return self.depth if self.depth > BLOCK_ROWS else 1 << bits(self.depth)

    def elaborate(self, platform: object) -> Module:
        """Load the front from the row that was fetched, and fetch the next one."""
        m = Module()
        rows: Memory = Memory(shape=self.shape.size, depth=self.rows, init=[], attrs=NO_RW_CHECK)
        m.submodules.rows = rows
        write, read = rows.write_port(), rows.read_port()
        write_ptr, read_ptr = (Signal(range(self.rows), name=f"{x}_ptr") for x in ("write", "read"))
        waiting, fetched, load, direct = (
            Signal(name=name) for name in ("waiting", "fetched", "load", "direct")
        )
        m.d.comb += [
            waiting.eq(write_ptr != read_ptr),
            load.eq(self.pop | ~self.valid),
            direct.eq(load & ~fetched & ~waiting),
            write.addr.eq(write_ptr),
            write.data.eq(self.entry),
            write.en.eq(self.push & ~direct),
            read.addr.eq(read_ptr),
            read.en.eq(waiting & (load | ~fetched)),
        ]
        with m.If(load):
            m.d.sync += [
                self.valid.eq(fetched | (self.push & direct)),
                self.front.eq(Mux(fetched, read.data, self.entry)),
                fetched.eq(0),
            ]
        with m.If(write.en):
            m.d.sync += write_ptr.eq(self._after(write_ptr))
        with m.If(read.en):
            m.d.sync += [read_ptr.eq(self._after(read_ptr)), fetched.eq(1)]
        return m

    def _after(self, row: Value) -> Value:
        wraps = self.rows != 1 << len(row)
        return Mux(row == self.rows - 1, 0, row + 1) if wraps else row + 1
