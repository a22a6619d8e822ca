"""The two forms of the functions of this package: plain Python, and compiled by numba.

A function of the model is written once, and is an ordinary function of Python: it can be called,
stepped through with a debugger, and read. Its compiled form is made when something first calls for
it, so that nothing needs numba that does not run it::

    @compiled
    def has_room(queue: Any) -> bool: ...    # called by others of these functions

    @called
    def run(state: Any, cycles: int) -> None: ...    # called with arrays, in either form

    run(arrays, 100)           # the form of this process: see `why_plain`
    run.plain(views, 100)      # plain Python, on views of arrays: see `plain.view`
    run.compiled(arrays, 100)  # compiled by numba, and kept for the next process
"""

import dis
import fcntl
import hashlib
import os
import pickle
import sys
from collections.abc import Callable, Collection
from contextlib import ExitStack, suppress
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from types import CellType, FunctionType, ModuleType
from typing import Any, TypeVar, cast

from fingerpost.golden import caches
from fingerpost.golden.disk_cache import sources
from fingerpost.golden.jit.plain import view

Function = TypeVar("Function", bound=Callable[..., Any])

SETTING = "FINGERPOST_MODEL"
"""The environment variable that chooses the form: `COMPILED`, the default, or `PLAIN`."""

COMPILED, PLAIN = "compiled", "plain"

CHOSEN = f"{SETTING} is {PLAIN}"
"""Why the model is plain Python where that was asked for."""

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

ROOMS = (
    *("jit", "router", "deflection", "terminal", "link", "engine", "placement"),
    *("link_order.py", "turn_order.py"),
)
"""What of golden has functions that are compiled."""

_parts: dict[Any, Callable[[], Any]] = {}
"""Functions that are compiled into others, and what makes their compiled forms."""


@cache
def why_plain() -> str:
    """Return why the model is plain Python in this process; nothing if it is compiled.

    Raises
    ------
    ValueError
        If the setting is neither of the forms.
    """
    form = os.environ.get(SETTING) or COMPILED
    if form not in (COMPILED, PLAIN):
        raise ValueError(f"{SETTING} needs to be {COMPILED} or {PLAIN}, not {form!r}")
    if form == PLAIN:
        return CHOSEN
    return "" if find_spec("numba") else "numba is not installed"


def compiled(function: Function) -> Function:
    """Let the compiled forms of other functions have that of this one within them."""
    _parts[function] = cache(lambda: _numba().njit(**OPTIONS)(linked(function)))
    return function


def compiled_as(make: Callable[[], Any]) -> Callable[[Function], Function]:
    """Do the same with a compiled form that is not made of the function; `make` returns it."""

    def decorate(function: Function) -> Function:
        _parts[function] = cache(make)
        return function

    return decorate


def linked(function: Callable[..., Any]) -> Any:
    """Return a copy of a function in which those that it calls have their compiled forms."""
    plain = cast(FunctionType, function)
    loads = {"LOAD_GLOBAL": set[str](), "LOAD_ATTR": set[str](), "LOAD_METHOD": set[str]()}
    for step in dis.get_instructions(plain):
        loads.get(step.opname, set()).add(step.argval)
    attributes = loads["LOAD_ATTR"] | loads["LOAD_METHOD"]
    closure = dict(zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=True))
    cells = {name: cell.cell_contents for name, cell in closure.items()}
    copy = FunctionType(
        plain.__code__,
        _linked_names(plain.__globals__, loads["LOAD_GLOBAL"], attributes),
        plain.__name__,
        plain.__defaults__,
        tuple(map(CellType, _linked_names(cells, {*cells}, attributes).values())),
    )
    copy.__module__ = plain.__module__
    return copy


def _linked_names(
    names: dict[str, Any], used: set[str], attributes: Collection[str] = ()
) -> dict[str, Any]:
    """Return names of a module, of which those that are used have their compiled forms.

    Where such a name is that of a module, its `attributes` have them.
    """
    found = dict(names)
    for name in used & names.keys():
        value = names[name]
        if isinstance(value, FunctionType) and value in _parts:
            found[name] = _parts[value]()
        elif isinstance(value, ModuleType):
            found[name] = ModuleType(value.__name__)
            found[name].__dict__.update(_linked_names(vars(value), {*attributes}))
    return found


def compiled_once(function: Function) -> Function:
    """Let compiled forms call that of this one, which is compiled, and kept, apart from theirs.

    So the compilation of a large function serves all that call it with arguments of the same types.
    """
    _parts[function] = cache(lambda: _kept(function))
    return function


class called:  # noqa: N801 - a decorator
    """A function that Python calls, in the form of this process or the plain one.

    Attributes
    ----------
    plain : callable
        The function itself. Its arguments are views.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.plain = function

    def __call__(self, *arguments: Any, plain: bool = False) -> Any:
        """Call it with arrays: the plain form, if `plain` asks for it or that is this process's."""
        if plain or why_plain():
            return self.plain(*map(view, arguments))
        return self.compiled(*arguments)

    @cached_property
    def compiled(self) -> Callable[..., Any]:
        """Return the compiled form. It is compiled at the first call, or read from the cache.

        Compiled functions may not call it: it would wait for itself.
        """
        return cast(Callable[..., Any], _kept(self.plain))


def _kept(function: Callable[..., Any]) -> Any:
    """Return a compiled form that is read from the cache, or kept in it."""
    result: Any = _numba().njit(**COMMON)(function)
    # Linked only when it is compiled: that takes as long as reading what was kept.
    result._compiler._get_implementation = lambda types, names: linked(function)
    if place := _folder():
        result.compile = _alone(result.compile, place / "lock")
        result._cache = _cache(function, place)
    return result


def _numba() -> Any:
    """Return numba: its import takes half a second."""
    import numba

    return numba


@cache
def _folder() -> Path | None:
    """Return a folder for what these sources compile to; None if nothing can be written."""
    versions = f"{_numba().__version__} {sys.version}".encode()
    golden = Path(__file__).parents[1]
    parts = [sources(golden / part) for part in ROOMS]
    digest = hashlib.sha256(b"".join([versions, *parts]))
    return caches.folder(f"compiled/{digest.hexdigest()[:16]}")


def to_compile() -> bool:
    """Return whether nothing is kept of earlier runs, so that the next run compiles the model."""
    if why_plain():
        return False
    found = _folder()
    return found is None or next(found.glob("*.code"), None) is None


def _cache(function: Callable[..., Any], place: Path) -> Any:
    """Return what a function was compiled to, for numba: a file for the types of each call.

    Numba's own cache runs what is in a damaged file, mixes up types that two processes compile at
    once, and fills its tables of functions and types before it looks for code: that takes as long
    as numba does, and a compilation fills them itself.
    """
    from numba.core import compiler, serialize
    from numba.core.caching import NullCache

    dumps: Any = serialize.dumps
    rebuild: Any = compiler.CompileResult._rebuild

    class Cache(NullCache):
        def _path(self, types: Any, codegen: Any) -> Path:
            # Types name classes without their modules: those of one function differ in their names.
            code, closure = function.__code__, function.__closure__
            cells = dumps([cell.cell_contents for cell in closure or ()])
            made_of = repr((types, codegen.magic_tuple(), function.__module__, code.co_code, cells))
            digest = hashlib.sha256(made_of.encode()).hexdigest()
            return place / f"{function.__name__}-{digest[:32]}.code"

        def load_overload(self, types: Any, target: Any) -> Any:
            """Return what was compiled for these types; None if that is not there, or damaged."""
            kept = caches.read(self._path(types, target.codegen()))
            return kept and rebuild(target, *pickle.loads(kept))

        def save_overload(self, types: Any, compiled: Any) -> None:
            """Keep what was compiled for these types."""
            caches.write(self._path(types, compiled.codegen), dumps(compiled._reduce()))

    return Cache()


def _alone(compile_for: Callable[[Any], Any], lock: Path) -> Callable[[Any], Any]:
    """Let one process at a time compile and keep what it compiled; the others wait, and read it."""
    from numba.core.compiler_lock import global_compiler_lock

    held: Any = global_compiler_lock

    def compile_alone(types: Any) -> Any:
        with ExitStack() as stack:
            if not held.is_locked():  # by this thread, which compiles a caller
                with suppress(OSError):  # no lock costs time only
                    lock.parent.mkdir(parents=True, exist_ok=True)
                    fcntl.flock(stack.enter_context(lock.open("wb")), fcntl.LOCK_EX)
            return compile_for(types)

    return compile_alone
