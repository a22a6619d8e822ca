"""What a long job has finished, line by line in a file: after an interruption it goes on there."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from fingerpost.files import write
from fingerpost.interrupt import keeps

__all__ = ["append", "read"]

T = TypeVar("T")


def read(path: Path, job: str, arguments: Mapping[str, Any], record: Callable[[Any], T]) -> list[T]:
    """Return what the state file says is finished; make it if there is none.

    Its first line has the arguments of the job, each other line is what `record` takes. The last
    line may be torn.

    Raises
    ------
    ValueError
        If it is no state of such a job, or that of one with other arguments.
    """
    try:
        text = path.read_text() if path.exists() else ""
        lines = text.split("\n")[:-1] if text else [json.dumps(arguments)]
        first, *records = (json.loads(line) for line in lines)
        done = [record(each) for each in records]
        known = {key: first[key] for key in arguments}
    except (ValueError, TypeError, KeyError):
        raise ValueError(f"{path}: is not the state of a {job}") from None
    for key, value in arguments.items():
        if known[key] != value:
            raise ValueError(
                f"{path}: is the state of a {job} with {key} {known[key]}, not {value}"
            )
    write(path, lambda scratch: _write_lines(scratch, lines))
    keeps(path)
    return done


def append(path: Path, record: Mapping[str, Any]) -> None:
    """Add a line."""
    with path.open("a") as file:
        file.write(json.dumps(record) + "\n")


def _write_lines(path: Path, lines: list[str]) -> None:
    path.write_text("".join(line + "\n" for line in lines))
