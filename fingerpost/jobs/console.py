"""Answers on standard output, everything else on standard error."""

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TYPE_CHECKING, Any

from fingerpost.hdl.lib.text import printable
from fingerpost.jobs.provenance import KEY, provenance

if TYPE_CHECKING:  # most answers are text, and no bar is drawn without a terminal
    from rich.console import RenderableType
    from rich.table import Table

SCHEMA = 1
"""The version of the keys of answers, see `fingerpost.commands`; a new one breaks programs."""

WIDE = 1000
"""Columns where there is no terminal: programs read lines better that are not broken."""

HOUR, DAY, YEAR = 3600, 86_400, 31_557_600

MOST = 10**18
"""Things to do: more would take for ever too, and may be more than a float can be."""

COMPILING = "compiling the model, some ten seconds once"

JUDGED = 2
"""Seconds after which the speed of a job gives an estimate of its duration."""


def plain_table(*columns: str, right: Sequence[str] = ()) -> "Table":
    """Return a table without lines, in which some columns are flush right."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2), header_style="")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left")
    return table


def aligned(rows: Sequence[Sequence[str]], *, left: Collection[int] = (0,)) -> list[str]:
    """Return rows as lines that may be wider than a page, with columns of one width.

    Columns are flush right, but those of the numbers `left`.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            text.ljust(width) if place in left else text.rjust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


Columns = Mapping[str, str | Callable[[Any], object]]
"""What stands under each heading: the value of a key, a format of the row, or what a function
returns of it."""


def cells(columns: Columns, rows: Iterable[Any], *, none: str = "none") -> list[list[str]]:
    """Return rows as texts, and instead of None what says so."""

    def cell(what: str | Callable[[Any], object], row: Any) -> str:
        if isinstance(what, str) and "{" in what:
            return what.format_map(row)
        value = row[what] if isinstance(what, str) else what(row)
        return none if value is None else str(value)

    return [[cell(what, row) for what in columns.values()] for row in rows]


def shown(value: float | None, digits: int) -> str:
    """Return a number with so many digits behind the point, or that there is none."""
    return "none" if value is None else f"{value:.{digits}f}"


def fixed(key: str, digits: int) -> Callable[[Any], str]:
    """Return what is under a heading: the number of a key, `shown` with so many digits."""
    return lambda row: shown(row[key], digits)


def overview(values: Mapping[str, object] | Iterable[tuple[str, object]]) -> "Table":
    """Return a table of names and values."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    for name, value in values.items() if isinstance(values, Mapping) else values:
        table.add_row(name, str(value))
    return table


def print_json(facts: Mapping[str, Any], *, indent: int | None = None) -> None:
    """Print one JSON object; numpy arrays and numbers are lists and numbers."""
    print(json.dumps(facts, default=lambda value: value.tolist(), allow_nan=False, indent=indent))


def answer(
    facts: Mapping[str, Any],
    render: Callable[[Mapping[str, Any]], "RenderableType"],
    *,
    as_json: bool,
) -> None:
    """Print the facts: as one JSON object, or as people read them."""
    if as_json:
        print_json({"schema": SCHEMA, KEY: provenance(), **facts})
    else:
        shape = render(facts)
        for line in (shape if isinstance(shape, str) else _drawn(shape)).splitlines():
            print(line.rstrip())  # rich pads the cells of a table


def _drawn(shape: "RenderableType") -> str:
    """Return what rich makes of tables."""
    from rich.console import Console

    console = Console(highlight=False, markup=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = WIDE
    with console.capture() as captured:
        console.print(shape)
    return captured.get()


def note(message: str) -> None:
    """Print one line for the user on standard error, if that can be written."""
    with suppress(OSError):
        print("fingerpost:", printable(" ".join(message.split())), file=sys.stderr)


def forewarn(seconds: float) -> None:
    """Say so on standard error if a job is going to take hours."""
    seconds = min(seconds, MOST)
    for unit, name in ((YEAR, "years"), (DAY, "days"), (HOUR, "hours")):
        if seconds >= 2 * unit or unit == HOUR <= seconds:
            note(f"this takes about {seconds / unit:,.0f} {name}; Ctrl-C ends it")
            return


WAIT, LONGEST = 10.0, 60.0
"""Seconds until the first line about a job without a terminal, and at most between lines."""


@contextmanager
def _unwatched(state: Callable[[], str]) -> Iterator[Callable[..., None]]:
    """Tell now and then, on a line of its own, what is going on: there is no terminal for a bar."""
    began, stop = time.monotonic(), threading.Event()

    def tell() -> None:
        wait = WAIT
        while not stop.wait(wait):
            note(f"{state()}{time.monotonic() - began:.0f} s")
            wait = min(2 * wait, LONGEST)

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield lambda *drawn: None
    finally:
        stop.set()
        teller.join()


class _Pace:
    """Judges from how far a job has come how long it takes, and says so once if it is long.

    Attributes
    ----------
    left : float, optional
        Seconds that are left, once that is known.
    """

    def __init__(self) -> None:
        self.start: tuple[float, int] | None = None
        self.judged, self.total = False, 0
        self.left: float | None = None

    def tell(self, done: int, total: int) -> None:
        if total != self.total:  # another part of the job
            self.start, self.judged, self.total, self.left = None, False, total, None
        now = time.monotonic()
        began, first = self.start = self.start or (now, done)
        if done > first:
            self.left = (now - began) * ((total - done) / (done - first))
        if not self.judged and now - began > JUDGED and self.left is not None:
            self.judged = True
            forewarn(self.left)


@contextmanager
def progress(
    what: str, *, compiles: Callable[[], bool] = lambda: False
) -> Iterator[Callable[[int, int], None]]:
    """Show a bar while something runs that calls back with (done, to do).

    Without a terminal it is a line now and then, with an estimate of the time that is left. If it
    is going to take hours, it says so after a few seconds, with or without one. Until it first
    calls back, it is being prepared.

    Parameters
    ----------
    compiles : callable
        Returns whether the job begins with a compilation.
    """
    pace = _Pace()
    now, share = f"{what}: preparing", ""

    def tell(done: int, total: int) -> None:
        nonlocal now, share
        total = min(total, MOST)
        now = f"{what}: {COMPILING}" if not done and compiles() else what
        share = f"{100 * done // total} %, " if total else ""
        draw(now, done, total)
        if done and now == what:  # to begin, and to compile, says nothing about the rest
            pace.tell(done, total)

    def said() -> str:
        left = "" if pace.left is None else f"about {pace.left:.0f} s left, "
        return f"{now}: {share}{left}"

    with _bar(now) if sys.stderr.isatty() else _unwatched(said) as draw:
        yield tell


@contextmanager
def status(what: str) -> Iterator[Callable[[str], None]]:
    """Show what is going on while something runs that calls back with its present step."""
    now = ""

    def tell(step: str) -> None:
        nonlocal now
        now = f"{step}, "
        draw(f"{what}: {step}")

    with _spinner(what) if sys.stderr.isatty() else _unwatched(lambda: f"{what}: {now}") as draw:
        yield tell


@contextmanager
def _bar(first: str) -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar that is drawn anew with a text, and what is done and to do."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(first, total=None)
        yield lambda now, done, total: bar.update(
            task, completed=done, total=total, description=now
        )


@contextmanager
def _spinner(first: str) -> Iterator[Callable[[str], None]]:
    """Show a text that is going on, and is drawn anew."""
    from rich.console import Console

    with Console(stderr=True).status(first) as spinner:
        yield spinner.update


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
