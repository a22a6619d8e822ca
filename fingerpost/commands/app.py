"""The command line, and what its commands have in common."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from fingerpost.console import status
from fingerpost.netfile import Source, read
from golden.network import Network, Routed
from golden.topology import Topology

__all__ = [
    "LOAD_HELP",
    "AsJson",
    "Cycles",
    "Drain",
    "Net",
    "Seed",
    "WarmUp",
    "app",
    "command",
    "load_network",
    "load_routed",
    "load_topology",
    "prove",
]

app = typer.Typer(
    help="Routers for dense, low-degree networks: Verilog that is compared with a model of the "
    "network, decision by decision and cycle by cycle.\n\nThe commands are in the order of use. "
    "Each has an example in its own [bold]--help[/].",
    epilog="Start with:  fingerpost info networks/borel-21.yaml",
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    add_completion=False,
)

Net = Annotated[
    Path,
    typer.Argument(metavar="NET", help="A network file; - is standard input.", show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same run.")]
Cycles = Annotated[int, typer.Option(min=1, help="Cycles that are measured.")]
WarmUp = Annotated[
    int | None,
    typer.Option(min=0, help="Cycles before the measurement.", show_default="until it is steady"),
]
Drain = Annotated[
    int | None,
    typer.Option(
        min=0, help="Cycles behind it, at most.", show_default="twice --cycles, 5000 at least"
    ),
]
LOAD_HELP = "Flits offered per terminal and cycle."

Command = Callable[..., None]


def command(example: str, *, ignore_unknown_options: bool = False) -> Callable[[Command], Command]:
    """Make a function a command whose help ends with an example."""
    return app.command(
        epilog=f"Example:  fingerpost {example}",
        context_settings={"ignore_unknown_options": ignore_unknown_options},
    )


def load_topology(path: Path) -> tuple[str, Topology]:
    """Load name and topology from a network file, for questions that need no routing."""
    source = read(path)
    return source.file.name, source.topology()


def load_routed(path: Path) -> Routed:
    """Load a network file for questions that need no virtual channels."""
    return read(path).routed()


def load_network(path: Path) -> Network:
    """Load a network file, with the proof that the network cannot deadlock."""
    return prove(read(path))


def prove(source: Source) -> Network:
    """Build a network, with the proof that it cannot deadlock."""
    with status("looking for a channel order (`fingerpost order` prints one to keep)"):
        return source.network()
