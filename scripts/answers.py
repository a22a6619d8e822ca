"""The page of the site that lists the keys of answers as JSON, from docstrings."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from inspect import getdoc
from types import ModuleType
from typing import Any

from fingerpost import commands, search, soak
from fingerpost.commands import (
    board,
    cosim,
    files,
    info,
    loads,
    order,
    prove,
    reproduce,
    route,
    simulate,
    survive,
)
from fingerpost.cost import cost, estimate
from fingerpost.survey import survey
from fingerpost.sweeps import sweep

Described = Callable[..., Any] | ModuleType

COMMON: Described = commands
"""Its docstring has the keys that several answers have."""

ANSWERS: dict[str, tuple[Described, ...]] = {
    "examples": (files.facts,),
    "info": (info.facts, estimate.facts),
    "route": (route.facts,),
    "loads": (loads.facts,),
    "survive": (survive.facts, survive.copies_facts),
    "simulate": (simulate.facts,),
    "sweep": (sweep.Swept,),
    "soak": (soak.facts,),
    "cosim": (cosim.facts,),
    "cost": (cost.facts,),
    "board": (board.facts,),
    "order": (order.facts,),
    "prove": (prove.facts, prove.rtl_facts, prove.of_deflection),
    "reproduce": (reproduce.facts,),
    "search": (search.facts,),
    "survey": (survey.facts,),
}
"""What makes the answer of each command; section *Keys* of its docstring has the keys."""


@dataclass(frozen=True)
class Entry:
    """Keys that are described together."""

    names: tuple[str, ...]
    """`a.b` is key b of the objects under key a."""
    unit: str = ""
    meaning: str = ""
    """Both empty if `COMMON` has them."""


def page() -> str:
    """Return the page as Markdown: the docstring in common, then a section for each command."""
    above = (getdoc(COMMON) or "").partition("\nKeys\n")[0].partition("\n\n")[2].strip()
    lines = ["# Answers as JSON", "", above, "", *listed(entries(COMMON))]
    for command, makers in ANSWERS.items():
        found = [entry for maker in makers for entry in entries(maker)]
        lines += ["", f"## {command}", ""]
        lines += listed([entry for entry in found if entry.meaning])
    return "\n".join(lines) + "\n"


def entries(maker: Described) -> list[Entry]:
    """Return the section *Keys* of a docstring: `names : unit`, then the meaning, indented."""
    section = (getdoc(maker) or "").partition("\nKeys\n----\n")[2].partition("\n\n")[0]
    found: list[Entry] = []
    for head, body in re.findall(r"^(\S.*)\n?((?: +.*\n?)*)", section, flags=re.M):
        names, _, unit = head.partition(" : ")
        found.append(Entry(tuple(names.split(", ")), unit, " ".join(body.split())))
    return found


def listed(rows: list[Entry]) -> list[str]:
    """Return entries as a list."""
    return [
        f"- {', '.join(f'`{name}`' for name in row.names)}{f' ({row.unit})' if row.unit else ''}: "
        f"{row.meaning}"
        for row in rows
    ]
