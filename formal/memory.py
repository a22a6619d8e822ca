"""Memories as proofs have them: what is read from a row while it is written may be anything."""

from typing import Any

from amaranth import Module, Mux, Signal, Value
from amaranth.hdl import MemoryInstance
from amaranth.hdl._ast import AnySeq

from fingerpost.hdl.lib.memory import NO_RW_CHECK

__all__ = ["UndefinedReads"]


class UndefinedReads:
    """A platform for Amaranth with memories that are as unspecified as those of FPGAs.

    A synchronous read of a row that is written in the same cycle returns anything, until the next
    read, where the memory has `NO_RW_CHECK`. Simulators return what was in the row before.
    """

    def get_memory(self, memory: Any) -> Module:
        """Return what stands in the place of a memory."""
        m = Module()
        rows: Any = MemoryInstance(data=memory.data, attrs=memory.attrs)  # type: ignore[call-arg]
        m.submodules.rows = rows
        writes = {
            port: rows.write_port(domain=port.domain, addr=port.addr, data=port.data, en=port.en)
            for port in memory.write_ports
        }
        unspecified = NO_RW_CHECK.items() <= memory.attrs.items()
        for number, port in enumerate(memory.read_ports):
            transparent = port.transparent_for
            row = Signal(len(Value.cast(port.data)), name=f"row{number}")
            rows.read_port(
                domain=port.domain,
                addr=port.addr,
                data=row,
                en=port.en,
                transparent_for=tuple(writes[write] for write in transparent),
            )
            collided = Signal(name=f"collided{number}", reset_less=True)  # as what was read
            if unspecified and port.domain != "comb":
                collisions: Value = Value.cast(0)
                for write in (each for each in writes if each not in transparent):
                    collisions |= write.en.any() & (write.addr == port.addr)
                with m.If(port.en):
                    m.d[port.domain] += collided.eq(collisions)
            m.d.comb += Value.cast(port.data).eq(Mux(collided, AnySeq(len(row)), row))
        return m
