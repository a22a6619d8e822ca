"""How functions of this package are compiled, and where what was compiled is kept."""

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config
from numba.cpython.unsafe.numbers import trailing_zeros

__all__ = ["called", "compiled", "lowest", "to_compile"]

settings: Any = config
zeros: Any = trailing_zeros
njit: Any = numba.njit

Function = TypeVar("Function", bound=Callable[..., Any])


@cache
def _folder() -> Path | None:
    """Return a folder for what these sources compile to; None if nothing can be written.

    numba looks at the file of a function only, not at those of the functions that it calls. So
    other sources get another folder. It is not in the checkout, which may be read-only.
    """
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    name = digest.hexdigest()[:16]
    caches = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    for parent in (Path(caches).expanduser(), Path(tempfile.gettempdir())):
        folder = parent / f"fingerpost-{os.getuid()}" / "compiled" / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return None


def to_compile() -> bool:
    """Return whether nothing is kept of earlier runs, so that the next run compiles the model."""
    folder = _folder()
    return folder is None or next(folder.rglob("*.nbi"), None) is None


def compiled(function: Function) -> Function:
    """Compile a function into those that call it."""
    # No wrappers for callers in Python, and no counts of references: that halves the compilation.
    return _compile(function, no_cpython_wrapper=True, forceinline=True)


def called(function: Function) -> Function:
    """Compile a function that Python calls, when it first does; keep it for the next process."""
    return _compile(function)


def _compile(function: Function, **options: bool) -> Function:
    folder, before = _folder(), settings.CACHE_DIR
    settings.CACHE_DIR = str(folder or before)
    try:
        result: Function = njit(
            cache=folder is not None,
            nogil=True,
            error_model="numpy",
            no_cfunc_wrapper=True,
            _nrt=False,
            **options,
        )(function)
    finally:
        settings.CACHE_DIR = before
    return result


@compiled
def lowest(mask: int) -> int:
    """Return the number of the lowest bit that is set."""
    number: int = zeros(mask)
    return number
