"""The command that makes a page to look at."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from fingerpost import files
from fingerpost.commands.app import Nets, command, prove_if_small, read, tell_faults
from fingerpost.commands.traffic import TrafficOption, sent_as
from fingerpost.console import note, status


@command("report networks/borel-21.yaml networks/star-4.yaml -o build/report")
def report(
    nets: Nets,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="DIR", help="The folder that the page goes into."),
    ],
    sweep: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE.json", help="What `sweep -o` has stored.", show_default="none"),
    ] = None,
    cost: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="What `cost --json` has printed.", show_default="none"),
    ] = None,
    cosim: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="What `cosim --json` has printed.", show_default="none"),
    ] = None,
    formal: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="What `make formal` has written.", show_default="none"),
    ] = None,
    mutation: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="What `make mutate` has written.", show_default="none"),
    ] = None,
    traffic: TrafficOption = None,
) -> None:
    """Make one HTML page about a network, or about several side by side.

    It needs no other file and no network: pictures, routes to choose, loads, deadlock, and what
    other commands have stored.
    """
    from fingerpost import report as pages
    from fingerpost import stored

    files.check_folder(output)
    sources = [read(net) for net in nets]
    names = [source.file.name for source in sources]
    path = pages.place(output, names)
    page = partial(
        pages.text,
        pattern=sent_as(traffic, None, None)[0],
        sweeps=stored.curves(sweep or (), names),
        costs=stored.by_network("cost", cost or (), names),
        runs=stored.by_network("cosim", cosim or (), names),
        formal=stored.rows("formal", formal or ()),
        mutation=stored.rows("mutation", mutation or ()),
    )  # before the proofs, which may take long
    networks = [prove_if_small(source) for source in sources]
    for network in networks:
        tell_faults(network.topology)
    with status("report") as tell:
        text = page(networks, tell=tell)
    pages.write(path, text)
    note(f"wrote {path}, {len(text.encode()) / 1e6:.1f} MB")
