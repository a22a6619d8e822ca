"""Memories: what tools that map them may assume, and reads of a row that is being written."""

from typing import Any

from amaranth import Module, Mux, Signal, Value
from amaranth.lib.memory import Memory

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
