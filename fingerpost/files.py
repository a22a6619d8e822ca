"""Files that are complete or not there."""

import os
from collections.abc import Callable
from pathlib import Path

__all__ = ["write"]


def write(path: Path, fill: Callable[[Path], None]) -> None:
    """Let `fill` write a file beside `path`, which then takes its place.

    Raises
    ------
    ValueError
        If `path` is something that must not be replaced: a directory, a device.
    """
    path = path.resolve()  # a link stays a link
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: is no file, so it cannot be written")
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f".{path.stem[:100]}.{os.getpid()}{path.suffix}")
    try:
        fill(scratch)
        scratch.replace(path)
    except OSError as error:
        error.filename = str(path)  # the other name means nothing to the user
        raise
    finally:
        scratch.unlink(missing_ok=True)
