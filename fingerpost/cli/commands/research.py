"""Commands for research: the papers reproduced, and dense graphs found."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from fingerpost.cli.commands.app import (
    AsJson,
    Cluster,
    OutputName,
    Picture,
    Table,
    command,
    read,
)
from fingerpost.jobs.console import answer, note, progress, status
from fingerpost.jobs.files import check_folder
from fingerpost.jobs.provenance import uses


@command("reproduce two-phase-1995 --figures build/figures")
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
    from fingerpost.papers import papers, report

    chosen = report.choose(papers.ITEMS, items or [])
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
    diameter: Annotated[int, typer.Option(help="The greatest allowed diameter.")],
    family: Annotated[
        Literal["borel", "metacyclic", "metacyclic-digraph", "metacyclic-cubic"],
        typer.Option(help="The graphs to search."),
    ] = "borel",
    p_max: Annotated[
        int | None,
        typer.Option(help="Borel graphs: the largest prime p to try.", show_default="1000"),
    ] = None,
    p_min: Annotated[int | None, typer.Option(help="The smallest.", show_default="2")] = None,
    max_nodes: Annotated[
        int | None,
        typer.Option(
            help="Metacyclic groups: the most nodes to try.", show_default="the Moore bound"
        ),
    ] = None,
    min_nodes: Annotated[
        int | None,
        typer.Option(
            help="Find all graphs with at least this many nodes.",
            show_default="those with the most nodes",
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Metacyclic groups: random graphs to try of each.",
            show_default="all",
        ),
    ] = None,
    score: Annotated[
        Literal["mean-distance", "load", "channels"] | None,
        typer.Option(
            help="Rank by mean distance, load of the busiest link, or virtual channels (of "
            "vertex-transitive routing; degree 4 only).",
            show_default="by nodes",
        ),
    ] = None,
    cluster: Cluster = None,
    state: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="State file, from which an interrupted run resumes."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Search for dense Cayley graphs: the most nodes for a diameter."""
    from fingerpost.search import SPACES, facts, render

    options = {"p_max": p_max, "p_min": p_min, "max_nodes": max_nodes, "sample": sample}
    given = {key: value for key, value in options.items() if value is not None}
    for key in given:
        if not hasattr(SPACES[family], key):
            *most, last = (name for name, space in SPACES.items() if hasattr(space, key))
            families = f"{', '.join(most)} and {last}" if most else last
            option = key.replace("_", "-")
            raise ValueError(f"--{option}: is for --family {families}, not {family}")
    with progress("searching") as tell:
        found = facts(
            diameter=diameter,
            family=family,
            min_nodes=min_nodes,
            **given,
            cluster=cluster,
            state=state,
            score=score,
            progress=tell,
        )
    answer(found, render, as_json=as_json)


@command("survey -o survey")
def survey(
    nets: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[NET]...",
            help="Network files.",
            show_default="the densest networks that are known here, and others of like size",
        ),
    ] = None,
    output: OutputName = None,
    picture: Picture = "svg",
    table: Table = "csv",
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Put networks side by side: distances, throughput, virtual channels, and tables."""
    from fingerpost.jobs.files import Output
    from fingerpost.survey import survey as surveys

    files = None if output is None else Output.called(output, picture=picture, table=table)
    entries = [surveys.given(read(net)) for net in nets] if nets else surveys.known()
    if not nets:
        note(
            f"surveys {len(entries)} networks on all cores: some three minutes of processor time; "
            "Ctrl-C ends it" + ("" if output is None else ", and the same command resumes it")
        )
    for entry in entries:
        uses(entry.description)
    with progress("surveying") as tell:
        rows = surveys.survey(
            entries,
            cluster=cluster,
            state=None if files is None else files.state,
            progress=tell,
        )
    found = surveys.facts(rows)
    answer(found, surveys.render, as_json=as_json)
    if files is not None:
        for file in surveys.save(found, files):
            note(f"wrote {file}")
