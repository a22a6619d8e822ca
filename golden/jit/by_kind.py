"""Functions whose code depends on the kind of something."""

import inspect
from collections.abc import Callable, Mapping
from functools import cache, wraps
from types import ModuleType
from typing import Any, TypeVar, cast

from fingerpost.golden.jit.compile import OPTIONS, compiled_as, linked

Function = TypeVar("Function", bound=Callable[..., Any])


def by_kind(
    kinds: Mapping[type, tuple[ModuleType, ...]], *names: str
) -> Callable[[Function], Function]:
    """Let a function be that of its name in the modules of a kind.

    The kind is the class of a part of the parameter `config`: of ``config.terminal.order`` for
    ``terminal``, ``order``. It is known when a call is compiled. Parameters are the same.
    """

    def decorate(function: Function) -> Function:
        name, at = function.__name__, [*inspect.signature(function).parameters].index("config")

        @cache
        def of_kind(kind: type) -> Any:
            return next(getattr(each, name) for each in kinds[kind] if hasattr(each, name))

        @wraps(function)
        def plain(*arguments: Any) -> Any:
            kind = arguments[at]
            for part in names:
                kind = getattr(kind, part)
            found: Any = type(kind)
            return of_kind(found)(*arguments)

        def chosen(*arguments: Any) -> Any:
            kind = arguments[at]
            for part in names:
                kind = kind.types[kind.fields.index(part)]
            return linked(of_kind(kind.instance_class))

        def of_numba() -> Any:
            from numba.extending import overload

            replaced: Any = overload
            replaced(plain, jit_options=OPTIONS, strict=False)(chosen)
            return plain

        return cast(Function, compiled_as(of_numba)(plain))

    return decorate
