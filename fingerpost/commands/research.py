"""Commands for research: the papers reproduced, and dense graphs found."""

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from fingerpost.commands.app import AsJson, app
from fingerpost.console import answer, status


@app.command(epilog="Example:  fingerpost reproduce two-phase-1995 --figures build/figures")
def reproduce(
    items: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ITEM]...", help="Items or papers; all if none is named."),
    ] = None,
    figures: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Draw the figures into this directory.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Leave out what takes long, such as SCC_9.")
    ] = False,
    list_items: Annotated[bool, typer.Option("--list", help="List the items, and stop.")] = False,
    as_json: AsJson = False,
) -> None:
    """Compute every table and figure of the papers beside what is printed.

    Exits with status 1 if a cell differs and no correction explains it.
    """
    report = import_module("fingerpost.reproduce.report")
    chosen = report.choose(import_module("fingerpost.reproduce.papers").ITEMS, items or [])
    if list_items:
        answer(
            {"items": [item.name for item in chosen]},
            lambda _: report.render_list(chosen),
            as_json=as_json,
        )
        return
    with status("reproduce") as tell:
        facts = report.facts(chosen, full=not quick, figures=figures, progress=tell)
    answer(facts, report.render, as_json=as_json)
    if facts["unexplained"]:
        raise typer.Exit(1)
