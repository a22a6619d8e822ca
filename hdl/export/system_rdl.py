"""Registers in SystemRDL 2.0, of which others make HTML, IP-XACT or UVM."""

from collections.abc import Iterable, Iterator

from fingerpost.golden.network.network import Network
from fingerpost.hdl.counting import counting
from fingerpost.hdl.lib.registers import Access, Register

__all__ = ["address_map", "system_rdl"]


ACCESS: dict[Access, str] = {
    "read": "",
    "take": "swacc; ",
    "pulse": "sw = w; singlepulse; hw = r; ",
    "give": "sw = w; swmod; hw = r; ",
    "keep": "sw = rw; hw = r; ",
    "clear": "sw = rw; woclr; hwset; hw = r; ",
}
"""How it is said what software does with a field."""


def system_rdl(network: Network) -> str | None:
    """Return the text of a network's counters; none without counters."""
    found = counting(network)
    if found is None:
        return None
    map = found.map
    lines = [line for part in map.node for line in _register(part)]
    node = ["regfile {", *(f"  {line}" for line in lines)]
    node.append(f"}} node[{map.nodes}] @ 0x{map.address(0):x} += 0x{map.stride:x};")
    title = f"Counters of {network.name}"
    return address_map(found.name, title, (*map.fixed, map.cycles), node)


def address_map(
    name: str, title: str, registers: Iterable[Register], more: Iterable[str] = ()
) -> str:
    """Return the text of some registers, with further lines behind them."""
    lines = [
        f"addrmap {name} {{",
        f'  name = "{title}";',
        "  default regwidth = 32;",
        "  default accesswidth = 32;",
        "  default hw = w;",
        "  default sw = r;",
    ]
    lines += [f"  {line}" for register in registers for line in _register(register)]
    return "\n".join([*lines, *(f"  {line}" for line in more), "};", ""])


def _register(register: Register) -> Iterator[str]:
    """Yield the lines of a register, or of several in a row."""
    yield "reg {"
    yield f"  desc = {_quoted(register.meaning)};"
    if not register.fields:
        yield "  field {} value[31:0];"
    for part in register.fields:
        kind = ACCESS[part.access]
        # Values that differ within a row are hardware's; the same in all are constants.
        kind += "hw = na; " if len(part.values) == 1 else ""
        reset = f" = 0x{part.values[0]:x}" if len(part.values) == 1 else " = 0" * ("sw =" in kind)
        high = part.offset + part.width - 1
        yield f"  field {{ {kind}desc = {_quoted(part.meaning)}; }}"
        yield f"    {part.name}[{high}:{part.offset}]{reset};"
    row = f"[{register.count}]" if register.many else ""
    yield f"}} {register.name}{row} @ 0x{register.address:x}{' += 0x4' if register.many else ''};"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"'
