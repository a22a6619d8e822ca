"""Pages of the site that are made of code: commands, keys of files, registers, a notebook."""

import json
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

import typer

from fingerpost.cli.app import TASKS, loaded
from fingerpost.golden.link.parameters import OsLinkParameters
from fingerpost.golden.network.network import build
from fingerpost.hdl.counting.registers import register_map
from fingerpost.hdl.lib.registers import Field, Register
from fingerpost.hdl.link.registered_port import port_registers
from fingerpost.hdl.terminal.mailbox_map import mailbox_map
from fingerpost.netfile.schema import json_schema
from fingerpost.netfile.source import load

OF_HELP = "Generated from the texts of `fingerpost COMMAND --help`."


def commands() -> str:
    """Return the page as Markdown: a section for each command, in the order of use."""
    lines = ["# Commands", "", OF_HELP]
    for name in (name for names in TASKS.values() for name in names):
        lines += ["", f"## {name}", "", *about(name, loaded(name))]
    return "\n".join(lines) + "\n"


def about(name: str, command: Any) -> list[str]:
    """Return what a command does, its arguments and options as a table, and its example."""
    context = typer.Context(command, info_name=name)
    records = (each.get_help_record(context) for each in command.params)
    rows = [
        f"| <code>{cell(names)}</code> | {cell(text)} |" for names, text in filter(None, records)
    ]
    example = " ".join((command.epilog or "").split()).removeprefix("Example: ")
    return [
        " ".join(command.help.split()),
        "",
        *(["| argument or option | meaning |", "|---|---|", *rows] if rows else []),
        *(["", "```", example, "```"] if example else []),
    ]


def cell(text: str) -> str:
    """Return a text as the cell of a table."""
    return escape(" ".join(text.split()), quote=False).replace("|", "&#124;")


Schema = dict[str, Any]

SECTIONS = (
    *("topology", "positions", "routing", "router", "link", "terminal", "memory_map", "counters"),
)

CHOOSERS = "family", "algorithm", "kind"
"""Keys whose value chooses what else stands in a section."""

OF_SCHEMA = (
    "Generated from the schema that `fingerpost schema` prints. `fingerpost new FAMILY` writes a "
    "file with them. See also [families and algorithms](networks.md)."
)

MANY = {"integer": "whole numbers", "boolean": "true or false", "string": "texts", "array": "lists"}
"""What a list may hold, by its type in the schema."""


def keys() -> str:
    """Return the page as Markdown."""
    schema = json_schema()
    every = schema["properties"]
    plain = [key for key in every if key not in SECTIONS]
    lines = [
        "# Keys of a network file",
        "",
        OF_SCHEMA,
        "",
        *table({key: every[key] for key in plain}, schema["required"]),
    ]
    for section in SECTIONS:
        lines += ["", f"## {section}", "", every[section]["description"]]
        for title, part in parts(schema, every[section]):
            lines += ["", f"### `{title}`"] if title else []
            told = {
                key: value
                for key, value in part["properties"].items()
                if "const" not in value or key not in CHOOSERS
            }
            lines += ["", part["description"].replace("``", "`"), ""]
            lines += table(told, part.get("required", [])) if told else []
    return "\n".join(lines) + "\n"


def parts(schema: Schema, section: Schema) -> list[tuple[str, Schema]]:
    """Return the parts that may stand in a section, with what chooses them."""
    if "$ref" in section:
        return [("", resolved(schema, section))]
    if "anyOf" in section:  # a list of parts, which may be left out
        return [("", resolved(schema, section["anyOf"][0]["items"]))]
    each = [resolved(schema, choice) for choice in section["oneOf"]]
    return [
        (f"{key}: {value['const']}", part)
        for part in each
        for key, value in part["properties"].items()
        if "const" in value and key in CHOOSERS
    ]


def resolved(schema: Schema, reference: Schema) -> Schema:
    """Return what a reference refers to."""
    part: Schema = schema["$defs"][reference["$ref"].rpartition("/")[2]]
    return part


def table(keys: Schema, required: list[str]) -> list[str]:
    """Return keys as the rows of a table."""
    rows = ["| key | | default | meaning |", "|---|---|---|---|"]
    for key, value in keys.items():
        default = "needed" if key in required else written(value.get("default"))
        cells = f"`{key}`", kind(value), default, value["description"].replace("|", "&#124;")
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def written(value: object) -> str:
    """Return a default as YAML writes it; nothing for none."""
    if value is None:
        return ""
    return f"`{str(value).lower()}`" if isinstance(value, bool) else f"`{value}`"


def kind(value: Schema) -> str:
    """Return in words what a value may be."""
    if "anyOf" in value:
        rest = {key: each for key, each in value.items() if key != "anyOf"}
        return " or ".join(kind(rest | one) for one in value["anyOf"] if one["type"] != "null")
    if "const" in value:
        return f"`{value['const']}`"
    if "enum" in value:
        return ", ".join(f"`{each}`" for each in value["enum"])
    if value["type"] == "array":
        each = value["items"] if "items" in value else value["prefixItems"][0]
        count = f"{value['minItems']} " if "minItems" in value else ""
        many = " or ".join(MANY[one["type"]] for one in each.get("anyOf", [each]))
        return f"list of {count}{many}"
    if value["type"] == "integer" and "minimum" in value:
        least, most = value["minimum"], value.get("maximum")
        return f"whole number, {least} {'or more' if most is None else f'to {most}'}"
    others = {"string": "text", "boolean": "true or false", "integer": "whole number"}
    return {**others, "object": "mapping"}[value["type"]]


NETWORKS = Path(__file__).resolve().parents[1] / "networks"

OF_REGISTERS = """\
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


def registers() -> str:
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
    lines = ["# Registers", "", OF_REGISTERS.rstrip()]
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


NOTEBOOK = Path(__file__).resolve().parent.parent / "docs/howto/own-graph.ipynb"


def cells() -> list[tuple[str, str]]:
    """Return kind, ``markdown`` or ``code``, and text of every cell."""
    found = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return [(cell["cell_type"], "".join(cell["source"])) for cell in found]


def program() -> str:
    """Return the code alone."""
    return "\n\n".join(text for kind, text in cells() if kind == "code")


def notebook() -> str:
    """Return the notebook as Markdown."""
    parts = [text if kind == "markdown" else f"```python\n{text}\n```" for kind, text in cells()]
    title, *rest = parts
    link = f"As a notebook: [{NOTEBOOK.name}]({NOTEBOOK.name})."
    return "\n\n".join((title, link, *rest)) + "\n"
