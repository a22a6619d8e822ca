"""`fingerpost reproduce`: every table and figure of the papers, cell by cell."""

import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import typer

from fingerpost.cli import options
from fingerpost.cli.app import command, option
from fingerpost.jobs.console import aligned, answer, status
from fingerpost.jobs.files import check_folder
from fingerpost.papers.items import Item
from fingerpost.papers.items import items as known

VERDICTS = ("equal", "explained", "unexplained")


@command("reproduce two-phase-1995 --figures build/figures")
def main(
    items: list[str] | None = typer.Argument(
        None, metavar="[ITEM]...", help="Items or papers; all if none is named."
    ),
    figures: Path | None = option(None, "Draw the figures into this directory.", "DIR"),
    quick: bool = option(False, "Leave out what takes long, such as SCC_9."),
    list_items: bool = option(False, "List the items, and stop.", called="--list"),
    as_json: options.AsJson = False,
) -> None:
    """Compute every table and figure of the papers beside what is printed.

    Exits with status 1 if a cell differs and no correction explains it.
    """
    chosen = choose(known(), items or [])
    if list_items:
        answer(
            {"items": [item.name for item in chosen]},
            lambda _: render_list(chosen),
            as_json=as_json,
        )
        return
    if figures is not None:
        check_folder(figures)
    with status("reproduce") as tell:
        found = facts(chosen, full=not quick, figures=figures, progress=tell)
    answer(found, render, as_json=as_json)
    if found["unexplained"]:
        raise typer.Exit(1)


def choose(items: Sequence[Item], wanted: Sequence[str]) -> list[Item]:
    """Return the items that are named; a name may be a paper, or have ``*`` in it.

    Raises
    ------
    ValueError
        If a name fits none.
    """
    for name in wanted:
        if not any(_fits(item, name) for item in items):
            known = ", ".join(item.name for item in items)
            raise ValueError(f"reproduce needs items among {known}, or a paper, not {name!r}")
    return [item for item in items if not wanted or any(_fits(item, name) for name in wanted)]


def _fits(item: Item, name: str) -> bool:
    return fnmatchcase(item.name, name) or item.name.startswith(f"{name}/")


def facts(
    items: Sequence[Item],
    *,
    full: bool = True,
    figures: Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Compute the cells of items, and draw their figures into a directory.

    Keys
    ----
    seconds
    full
        Whether slow items were computed.
    equal, explained, unexplained : cells
        As printed; different with a correction; different without one.
    items
        `item`, `title`, the three counts, `seconds`, `figure`, `cells` (`row`, `column`, `printed`,
        `ours`, `verdict`, `reason`). With `--list` the only key.
    """
    tell = progress or (lambda _: None)
    found: list[dict[str, Any]] = []
    if figures is not None:
        figures.mkdir(parents=True, exist_ok=True)
    for item in items:
        tell(item.name)
        started = time.perf_counter()
        cells = list(item.cells(full))
        drawn = None
        if figures is not None and item.draw is not None:
            drawn = figures / f"{re.sub(r'[^a-z0-9-]', '-', item.name)}.svg"
            item.draw(drawn)
        found.append(
            {
                "item": item.name,
                "title": item.title,
                **{name: sum(cell.verdict == name for cell in cells) for name in VERDICTS},
                "seconds": time.perf_counter() - started,
                "figure": None if drawn is None else str(drawn),
                "cells": [
                    {
                        "row": cell.row,
                        "column": cell.column,
                        "printed": cell.printed,
                        "ours": cell.ours,
                        "verdict": cell.verdict,
                        "reason": cell.reason if cell.verdict == "explained" else "",
                    }
                    for cell in cells
                ],
            }
        )
    total = {verdict: sum(item[verdict] for item in found) for verdict in VERDICTS}
    return {
        "full": full,
        **total,
        "seconds": sum(item["seconds"] for item in found),
        "items": found,
    }


def render(facts: Mapping[str, Any]) -> str:
    """Return the tables, printed beside ours; then the counts of every item."""
    lines: list[str] = []
    for item in facts["items"]:
        rows = [("", "column", "printed", "ours", "")]
        for cell in item["cells"]:
            remark = "" if cell["verdict"] == "equal" else f"{cell['verdict']}: {cell['reason']}"
            rows.append((cell["row"], cell["column"], cell["printed"], shown(cell), remark))
        lines += [f"{item['item']}: {item['title']}", *_table(rows, (0, 1, 4))]
        if item["figure"]:
            lines.append(f"  drawn into {item['figure']}")
        lines.append("")
    rows = [("item", *VERDICTS, "seconds")]
    for item in [*facts["items"], {"item": "total", **facts}]:
        counts = (str(item[verdict]) for verdict in VERDICTS)
        rows.append((item["item"], *counts, f"{item['seconds']:.1f}"))
    return "\n".join([*lines, *_table(rows, (0,))])


def _table(rows: Sequence[Sequence[str]], left: Collection[int]) -> list[str]:
    return [f"  {line}".rstrip(" :") for line in aligned(rows, left=left)]


def shown(cell: Mapping[str, Any]) -> str:
    """Return our value, to one digit more than is printed."""
    ours, printed = cell["ours"], cell["printed"]
    if not isinstance(ours, float):
        return str(ours)
    digits = len(printed.partition(".")[2]) + 1
    return f"{ours:.{digits}f}"


def render_list(items: Sequence[Item]) -> str:
    """Return the names and titles of items."""
    return "\n".join(_table([(item.name, item.title) for item in items], (0, 1)))
