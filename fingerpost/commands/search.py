"""`fingerpost search`: dense Cayley graphs."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from fingerpost.cli import options
from fingerpost.cli.app import command
from fingerpost.jobs.console import answer, progress


@command("search --diameter 11 --state search.jsonl")
def main(
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
    cluster: options.Cluster = None,
    state: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="State file, from which an interrupted run resumes."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Search for dense Cayley graphs: the most nodes for a diameter."""
    from fingerpost.search import SPACES, facts, render

    asked = {"p_max": p_max, "p_min": p_min, "max_nodes": max_nodes, "sample": sample}
    given = {key: value for key, value in asked.items() if value is not None}
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
