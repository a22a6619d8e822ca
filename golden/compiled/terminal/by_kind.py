"""Functions whose code depends on the kind of something, known when a call is compiled."""

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, TypeVar

from numba.extending import overload

from fingerpost.golden.compiled.jit import OPTIONS

replaced: Any = overload

Function = TypeVar("Function", bound=Callable[..., Any])


def by_kind(
    kinds: Mapping[type, tuple[ModuleType, ...]], *names: str
) -> Callable[[Function], Function]:
    """Compile calls of a function as calls of what has its name in the modules of a kind.

    The kind is the class of a part of the argument that has the first of `names` and `nodes`: of
    `config.terminal.order` for ``terminal``, ``order``. Parameters are the same.
    """

    def decorate(function: Function) -> Function:
        def chosen(*arguments: Any) -> Any:
            kind = next(a for a in arguments if {names[0], "nodes"} <= {*getattr(a, "fields", ())})
            for name in names:
                kind = kind.types[kind.fields.index(name)]
            modules, name = kinds[kind.instance_class], function.__name__
            return next(getattr(each, name) for each in modules if hasattr(each, name)).py_func

        replaced(function, jit_options=OPTIONS, strict=False)(chosen)
        return function

    return decorate
