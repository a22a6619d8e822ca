"""The page of the site that lists the registers for software, from their descriptions."""

from collections.abc import Iterable
from pathlib import Path

from fingerpost.golden.link.parameters import OsLinkParameters
from fingerpost.golden.network.network import build
from fingerpost.hdl.counting.registers import register_map
from fingerpost.hdl.lib.registers import Field, Register
from fingerpost.hdl.link.registered_port import port_registers
from fingerpost.hdl.terminal.mailbox_map import mailbox_map
from fingerpost.netfile.source import load

NETWORKS = Path(__file__).resolve().parents[1] / "networks"

ABOVE = """\
Addresses are in bytes, registers have 32 bits. Access: `r` read only, `rw` reads as written, `w`
write only, `w1` a 1 starts it and reads as 0, `w1c` a 1 clears it, `take` reading removes it. Other
addresses, and writes to read-only registers, are answered with SLVERR. `generate` and `port` write
the registers of your design as SystemRDL, as C header and into the manifest.
"""

ACCESS = {
    "read": "r",
    "take": "take",
    "pulse": "w1",
    "give": "w",
    "keep": "rw",
    "clear": "w1c",
}


def page() -> str:
    """Return the page as Markdown: a section for each block of registers."""
    axi = load(NETWORKS / "mesh-4x4-axi.yaml").description
    counters = register_map(build({**axi, "counters": {"kind": "axi-lite"}}))
    mesh = load(NETWORKS / "mesh-2x2-mailbox.yaml").description
    mailbox = mailbox_map(build({**mesh, "terminal": {**mesh["terminal"], "memory_words": 16384}}))
    block = mailbox.block
    sections = (
        (
            "Counters of a network",
            "Those of mesh-4x4-axi. From `sent` on, addresses are relative to the counters of node",
            f"v, which begin at {counters.address(0):#x} + v {counters.stride:#x}.",
            (*counters.fixed, counters.cycles, *counters.node),
        ),
        (
            "Mailbox",
            "From `send` on, addresses are relative to the registers of message class c, which",
            f"begin at {block.base:#x} + c {block.stride:#x}. With `memory_words` there are also",
            "`finished`, `memory`, rings and descriptors.",
            (*mailbox.fixed, *block.registers),
        ),
        (
            "OS-Link port",
            "Those of `port --registers`;",
            "`control` is there with `--breaks`.",
            port_registers(OsLinkParameters(breaks=True)),
        ),
    )
    lines = ["# Registers", "", ABOVE.rstrip()]
    for title, *above, registers in sections:
        lines += ["", f"## {title}", "", *above, "", *listed(registers)]
    return "\n".join(lines) + "\n"


def listed(registers: Iterable[Register]) -> list[str]:
    """Return registers as a list."""
    rows = []
    for register in registers:
        row = f", a row of {register.count}" if register.many else ""
        access = ", ".join(sorted({ACCESS[each.access] for each in register.fields})) or "r"
        head = f"- {register.address:#x} `{register.name}` ({access}{row}): {register.meaning}"
        fields = (f"`{each.name}[{bits(each)}]` {each.meaning}" for each in register.fields)
        rows.append("; ".join((head, *fields)))
    return rows


def bits(field: Field) -> str:
    """Return the places of a field, the highest first."""
    high = field.offset + field.width - 1
    return f"{high}:{field.offset}" if field.width > 1 else f"{field.offset}"
