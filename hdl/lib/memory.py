"""Memories: what tools that map them may assume, large tables, and queues in block RAM."""

from collections.abc import Sequence
from typing import Any

from amaranth import Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.hdl.lib.component import Component

NO_RW_CHECK = {"no_rw_check": "1"}
"""Of a memory: what is read from a row in the cycle in which it is written is not used. So a tool
adds no bypass logic."""


def read_new(m: Module, memory: Memory, write: Any) -> tuple[Signal, Value]:
    """Return the address of a synchronous read port, and the data: what is being written, too.

    The memory reads what was there before, or anything with `NO_RW_CHECK`, and registers beside it
    keep what is written. A transparent port would become a registered address in Verilog, from
    which tools infer block RAM that returns the wrong row.
    """
    read: Any = memory.read_port()
    written, same = Signal.like(write.data), Signal()
    m.d.sync += [written.eq(write.data), same.eq(write.en & (write.addr == read.addr))]
    return read.addr, Mux(same, written, read.data)


def look_up(
    m: Module, name: str, index: Value, entries: Sequence[int], *, domain: str = "comb"
) -> Value:
    """Return `entries[index]`, at once or, in a clocked domain, after the next edge.

    Unlike the case statement of `hdl.lib.logic.rom` a memory takes synthesis and simulators no time
    to speak of. A clocked one becomes block RAM, a combinational one LUTs. The index must not be
    beyond the last entry.
    """
    width = max(1, max(entries).bit_length())
    memory: Memory = Memory(shape=width, depth=len(entries), init=entries)
    m.submodules[name] = memory
    read = memory.read_port(domain=domain)
    m.d.comb += read.addr.eq(index)
    return read.data


BLOCK_ROWS = 2048
"""Up to so many rows, a power of two of them takes no more block RAM than fewer do.

More stand in two memories, the first of a power of two: one alone would be of wide and short
blocks, with many words to select from.
"""


class BlockQueue(Component):
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
    block_rows : int
        Up to so many are in one memory, more in two.

    Members
    -------
    push : ``In(1)``           Write `entry`; there must be room.
    entry : ``In(shape)``
    valid : ``Out(1)``         There is a front.
    front : ``Out(shape)``     The oldest entry.
    pop : ``In(1)``            Remove it; only while `valid`.
    """

    def __init__(
        self, shape: data.StructLayout, *, depth: int, block_rows: int = BLOCK_ROWS
    ) -> None:
        self.shape, self.depth, self.block_rows = shape, depth, block_rows
        super().__init__(
            push=In(1),
            entry=In(shape),
            valid=Out(1),
            front=Out(shape),
            pop=In(1),
        )

    @property
    def rows(self) -> int:
        """Return the rows of the memories, more than can wait there."""
        return self.depth if self.depth > self.block_rows else 1 << bits(self.depth)

    def elaborate(self, platform: object) -> Module:
        """Load the front from the row that was fetched, and fetch the next one."""
        m = Module()
        write_ptr, read_ptr = (Signal(range(self.rows), name=f"{x}_ptr") for x in ("write", "read"))
        waiting, fetched, load, direct, write, read = (
            Signal(name=name) for name in ("waiting", "fetched", "load", "direct", "write", "read")
        )
        m.d.comb += [
            waiting.eq(write_ptr != read_ptr),
            load.eq(self.pop | ~self.valid),
            direct.eq(load & ~fetched & ~waiting),
            write.eq(self.push & ~direct),
            read.eq(waiting & (load | ~fetched)),
        ]
        oldest = self._rows(m, write, write_ptr, read, read_ptr)
        with m.If(load):
            m.d.sync += [
                self.valid.eq(fetched | (self.push & direct)),
                self.front.eq(Mux(fetched, oldest, self.entry)),
                fetched.eq(0),
            ]
        with m.If(write):
            m.d.sync += write_ptr.eq(self._after(write_ptr))
        with m.If(read):
            m.d.sync += [read_ptr.eq(self._after(read_ptr)), fetched.eq(1)]
        return m

    def _rows(
        self, m: Module, write: Value, write_ptr: Value, read: Value, read_ptr: Value
    ) -> Value:
        """Return what was read, from the next cycle on."""
        split, first = self.rows > self.block_rows, 1 << (len(write_ptr) - 1)
        words: list[Value] = []
        for last, depth in enumerate((first, self.rows - first) if split else (self.rows,)):
            rows: Memory = Memory(shape=self.shape.size, depth=depth, init=[], attrs=NO_RW_CHECK)
            m.submodules["last_rows" if last else "rows"] = rows
            writes, reads = rows.write_port(), rows.read_port()
            m.d.comb += [
                *(writes.addr.eq(write_ptr), writes.data.eq(self.entry)),
                writes.en.eq(write & (write_ptr[-1] == last if split else 1)),
                *(reads.addr.eq(read_ptr), reads.en.eq(read)),
            ]
            words.append(reads.data)
        if not split:
            return words[0]
        in_last = Signal()
        with m.If(read):
            m.d.sync += in_last.eq(read_ptr[-1])
        return Mux(in_last, words[1], words[0])

    def _after(self, row: Value) -> Value:
        wraps = self.rows != 1 << len(row)
        return Mux(row == self.rows - 1, 0, row + 1) if wraps else row + 1
