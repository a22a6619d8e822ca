"""The page of the site that lists the keys of network files, from their JSON schema."""

from typing import Any

from fingerpost.netfile.schema import json_schema

Schema = dict[str, Any]

SECTIONS = "topology", "routing", "router", "link", "terminal", "memory_map", "counters"

CHOOSERS = "family", "algorithm", "kind"
"""Keys whose value chooses what else stands in a section."""

ABOVE = (
    "Generated from the schema that `fingerpost schema` prints. `fingerpost new FAMILY` writes a "
    "file with them. See also [families and algorithms](networks.md)."
)

MANY = {"integer": "whole numbers", "boolean": "true or false", "string": "texts"}
"""What a list may hold, by its type in the schema."""


def page() -> str:
    """Return the page as Markdown."""
    schema = json_schema()
    keys = schema["properties"]
    plain = [key for key in keys if key not in SECTIONS]
    lines = [
        "# Keys of a network file",
        "",
        ABOVE,
        "",
        *table({key: keys[key] for key in plain}, schema["required"]),
    ]
    for section in SECTIONS:
        lines += ["", f"## {section}", "", keys[section]["description"]]
        for title, part in parts(schema, keys[section]):
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
        return f"list of {count}{MANY[each['type']]}"
    if value["type"] == "integer" and "minimum" in value:
        least, most = value["minimum"], value.get("maximum")
        return f"whole number, {least} {'or more' if most is None else f'to {most}'}"
    return {"string": "text", "boolean": "true or false", "integer": "whole number"}[value["type"]]
