"""How functions of this package are compiled, and where what was compiled is kept."""

import fcntl
import hashlib
import pickle
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import compiler, serialize
from numba.core.caching import NullCache

from fingerpost.golden import caches
from fingerpost.golden.disk_cache import sources

njit: Any = numba.njit
dumps: Any = serialize.dumps
rebuild: Any = compiler.CompileResult._rebuild

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
    """Return a folder for what these sources compile to; None if nothing can be written."""
    versions = f"{numba.__version__} {sys.version}".encode()
    golden = Path(__file__).parents[1]
    parts = [sources(golden / part) for part in ("compiled", "deflection", "terminal")]
    digest = hashlib.sha256(b"".join([versions, *parts]))
    return caches.folder(f"compiled/{digest.hexdigest()[:16]}")


def to_compile() -> bool:
    """Return whether nothing is kept of earlier runs, so that the next run compiles the model."""
    found = _folder()
    return found is None or next(found.glob("*.code"), None) is None


def compiled(function: Function) -> Function:
    """Compile a function into those that call it."""
    return cast(Function, njit(**OPTIONS)(function))


def called(function: Function) -> Function:
    """Compile a function that Python calls, when it first does; keep it for the next process.

    Compiled functions may not call it: it would wait for itself.
    """
    result: Any = njit(**COMMON)(function)
    if place := _folder():
        result.compile = _alone(result.compile, place / "lock")
        result._cache = _Cache(function, place)
    return cast(Function, result)


class _Cache(NullCache):
    """What a function was compiled to, for numba: a file for the types of each call.

    Numba's own cache runs what is in a damaged file, mixes up types that two processes compile at
    once, and fills its tables of functions and types before it looks for code: that takes as long
    as numba does, and a compilation fills them itself.
    """

    def __init__(self, function: Callable[..., Any], place: Path) -> None:
        self._function, self._place = function, place

    def _path(self, types: Any, codegen: Any) -> Path:
        # Types name classes without their modules: those of one function differ in their names.
        code, closure = self._function.__code__, self._function.__closure__
        cells = dumps([cell.cell_contents for cell in closure or ()])
        made_of = repr((types, codegen.magic_tuple(), code.co_filename, code.co_code, cells))
        digest = hashlib.sha256(made_of.encode()).hexdigest()
        return self._place / f"{self._function.__name__}-{digest[:32]}.code"

    def load_overload(self, types: Any, target: Any) -> Any:
        """Return what was compiled for these types; None if that is not there, or damaged."""
        kept = caches.read(self._path(types, target.codegen()))
        return kept and rebuild(target, *pickle.loads(kept))

    def save_overload(self, types: Any, compiled: Any) -> None:
        """Keep what was compiled for these types."""
        caches.write(self._path(types, compiled.codegen), dumps(compiled._reduce()))


def _alone(compile_for: Callable[[Any], Any], lock: Path) -> Callable[[Any], Any]:
    """Let one process at a time compile and keep what it compiled; the others wait, and read it."""

    def compile_alone(types: Any) -> Any:
        with ExitStack() as stack:
            with suppress(OSError):  # no lock costs time only
                lock.parent.mkdir(parents=True, exist_ok=True)
                fcntl.flock(stack.enter_context(lock.open("wb")), fcntl.LOCK_EX)
            return compile_for(types)

    return compile_alone
