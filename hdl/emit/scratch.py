"""Temporary files and folders: unique names, which no message shows."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex


@contextmanager
def naming(path: Path, *, instead_of: Path | None = None) -> Iterator[None]:
    """Let errors of the file system name `path`: temporary names mean nothing to the user.

    Parameters
    ----------
    instead_of : Path, optional
        A temporary folder: its files are named as if they were in `path`, and other files keep
        their names.
    """
    try:
        yield
    except OSError as error:
        named = Path(error.filename) if isinstance(error.filename, str) else instead_of
        if instead_of is None or named is None:
            named, instead_of = path, path
        if named.is_relative_to(instead_of):
            error.filename, error.filename2 = str(path / named.relative_to(instead_of)), None
        raise


def fresh_folder(parent: Path, prefix: str) -> Path:
    """Make a folder with a name that no other call gives, and return it."""
    folder = parent / f"{prefix}{token_hex(4)}"
    folder.mkdir()
    return folder
