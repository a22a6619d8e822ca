"""`fingerpost survey`: networks side by side."""

from pathlib import Path
from typing import Annotated

import typer

from fingerpost.cli import options
from fingerpost.cli.app import command
from fingerpost.jobs.console import answer, note, progress
from fingerpost.jobs.provenance import uses


@command("survey -o survey")
def main(
    nets: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[NET]...",
            help="Network files.",
            show_default="the densest networks that are known here, and others of like size",
        ),
    ] = None,
    output: options.OutputName = None,
    picture: options.Picture = "svg",
    table: options.Table = "csv",
    cluster: options.Cluster = None,
    as_json: options.AsJson = False,
) -> None:
    """Put networks side by side: distances, throughput, virtual channels, and tables."""
    from fingerpost.jobs.files import Output
    from fingerpost.survey import survey as surveys

    files = None if output is None else Output.called(output, picture=picture, table=table)
    entries = [surveys.given(options.read(net)) for net in nets] if nets else surveys.known()
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
