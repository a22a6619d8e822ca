"""Answers on standard output, everything else on standard error."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from typing import Any

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

__all__ = ["answer", "note", "print_json", "progress", "status", "stdout_to_stderr"]


def _plain(value: Any) -> Any:
    """Return numpy arrays and numbers as JSON knows them."""
    return value.tolist()


def print_json(facts: Mapping[str, Any], *, indent: int | None = None) -> None:
    """Print one JSON object."""
    print(json.dumps(facts, default=_plain, allow_nan=False, indent=indent))


def answer(
    facts: Mapping[str, Any],
    render: Callable[[Mapping[str, Any]], RenderableType],
    *,
    as_json: bool,
) -> None:
    """Print the facts: as one JSON object, or as people read them."""
    if as_json:
        print_json(facts)
    else:
        Console(highlight=False, markup=False, soft_wrap=True).print(render(facts))


def note(message: str) -> None:
    """Print one line for the user on standard error."""
    print("fingerpost:", " ".join(message.split()), file=sys.stderr)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar while something runs that calls back with (done, to do)."""
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def status(what: str) -> Iterator[Callable[[str], None]]:
    """Show what is going on while something runs that calls back with its present step."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda step: None
        return
    with console.status(what) as spinner:
        yield lambda step: spinner.update(f"{what}: {step}")


@contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """Send what tools print, simulators and compilers too, to standard error."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
