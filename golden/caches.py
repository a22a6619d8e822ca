"""Where caches are, and files in them that are whole or not there.

A cache that cannot be read or written costs time, and nothing else.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

DIGEST = 32
"""Bytes of SHA-256, with which a file begins."""


def home() -> Path | None:
    """Return the folder of the user's caches; None if none can be written.

    It is `XDG_CACHE_HOME`, or else ``~/.cache``, or else one of ours among temporary files.
    `XDG_CACHE_HOME` names it from here on: tools that this process starts have caches, too.
    """
    for parent in _homes():
        if parent.is_absolute() and _is_ours(parent / _own()):
            os.environ["XDG_CACHE_HOME"] = str(parent)
            try:
                Path.home()
            except RuntimeError:  # an unknown user; wasmtime needs a home to look for its cache
                os.environ["HOME"] = str(parent)
            return parent
    return None


def _homes() -> Iterator[Path]:
    yield Path(os.environ.get("XDG_CACHE_HOME", ""))
    with suppress(RuntimeError):  # an unknown user
        yield Path("~/.cache").expanduser()
    from tempfile import gettempdir  # not above: it takes long, and is hardly ever needed

    with suppress(FileNotFoundError):
        own = Path(gettempdir()).absolute() / _own()
        if _is_ours(own):
            yield own


def _own() -> str:
    return f"fingerpost-{os.getuid()}"


def _is_ours(folder: Path) -> bool:
    """Return whether a folder is this user's and can be written; make it if it is not there.

    What is kept in it is run, so no other user may have made it.
    """
    with suppress(OSError):
        folder.mkdir(0o700, parents=True, exist_ok=True)
        return folder.stat().st_uid == os.getuid() and os.access(folder, os.W_OK | os.X_OK)
    return False


def folder(kind: str) -> Path | None:
    """Return the folder for results of a kind, which need not be there; None if there is none.

    It is not in the checkout, which may be read-only.
    """
    parent = home()
    return parent and parent / _own() / kind


def read(path: Path) -> bytes | None:
    """Return what `write` wrote; None if it is not there, or damaged."""
    try:
        whole = path.read_bytes()
    except OSError:
        return None
    content = whole[DIGEST:]
    return content if hashlib.sha256(content).digest() == whole[:DIGEST] else None


def write(path: Path, content: bytes) -> None:
    """Write a file, which takes its place when it is whole; leave it if that is impossible."""
    scratch = path.with_name(f".{path.name}.{token_hex(8)}")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            scratch.write_bytes(hashlib.sha256(content).digest() + content)
            scratch.replace(path)
        except OSError:
            scratch.unlink(missing_ok=True)
