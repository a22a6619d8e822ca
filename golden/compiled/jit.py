"""How functions of this package are compiled, and where what was compiled is kept."""

import fcntl
import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config

from fingerpost.golden.disk_cache import folder, sources

settings: Any = config
njit: Any = numba.njit

Function = TypeVar("Function", bound=Callable[..., Any])


# No wrappers for callers in Python, and no counts of references: that halves the compilation.
COMMON: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "_nrt": False,
}
INLINE = {"no_cpython_wrapper": True, "forceinline": True}
OPTIONS = COMMON | INLINE
"""Those of functions that are compiled into others."""


@cache
def _folder() -> Path | None:
    """Return a folder for what these sources compile to; None if nothing can be written.

    numba looks at the file of a function only, not at those of the functions that it calls. So
    other sources get another folder.
    """
    digest = hashlib.sha256(numba.__version__.encode() + sources(Path(__file__).parent))
    return folder(f"compiled/{digest.hexdigest()[:16]}")


def to_compile() -> bool:
    """Return whether nothing is kept of earlier runs, so that the next run compiles the model."""
    found = _folder()
    return found is None or next(found.rglob("*.nbi"), None) is None


def compiled(function: Function) -> Function:
    """Compile a function into those that call it."""
    return cast(Function, njit(**OPTIONS)(function))


def called(function: Function) -> Function:
    """Compile a function that Python calls, when it first does; keep it for the next process.

    Compiled functions may not call it: it would wait for itself.
    """
    place, before = _folder(), settings.CACHE_DIR
    settings.CACHE_DIR = str(place or before)
    try:
        result: Any = njit(cache=place is not None, **COMMON)(function)
    finally:
        settings.CACHE_DIR = before
    if place is not None:
        result.compile = _alone(result.compile, place / "lock")
        result._cache.load_overload = _load_only(result._cache)
    return cast(Function, result)


def _load_only(cache: Any) -> Callable[[Any, Any], Any]:
    """Load code that is kept without what the compiler has to know, which takes as long as numba.

    Numba fills its tables of functions and types before it looks for code; a compilation fills them
    itself.
    """

    def load_overload(signature: Any, target: Any) -> Any:
        with cache._guard_against_spurious_io_errors():
            return cache._load_overload(signature, target)

    return load_overload


def _alone(compile_for: Callable[[Any], Any], lock: Path) -> Callable[[Any], Any]:
    """Let one process at a time compile and keep what it compiled; the others wait, and read it.

    numba has no lock. Two processes that cache a function for different types at once may take the
    same file; later ones would run the code of one for the types of the other.
    """

    def compile_alone(types: Any) -> Any:
        with lock.open("wb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            return compile_for(types)

    return compile_alone
