"""Commands for research: the papers reproduced, and dense graphs found."""

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from fingerpost.commands.app import AsJson, app, command
from fingerpost.console import answer, progress, status
from fingerpost.files import check_folder


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
    if figures is not None:
        check_folder(figures)
    with status("reproduce") as tell:
        facts = report.facts(chosen, full=not quick, figures=figures, progress=tell)
    answer(facts, report.render, as_json=as_json)
    if facts["unexplained"]:
        raise typer.Exit(1)


@command("search --diameter 11 --state search.jsonl")
def search(
    diameter: Annotated[int, typer.Option(help="The greatest diameter that is allowed.")],
    p_max: Annotated[int, typer.Option(help="The largest prime p to try.")] = 1000,
    p_min: Annotated[int, typer.Option(help="The smallest.")] = 2,
    min_nodes: Annotated[
        int | None,
        typer.Option(
            help="Find all graphs with as many nodes.", show_default="those with the most nodes"
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="tcp://HOST:PORT",
            help="A Dask scheduler to work with.",
            show_default="all cores of this machine",
        ),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Keep what is done here, to go on after an interruption."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Search for dense Borel Cayley graphs: the most nodes for a diameter."""
    module = import_module("fingerpost.search")
    with progress("searching") as tell:
        facts = module.facts(
            diameter=diameter,
            p_max=p_max,
            p_min=p_min,
            min_nodes=min_nodes,
            cluster=cluster,
            state=state,
            progress=tell,
        )
    answer(facts, module.render, as_json=as_json)
