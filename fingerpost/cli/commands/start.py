"""Commands to start with."""

from pathlib import Path
from typing import Annotated, Any

import typer

from fingerpost.cli.commands.app import AsJson, Folder, command, one_of
from fingerpost.jobs.console import answer
from fingerpost.jobs.files import check_folder


def _kind(section: str, what: str, usual: str) -> Any:
    return typer.Option(
        metavar="KIND",
        help=what,
        show_default=usual,
        autocompletion=one_of("netfile.scaffold", "KINDS", section),
    )


@command("demo -o build/demo")
def demo(
    output: Folder = Path("build/demo"),
) -> None:
    """Show one network end to end: model, Verilog, co-simulation; about a quarter of a minute."""
    from fingerpost.cli.demo import main

    check_folder(output)
    status = main(output)
    if status:
        raise typer.Exit(status)


@command("examples -o networks")
def examples(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help="Files to list or copy; all if none is named.",
            autocompletion=one_of("netfile.examples", "NAMES"),
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="Copy them there.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the network files that come with fingerpost, or copy them."""
    from fingerpost.netfile.examples import choose, copy, facts, render

    chosen = choose(names or ())
    if output is None:
        answer(facts(chosen), render, as_json=as_json)
        return
    check_folder(output)
    copies = [str(path) for path in copy(chosen, output)]
    answer({"files": copies}, lambda _: "\n".join(copies), as_json=as_json)


@command("new star -o net.yaml")
def new(
    family: Annotated[
        str,
        typer.Argument(
            metavar="[FAMILY]",
            help="The network family; see the file itself.",
            autocompletion=one_of("netfile.scaffold", "FAMILIES"),
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
