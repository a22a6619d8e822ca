"""Folders of output: all files of one run, or none."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fingerpost.hdl.emit.locks import locked
from fingerpost.hdl.emit.scratch import fresh_folder, naming


@contextmanager
def staged(directory: Path, *, keep: tuple[type[Exception], ...] = ()) -> Iterator[Path]:
    """Yield a temporary folder, whose files are moved into `directory` at the end.

    After an error `directory` is as it was before; if it was not there, it is not made. The files
    of two callers that move at the same time do not mix. Files that end in ``.json`` are moved
    last.

    Parameters
    ----------
    keep : tuple of exception types
        After these errors the temporary folder stays: the message names it.

    Raises
    ------
    OSError
        If a file cannot be written; the error names the file in `directory`.
    """
    near = next(place for place in (directory, *directory.parents) if place.is_dir())
    with naming(directory):
        scratch = fresh_folder(near.resolve(), ".fingerpost-")
    kept = False
    try:
        with naming(directory, instead_of=scratch):
            yield scratch
            directory.mkdir(parents=True, exist_ok=True)
            with locked(directory / "output"):
                for file in sorted(scratch.iterdir(), key=lambda file: file.suffix == ".json"):
                    file.replace(directory / file.name)
    except keep:
        kept = True
        raise
    finally:
        if not kept:
            shutil.rmtree(scratch, ignore_errors=True)
