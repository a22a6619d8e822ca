"""Files that are complete or not there, and what can be known before the work for them is done."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from fingerpost.hdl.emit.files import naming


def check(path: Path) -> None:
    """See whether a file can be written, as far as one can see.

    Raises
    ------
    ValueError
        If `path` is something that must not be replaced, a directory or a device, or its folder is
        not there: it is not made, for it may be misspelt.
    """
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: is no file, so it cannot be written")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.parent}; make it first")


def check_folder(path: Path) -> None:
    """See whether a folder is one, or can be made.

    Raises
    ------
    ValueError
        If `path`, or what it should be in, is there and no folder.
    """
    there = next(place for place in (path, *path.parents, Path("/")) if place.exists())
    if not there.is_dir():
        raise ValueError(f"{path}: {there} is no folder, so nothing can be written into it")


def write_text(path: Path, text: str) -> None:
    """Write a file of text, in UTF-8 and with line feeds; see `write`."""
    write(path, lambda scratch: _fill(scratch, text))


def _fill(scratch: Path, text: str) -> None:
    scratch.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")


def write(path: Path, fill: Callable[[Path], None]) -> None:
    """Let `fill` write a file beside `path`, which then takes its place.

    Raises
    ------
    ValueError
        If it cannot be written, see `check`.
    OSError
        If the disk is full, or may not be written on.
    """
    asked, path = path, path.resolve()  # a link stays a link
    check(path)
    scratch = path.with_name(f".{path.stem[:100]}.{token_hex(4)}{path.suffix}")
    try:
        with naming(asked):
            fill(scratch)
            scratch.replace(path)
    finally:
        with suppress(OSError):  # a file system that may not be written on refuses this, too
            scratch.unlink()
