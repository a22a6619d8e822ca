"""`fingerpost new`: a network file to start from, which says what every key means.

It follows from golden's signatures, as the schema does: keys, defaults, and texts.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from textwrap import wrap
from typing import Any

import yaml
from pydantic.fields import FieldInfo

from fingerpost.golden.network.kinds import kind_of
from fingerpost.golden.parameters import either
from fingerpost.golden.routing import ALGORITHMS
from fingerpost.golden.terminal import Axi4Terminal
from fingerpost.hdl.emit.files import locked
from fingerpost.jobs import files
from fingerpost.netfile.schema import (
    ALGORITHM_PARTS,
    FAMILY_PARTS,
    LINK_PARTS,
    REGION,
    ROUTER_PARTS,
    TERMINAL_PARTS,
    Needs,
    OneOf,
    Part,
)

FAMILIES = OneOf("family", FAMILY_PARTS).choices

KINDS = {
    title: OneOf("kind", parts).choices
    for title, parts in (
        ("router", ROUTER_PARTS),
        ("link", LINK_PARTS),
        ("terminal", TERMINAL_PARTS),
    )
}
"""The kinds of each section; the first is that of a file that says nothing."""

LINKS = "petersen.txt"
"""The list of links of an example of a network of one's own."""

WIDTH = 96


def starting_file(family: str, **kinds: str) -> str:
    """Return the text of a network file of a family, of its example parameters and defaults.

    Parameters
    ----------
    family : str
    kinds : str
        The kind of a section of `KINDS`, by its name, where it is not to be the usual one.

    Raises
    ------
    ValueError
        If there is no such family or kind.

    Examples
    --------
    >>> print(starting_file("star").partition("topology:")[2][:64])
    <BLANKLINE>
      family: star
      n: 4  # Symbols. Needs a whole number in 3..9.
    """
    if family not in FAMILIES:
        raise ValueError(f"new needs a family, {either(FAMILIES)}, not {family!r}")
    for title, kind in kinds.items():
        if kind not in KINDS[title]:
            raise ValueError(f"--{title} needs {either(KINDS[title])}, not {kind!r}")
    # Routers that need no routing have links of their own, too.
    network = kind_of({"router": {"kind": kinds["router"]}} if kinds.get("router") else {})
    lines = [
        "# A network for fingerpost: `fingerpost info FILE` tells what it is.",
        "# Comments say what a key is and what it needs. Editors check keys with the schema:",
        "# `fingerpost schema > network.schema.json` writes it beside this file.",
        "# yaml-language-server: $schema=network.schema.json",
        f"name: {family}  # it names files and modules",
        *_section("topology", "family", FAMILIES, family),
        *(_routing(family) if network.has_routes else []),
    ]
    for title, parts in KINDS.items():
        if title == "router" or title in kinds or network.has_routes:
            kind = kinds.get(title) or next(iter(parts))
            others = f"or {either(name for name in parts if name != kind)}"
            lines += _section(title, "kind", parts, kind, others, network.stream_needs)
    if kinds.get("terminal") == Axi4Terminal.kind:
        lines += _memory_map()
    return "\n".join([*lines, ""])


def _memory_map() -> Iterator[str]:
    """Yield the section of a memory map with a region for each node."""
    yield from ("", f"# {REGION.__doc__}", "memory_map:")
    for place, (key, field) in enumerate(REGION.model_fields.items()):
        text, comment = _key(key, field, (field.examples or [None])[0])
        mark = "-" if place == 0 else " "
        yield from _line(f"  {mark} {text.strip()}", comment)


def _routing(family: str) -> list[str]:
    """Return the section of the algorithm that is made for a family, or of tables."""
    made_for = [name for name, kind in ALGORITHMS.items() if family in kind.families]
    general = [name for name, kind in ALGORITHMS.items() if not kind.families]
    first, *others = [*made_for, *sorted(general, key=lambda name: name != "table")]
    choices = OneOf("algorithm", ALGORITHM_PARTS).choices
    return _section("routing", "algorithm", choices, first, f"or {either(others)}")


def _section(
    title: str,
    name: str,
    parts: Mapping[str, type[Part]],
    choice: str,
    others: str = "",
    given: Mapping[str, str] | None = None,
) -> list[str]:
    """Return a part of the file: what it is, the choice that it begins with, and its other keys."""
    part = parts[choice]
    lines = ["", *wrap(f"# {part.__doc__}", WIDTH, subsequent_indent="# "), f"{title}:"]
    lines += _line(f"  {name}: {choice}", others)
    for key, field in part.model_fields.items():
        if key != name:
            lines += _line(*_key(key, field, (given or {}).get(key)))
    return lines


def _key(key: str, field: FieldInfo, given: Any) -> tuple[str, str]:
    """Return a key with what is given or another value, and what it means."""
    needs = next((note.text for note in field.metadata if isinstance(note, Needs)), "")
    meaning = f"{field.description} Needs {needs}."
    value: Any = field.default if given is None else given
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
        indent = f"{text[: len(text) - len(text.lstrip())]}# "
        yield from wrap(comment, WIDTH, initial_indent=indent, subsequent_indent=indent)
        yield text


def write(family: str, path: Path, **kinds: str) -> list[Path]:
    """Write the file, and beside it a list of links if the family needs one; return the paths.

    Raises
    ------
    ValueError
        If there is no such family or kind, or the file exists: it may be the user's work.
    """
    texts = {path: starting_file(family, **kinds)}
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


EXAMPLES = Path(__file__).parents[1] / "networks"
"""The folder of the files: inside the installed package, in a checkout a link to networks/."""

NAMES = sorted(file.stem for file in EXAMPLES.glob("*.yaml"))
"""The names of the network files."""


def choose(names: Iterable[str] = ()) -> list[Path]:
    """Return the network files of these names; all of them without a name.

    Raises
    ------
    ValueError
        If there is none of a name.
    """
    chosen = [Path(name).name.removesuffix(".yaml") for name in names] or NAMES
    for name in chosen:
        if name not in NAMES:
            raise ValueError(
                f"examples needs a name that `fingerpost examples` lists, not {name!r}"
            )
    return [EXAMPLES / f"{name}.yaml" for name in chosen]


def copy(chosen: Iterable[Path], folder: Path) -> list[Path]:
    """Copy network files, and the files that they name; return where they are.

    Raises
    ------
    ValueError
        If another file has the name of one: it may be the user's work.
    """
    needed = list(dict.fromkeys(each for file in chosen for each in (file, *_named(file))))
    contents = {folder / file.name: file.read_text(encoding="utf-8") for file in needed}
    for path, text in contents.items():
        if path.exists() and (not path.is_file() or path.read_text(encoding="utf-8") != text):
            raise ValueError(f"{path}: is there already, and differs; name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in contents.items():
        files.write_text(path, text)
    return list(contents)


def _named(file: Path) -> Iterator[Path]:
    """Find the file that an edge list is in."""
    name = yaml.safe_load(file.read_text(encoding="utf-8"))["topology"].get("file")
    if name is not None:
        yield file.parent / name
