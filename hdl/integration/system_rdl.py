"""The registers of the counters in SystemRDL 2.0, of which others make HTML, IP-XACT or UVM."""

from collections.abc import Iterator

from golden.network import Network
from hdl.counting import Register, counting

__all__ = ["system_rdl"]


def system_rdl(network: Network) -> str | None:
    """Return the text; none without counters."""
    found = counting(network)
    if found is None:
        return None
    map = found.map
    lines = [
        f"addrmap {found.name} {{",
        f'  name = "Counters of {network.name}";',
        "  default regwidth = 32;",
        "  default accesswidth = 32;",
        "  default hw = w;",
        "  default sw = r;",
    ]
    for register in (*map.fixed, map.cycles):
        lines += [f"  {line}" for line in _register(register)]
    lines += ["  regfile {"]
    for register in map.node:
        lines += [f"    {line}" for line in _register(register)]
    first = map.address(0)
    lines.append(f"  }} node[{map.nodes}] @ 0x{first:x} += 0x{map.stride:x};")
    return "\n".join([*lines, "};", ""])


def _register(register: Register) -> Iterator[str]:
    """Yield the lines of a register, or of several in a row."""
    yield "reg {"
    yield f"  desc = {_quoted(register.meaning)};"
    if not register.fields:
        yield "  field {} value[31:0];"
    for part in register.fields:
        kind = "sw = w; singlepulse; hw = r; " if part.pulse else ""
        # Values that differ within a row are hardware's; the same in all are constants.
        kind += "hw = na; " if len(part.values) == 1 else ""
        reset = f" = 0x{part.values[0]:x}" if len(part.values) == 1 else " = 0" * part.pulse
        high = part.offset + part.width - 1
        yield f"  field {{ {kind}desc = {_quoted(part.meaning)}; }}"
        yield f"    {part.name}[{high}:{part.offset}]{reset};"
    row = f"[{register.count}]" if register.many else ""
    yield f"}} {register.name}{row} @ 0x{register.address:x}{' += 0x4' if register.many else ''};"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"'
