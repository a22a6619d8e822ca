"""`fingerpost examples`: the network files that are shipped, listed and copied."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from fingerpost.cli import options
from fingerpost.cli.app import command
from fingerpost.jobs.console import answer
from fingerpost.jobs.files import check_folder
from fingerpost.netfile.examples import choose, copy


@command("examples -o networks")
def main(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help="Files to list or copy; all if none is named.",
            autocompletion=options.one_of("netfile.examples", "NAMES"),
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="Copy them there.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """List the network files that come with fingerpost, or copy them."""
    chosen = choose(names or ())
    if output is None:
        answer(facts(chosen), render, as_json=as_json)
        return
    check_folder(output)
    copies = [str(path) for path in copy(chosen, output)]
    answer({"files": copies}, lambda _: "\n".join(copies), as_json=as_json)


def facts(chosen: Iterable[Path]) -> dict[str, Any]:
    """Return what each file is.

    Keys
    ----
    examples, files
        Example files: `name`, `what`. With `--output`, instead: paths of the copies.
    """
    texts = {file.stem: file.read_text(encoding="utf-8") for file in chosen}
    return {"examples": [{"name": name, "what": _what(text)} for name, text in texts.items()]}


def render(facts: Mapping[str, Any]) -> str:
    """Return the list as people read it."""
    width = max(len(example["name"]) for example in facts["examples"])
    return "\n".join(f"{each['name']:{width}}  {each['what']}" for each in facts["examples"])


def _what(text: str) -> str:
    """Return the first sentence of the comment on top of a file."""
    comment = re.match(r"(?:#.*\n)*", text)
    words = " ".join(re.findall(r"[^\s#]+", comment[0] if comment else ""))
    return re.split(r"(?<=\.) (?=[A-Z])", words, maxsplit=1)[0].rstrip(".")
