"""What a long job has finished, line by line in a file: after an interruption it resumes there."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from fingerpost.hdl.emit.files import locked, naming
from fingerpost.jobs.files import check, write_text
from fingerpost.jobs.interrupt import keeps

T = TypeVar("T")

Keep = Callable[[Mapping[str, Any]], None]
"""Adds a line to the state."""


@contextmanager
def kept(
    path: Path | None, job: str, arguments: Mapping[str, Any], record: Callable[[Any], T]
) -> Iterator[tuple[list[T], Keep]]:
    """Yield what the state file says is finished, and what adds a line to it.

    No other job uses the file meanwhile. It is made if it is not there. Its first line has the
    arguments of the job; `record` takes each other line. The last line may be torn.

    Parameters
    ----------
    path : Path, optional
        Without a file nothing is finished, and nothing is kept.

    Raises
    ------
    ValueError
        If it is no state of such a job, or that of one with other arguments, or another job uses
        it at this moment.
    OSError
        If it cannot be written; the error names it.
    """
    if path is None:
        yield [], lambda _: None
        return
    check(path)
    busy = f"{path}: another {job} is using it; wait until that has ended, or name another file"
    with locked(path.resolve(), busy=busy):
        lines = _lines(path, arguments)
        done = _done(path, lines, job, arguments, record)
        write_text(path, "".join(line + "\n" for line in lines))

        def keep(line: Mapping[str, Any]) -> None:
            with naming(path), path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")

        keeps(path)
        yield done, keep


def _lines(path: Path, arguments: Mapping[str, Any]) -> list[str]:
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    return text.split("\n")[:-1] if text else [json.dumps(arguments)]


def _done(
    path: Path,
    lines: list[str],
    job: str,
    arguments: Mapping[str, Any],
    record: Callable[[Any], T],
) -> list[T]:
    """Return the records of a state, which has to be that of the job."""
    try:
        first, *records = (json.loads(line) for line in lines)
        done = [record(each) for each in records]
        known = {key: first[key] for key in arguments}
    except (ValueError, TypeError, KeyError):
        raise ValueError(f"{path}: is not the state of a {job}; name another file") from None
    for key, value in arguments.items():
        if known[key] != value:
            raise ValueError(
                f"{path}: is the state of a {job} with {key} {known[key]}, not {value}"
            )
    return done
