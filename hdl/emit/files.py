"""Files that are complete or not there: temporary names, locks, folders of output, manifests."""

import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any


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


@contextmanager
def locked(path: Path, *, busy: str = "") -> Iterator[None]:
    """Hold the lock of `path`, which need not exist. Its folder has to.

    The lock is a hidden file beside `path`, and is removed afterwards. When a process ends, in
    whatever way, the system releases its locks.

    Parameters
    ----------
    busy : str
        The message if another process or thread holds the lock; without one, wait for it.

    Raises
    ------
    ValueError
        If the lock is held, with the message `busy`.
    OSError
        If the lock file cannot be written; the error names `path`.
    """
    lock = path.with_name(f".{path.name}.lock")
    with naming(path):
        held = _acquire(lock, busy)
    try:
        yield
    finally:
        with suppress(OSError):
            lock.unlink()
        fcntl.flock(held, fcntl.LOCK_UN)  # a forked process may have the descriptor, too
        os.close(held)


def _acquire(lock: Path, busy: str) -> int:
    """Return the descriptor of the lock file, locked."""
    while True:
        held = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | (fcntl.LOCK_NB if busy else 0))
            if os.path.samestat(os.fstat(held), lock.stat()):
                return held
        except BlockingIOError:
            os.close(held)
            raise ValueError(busy) from None
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(held)
            raise
        os.close(held)  # the last holder has removed the file: lock a new one


@contextmanager
def staged(directory: Path, *, keep: tuple[type[Exception], ...] = ()) -> Iterator[Path]:
    """Yield a temporary folder, whose files are moved into `directory` at the end.

    After an error `directory` is as it was before; if it was not there, it is not made. The files
    of two callers that move at the same time do not mix. Files that end in ``.json`` are moved
    last. Where one of these is there already and is a manifest, the files that it lists go, unless
    they were changed since: a network that is generated anew may have fewer modules.

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
                for file in _outdated(directory, scratch):
                    file.unlink()
                for file in sorted(scratch.iterdir(), key=lambda file: file.suffix == ".json"):
                    file.replace(directory / file.name)
    except keep:
        kept = True
        raise
    finally:
        if not kept:
            shutil.rmtree(scratch, ignore_errors=True)


def _outdated(directory: Path, made: Path) -> Iterator[Path]:
    """Yield the files that manifests in `directory` list, if manifests in `made` replace these."""
    for new in made.glob("*.json"):
        with suppress(OSError, ValueError, LookupError, AttributeError, TypeError):
            listed = json.loads((directory / new.name).read_text(encoding="utf-8"))["sha256"]
            for name, digest in listed.items():
                file = directory / name
                plain = file.parent == directory and not (made / name).exists()
                if plain and file.is_file() and sha256(file.read_bytes()).hexdigest() == digest:
                    yield file


def write_files(files: Mapping[str, str], directory: Path) -> list[Path]:
    """Write texts by name, all or none; see `staged`."""
    with staged(directory) as scratch:
        for file, content in files.items():
            with naming(scratch / file):
                (scratch / file).write_text(content, encoding="utf-8", newline="\n")
    return [directory / file for file in files]


def as_text(manifest: Mapping[str, Any]) -> str:
    """Return a manifest as JSON; what holds no further lists on one line."""
    text = json.dumps(manifest, indent=2)
    return re.sub(r"[\[{][^\[\]{}]*[\]}]", _on_one_line, text) + "\n"


def _on_one_line(found: re.Match[str]) -> str:
    """Return a list or object of a manifest on one line, if it fits there or is all numbers."""
    line = re.sub(r"\s*\n\s*", " ", found[0])
    return line if len(line) <= 100 or re.fullmatch(r"[\[\s\d,\]]+", line) else found[0]
