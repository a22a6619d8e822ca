"""`fingerpost new`: a network file to start from, which says what every key means.

It follows from golden's signatures, as the schema does: keys, defaults, and texts.
"""

from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import Any

import yaml
from pydantic.fields import FieldInfo

from fingerpost.golden.parameters import either
from fingerpost.golden.routing import ALGORITHMS
from fingerpost.hdl.emit.locks import locked
from fingerpost.jobs import files
from fingerpost.netfile.derived import (
    ALGORITHM_PARTS,
    FAMILY_PARTS,
    LINK_PARTS,
    ROUTER_PARTS,
    TERMINAL_PARTS,
)
from fingerpost.netfile.examples import EXAMPLES
from fingerpost.netfile.parts import Needs, OneOf, Part

__all__ = ["starting_file", "write"]

FAMILIES = OneOf("family", FAMILY_PARTS).choices

LINKS = "petersen.txt"
"""The list of links of an example of a network of one's own."""

WIDTH = 96


def starting_file(family: str) -> str:
    """Return the text of a network file of a family, of its example parameters and defaults.

    Raises
    ------
    ValueError
        If there is no such family.

    Examples
    --------
    >>> print(starting_file("star").partition("topology:")[2][:64])
    <BLANKLINE>
      family: star
      n: 4  # Symbols. Needs a whole number in 3..9.
    """
    if family not in FAMILIES:
        raise ValueError(f"new needs a family, {either(FAMILIES)}, not {family!r}")
    made_for = [name for name, kind in ALGORITHMS.items() if family in kind.families]
    general = [name for name, kind in ALGORITHMS.items() if not kind.families]
    algorithm, *others = [*made_for, *sorted(general, key=lambda name: name != "table")]
    sections = [("router", ROUTER_PARTS), ("link", LINK_PARTS), ("terminal", TERMINAL_PARTS)]
    lines = [
        "# A network for fingerpost: `fingerpost info FILE` tells what it is.",
        "# What a key is, and what it needs, stands behind it; all families: `fingerpost schema`.",
        f"name: {family}  # it names files and modules",
        *_section("topology", FAMILIES[family], {"family": family}),
        *_section(
            "routing",
            OneOf("algorithm", ALGORITHM_PARTS).choices[algorithm],
            {"algorithm": algorithm},
            f"or {either(others)}",
        ),
    ]
    for title, parts in sections:
        choices = OneOf("kind", parts).choices
        kind, *kinds = choices
        lines += _section(title, choices[kind], {"kind": kind}, f"or {either(kinds)}")
    return "\n".join([*lines, ""])


def _section(title: str, part: type[Part], chosen: dict[str, str], others: str = "") -> list[str]:
    """Return a part of the file: what it is, the choice that it begins with, and its other keys."""
    lines = ["", *wrap(f"# {part.__doc__}", WIDTH, subsequent_indent="# "), f"{title}:"]
    for key, choice in chosen.items():
        lines += _line(f"  {key}: {choice}", others)
    for key, field in part.model_fields.items():
        if key not in chosen:
            lines += _line(*_key(key, field))
    return lines


def _key(key: str, field: FieldInfo) -> tuple[str, str]:
    """Return a key with a value, and what it means."""
    needs = next((note.text for note in field.metadata if isinstance(note, Needs)), "")
    meaning = f"{field.description} Needs {needs}."
    value: Any = field.default
    if key == "file":
        value = LINKS
    elif field.is_required():
        value = (field.examples or [None])[0]
    shown = yaml.safe_dump(value, default_flow_style=True).splitlines()[0]
    # What has no value unless it is given one stands as a comment.
    return f"  # {key}:" if value is None else f"  {key}: {shown}", meaning


def _line(text: str, comment: str) -> Iterator[str]:
    """Yield a key with its comment: behind it, or above it if that is too long."""
    line = f"{text}  # {comment}"
    if not comment:
        yield text
    elif len(line) <= WIDTH:
        yield line
    else:
        yield from wrap(comment, WIDTH, initial_indent="  # ", subsequent_indent="  # ")
        yield text


def write(family: str, path: Path) -> list[Path]:
    """Write the file, and beside it a list of links if the family needs one; return the paths.

    Raises
    ------
    ValueError
        If there is no such family, or the file exists: it may be the user's work.
    """
    texts = {path: starting_file(family)}
    if family == "edge-list" and not (path.parent / LINKS).exists():
        texts[path.parent / LINKS] = (EXAMPLES / LINKS).read_text(encoding="utf-8")
    if not path.exists():
        files.check(path)
    with locked(path):
        if path.exists():
            raise ValueError(f"{path}: is there already; name another file")
        for place, text in texts.items():
            files.write_text(place, text)
    return list(texts)
