"""Commands to start with."""

from pathlib import Path
from typing import Annotated

import typer

from fingerpost.cli.commands.app import AsJson, Folder, command
from fingerpost.jobs.console import answer
from fingerpost.jobs.files import check_folder

Kind = Annotated[
    str | None,
    typer.Option(metavar="KIND", help="The kind of this section.", show_default="the usual one"),
]


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
        typer.Argument(metavar="[NAME]...", help="Files to list or copy; all if none is named."),
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
        str, typer.Argument(metavar="[FAMILY]", help="The network family; see the file itself.")
    ] = "borel",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="The file.", show_default="print it"),
    ] = None,
    router: Kind = None,
    link: Kind = None,
    terminal: Kind = None,
) -> None:
    """Write a network file to start from, with a comment behind every key."""
    from fingerpost.netfile.scaffold import starting_file, write

    asked = {"router": router, "link": link, "terminal": terminal}
    kinds = {title: kind for title, kind in asked.items() if kind is not None}
    if output is None:
        print(starting_file(family, **kinds), end="")
        return
    for path in write(family, output, **kinds):
        print(path)
