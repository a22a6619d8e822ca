"""Mutants that live, and why: a file that is wrong as soon as one of them is found."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

__all__ = ["FILE", "Explained", "read"]

FILE = Path(__file__).with_name("explained.yaml")


class Explained(NamedTuple):
    """Mutants of one network that live for one reason."""

    network: str
    mutants: tuple[str, ...]
    because: str


def read(file: Path = FILE) -> tuple[Explained, ...]:
    """Return what the file has.

    Raises
    ------
    ValueError
        If an entry lacks something, or has something besides.
    """
    text = file.read_text(encoding="utf-8")
    found: Iterable[Mapping[str, Any]] = yaml.load(text, yaml.CSafeLoader) or []
    for entry in found:
        if set(entry) != set(Explained._fields):
            names = ", ".join(Explained._fields)
            raise ValueError(f"{file.name} needs {names} in each entry, not {', '.join(entry)}")
    return tuple(
        Explained(entry["network"], tuple(entry["mutants"]), entry["because"]) for entry in found
    )
