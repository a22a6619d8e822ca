"""Large tables: memories without a write port."""

from collections.abc import Sequence

from amaranth import Module, Value
from amaranth.lib.memory import Memory


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
