"""The slowest path of a design that nextpnr has placed and routed."""

import re
from collections.abc import Mapping
from itertools import groupby
from typing import Any

__all__ = ["slowest"]


def slowest(report: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the slowest path from register to register; None if there is none.

    It is the only one that a report has.
    """
    path: list[dict[str, Any]] = max(
        (
            path["path"]
            for path in report["critical_paths"]
            if all(path[end].startswith(("posedge", "negedge")) for end in ("from", "to"))
        ),
        key=_delay,
        default=[],
    )
    return _facts(path) if path else None


def _facts(path: list[dict[str, Any]]) -> dict[str, Any]:
    routing = [step for step in path if step["type"] == "routing"]
    cells = [_short(step["to"]["cell"]) for step in path]
    return {
        "from": _short(path[0]["from"]["cell"]),
        "to": cells[-1],
        "levels": sum(step["type"] == "logic" for step in path),
        "logic_ns": _delay(path) - _delay(routing),
        "routing_ns": _delay(routing),
        "cells": [name for name, _ in groupby(cells)],
    }


def _delay(steps: list[dict[str, Any]]) -> float:
    return sum(float(step["delay"]) for step in steps)


def _short(cell: str) -> str:
    """Return the name of a cell without what synthesis has hung on it."""
    hung = r"_(?:LUT4|CCU2C|TRELLIS|PFUMX|L6MUX21|SB)_?|\$CCU2"
    return re.sub(r"^(?:inside\.)?(?:router\.)?", "", re.split(hung, cell, maxsplit=1)[0])
