"""What Yosys has made of a module: a netlist as JSON, and the cells in it."""

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["Cell", "cells", "count"]

Cell = tuple[str, str]
"""Its name, with dots between the submodules that it is in, and its type."""


def cells(netlist: Mapping[str, Any], module: str, inside: str = "") -> Iterator[Cell]:
    """Return the cells of a module, those of the modules in it too."""
    modules = netlist["modules"]
    for name, cell in modules[module]["cells"].items():
        kind = cell["type"]
        # A LUT or a flip-flop is a module, too: one without contents.
        if kind in modules and not int(modules[kind].get("attributes", {}).get("blackbox", "0"), 2):
            yield from cells(netlist, kind, f"{inside}{name}.")
        elif kind != "$scopeinfo":
            yield f"{inside}{name}", kind


def count(found: Iterator[Cell] | list[Cell], beginning: str) -> int:
    """Return how many of the cells are of a type that begins so; of none if it is empty."""
    return sum(bool(beginning) and kind.startswith(beginning) for _, kind in found)
