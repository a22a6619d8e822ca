"""`fingerpost new`: a network file to start from."""

from pathlib import Path
from typing import Annotated, Any

import typer

from fingerpost.cli import options
from fingerpost.cli.app import command


def _kind(section: str, what: str, usual: str) -> Any:
    return typer.Option(
        metavar="KIND",
        help=what,
        show_default=usual,
        autocompletion=options.one_of("netfile.scaffold", "KINDS", section),
    )


@command("new star -o net.yaml")
def main(
    family: Annotated[
        str,
        typer.Argument(
            metavar="[FAMILY]",
            help="The network family; see the file itself.",
            autocompletion=options.one_of("netfile.scaffold", "FAMILIES"),
        ),
    ] = "borel",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="The file.", show_default="print it"),
    ] = None,
    router: Annotated[
        str | None,
        _kind("router", "Routers: wormhole, with virtual channels, or deflection.", "wormhole"),
    ] = None,
    link: Annotated[
        str | None, _kind("link", "Links: flit, in parallel, or os-link, serial.", "flit")
    ] = None,
    terminal: Annotated[
        str | None,
        _kind("terminal", "Terminals: credit, axi-stream, os-link or mailbox.", "credit"),
    ] = None,
) -> None:
    """Write a network file to start from, with a comment on every key."""
    from fingerpost.netfile.scaffold import starting_file, write

    asked = {"router": router, "link": link, "terminal": terminal}
    kinds = {title: kind for title, kind in asked.items() if kind is not None}
    if output is None:
        print(starting_file(family, **kinds), end="")
        return
    for path in write(family, output, **kinds):
        print(path)
