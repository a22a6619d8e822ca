"""The command that makes a page to look at."""

from pathlib import Path
from typing import Annotated

import typer

from fingerpost.cli.commands.app import (
    Nets,
    TrafficOption,
    command,
    prove_any,
    prove_if_small,
    read,
    sent_as,
    tell_faults,
)
from fingerpost.jobs import files
from fingerpost.jobs.console import note, status, stdout_to_stderr


@command("report networks/borel-21.yaml networks/star-4.yaml -o build/report")
def report(
    nets: Nets,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="DIR", help="The directory, or the FILE.html."),
    ],
    sweep: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE.json", help="JSON of `sweep -o`.", show_default="none"),
    ] = None,
    cost: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Output of `cost --json`.", show_default="none"),
    ] = None,
    cosim: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Output of `cosim --json`.", show_default="none"),
    ] = None,
    formal: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="JSON of `make formal`.", show_default="none"),
    ] = None,
    mutation: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="JSON of `make mutate`.", show_default="none"),
    ] = None,
    traffic: TrafficOption = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full",
            help="Measure what no file gives: a short sweep, co-simulation, area and clock "
            "frequency; prove networks of any size.",
        ),
    ] = False,
) -> None:
    """Make one HTML page about a network, or about several side by side.

    It is self-contained: pictures, routes to choose, loads, the deadlock proof, and stored answers
    of other commands.
    """
    from fingerpost import report as pages
    from fingerpost.answers import saved_answers as stored
    from fingerpost.answers.saved_answers import Given
    from fingerpost.golden.network.network import Routed

    files.check_folder(output.parent if output.suffix == ".html" else output)
    sources = [read(net) for net in nets]
    names = [source.file.name for source in sources]
    path = pages.place(output, names)
    pattern = sent_as(traffic, None, None)[0]
    given = Given(
        stored.curves(sweep or (), names),
        stored.by_network("cost", cost or (), names),
        stored.by_network("cosim", cosim or (), names),
    )
    proofs = stored.rows("formal", formal or ())
    mutants = stored.rows("mutation", mutation or ())  # all read before what may take long
    networks: list[Routed] = []
    if full:
        from fingerpost.report.full import full as measured

        proven = [prove_any(source) for source in sources]
        networks += proven
        with stdout_to_stderr(), status("measuring") as tell:
            place = path.parent / "measured"
            given = measured(proven, given, pattern=pattern, directory=place, tell=tell, warn=note)
    else:
        networks += [prove_if_small(source) for source in sources]
    for network in networks:
        tell_faults(network.topology)
    with status("report") as tell:
        text = pages.text(
            networks,
            pattern=pattern,
            sweeps=given.sweeps,
            costs=given.costs,
            runs=given.runs,
            formal=proofs,
            mutation=mutants,
            tell=tell,
        )
    pages.write(path, text)
    note(f"wrote {path}, {len(text.encode()) / 1e6:.1f} MB")
    lacking = [
        command if len(some) == len(names) else f"{command} of {' and '.join(some)}"
        for command, some in given.lacking(names).items()
        if some
    ]
    if lacking and not full:
        note(f"not on the page: {', '.join(lacking)}; --full runs them")
