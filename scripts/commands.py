"""The page of the site that lists the commands and their options, from the command line itself."""

from html import escape
from typing import Any

import typer

from fingerpost.cli.app import TASKS, loaded

ABOVE = "Generated from the texts of `fingerpost COMMAND --help`."


def page() -> str:
    """Return the page as Markdown: a section for each command, in the order of use."""
    lines = ["# Commands", "", ABOVE]
    for name in (name for names in TASKS.values() for name in names):
        lines += ["", f"## {name}", "", *about(name, loaded(name))]
    return "\n".join(lines) + "\n"


def about(name: str, command: Any) -> list[str]:
    """Return what a command does, its arguments and options as a table, and its example."""
    context = typer.Context(command, info_name=name)
    records = (each.get_help_record(context) for each in command.params)
    rows = [
        f"| <code>{cell(names)}</code> | {cell(text)} |" for names, text in filter(None, records)
    ]
    example = " ".join((command.epilog or "").split()).removeprefix("Example: ")
    return [
        " ".join(command.help.split()),
        "",
        *(["| argument or option | meaning |", "|---|---|", *rows] if rows else []),
        *(["", "```", example, "```"] if example else []),
    ]


def cell(text: str) -> str:
    """Return a text as the cell of a table."""
    return escape(" ".join(text.split()), quote=False).replace("|", "&#124;")
