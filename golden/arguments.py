"""Arguments of the functions that users call: of the types of their signatures, or one line."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from inspect import Parameter, Signature, signature
from numbers import Real
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

from fingerpost.golden.parameters import either

P = ParamSpec("P")
R = TypeVar("R")

WORDS = {int: "a whole number", float: "a number", str: "a text", bool: "True or False"}
"""What types are called."""

LONGEST = 120
"""Characters of a value that messages show."""


class _MisfitError(Exception):
    """A value is not of a type."""


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that refuses arguments of other types than its annotations name.

    Whole numbers may be floats such as 1e5, numbers may be NumPy's, and lists may be of any kind
    that can be iterated. Annotations of other types than these, classes and literals are not
    checked.

    Examples
    --------
    >>> @checked
    ... def double(cycles: int) -> int:
    ...     return 2 * cycles
    >>> double(1e3)
    2000
    >>> double("7")
    Traceback (most recent call last):
    TypeError: double needs cycles: a whole number, not '7'
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        form, hints = _form(function)
        try:
            bound = form.bind(*args, **kwargs)
        except TypeError:
            return function(*args, **kwargs)  # which says what is wrong
        for name, value in bound.arguments.items():
            if form.parameters[name].kind is not Parameter.VAR_KEYWORD:
                bound.arguments[name] = fitted(function.__name__, name, value, hints[name])
        return function(*bound.args, **bound.kwargs)

    return call


@cache
def _form(function: Callable[..., Any]) -> tuple[Signature, dict[str, Any]]:
    """Return the signature of a function, and its annotations."""
    return signature(function), get_type_hints(function)


def fitted(function: str, name: str, value: Any, hint: Any) -> Any:
    """Return the argument of a function as one of a type, as `checked` does.

    Raises
    ------
    TypeError
        If it is none.
    """
    try:
        return _fitted(value, hint)
    except _MisfitError:
        shown = repr(value)
        shown = shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}..."
        raise TypeError(f"{function} needs {name}: {_words(hint)}, not {shown}") from None


def _fitted(value: Any, hint: Any) -> Any:
    """Return a value as one of a type.

    Raises
    ------
    _MisfitError
        If it is none.
    """
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        for each in get_args(hint):
            try:
                return _fitted(value, each)
            except _MisfitError:
                continue
        raise _MisfitError
    if origin is Literal:
        fits: bool = value in get_args(hint)
    elif hint in (int, float):
        fits, value = _number(value, whole=hint is int)
    elif isinstance(origin, type) and issubclass(origin, Mapping):
        fits = isinstance(value, Mapping)
    elif isinstance(origin, type) and issubclass(origin, Iterable):
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            raise _MisfitError
        return _items(value, get_args(hint))
    elif isinstance(hint, type):
        protocol = getattr(hint, "_is_protocol", False)
        fits = protocol or isinstance(value, PathLike if hint is Path else hint)
    else:
        fits = True
    if not fits:
        raise _MisfitError
    return value


def _number(value: Any, *, whole: bool) -> tuple[bool, Any]:
    """Return whether a value is a number, and the number as plain Python has it."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        return False, value
    plain: Any = value.item() if isinstance(value, np.generic) else value
    if not whole or isinstance(plain, int):
        return True, plain
    return (True, int(plain)) if float(plain).is_integer() else (False, value)


def _items(value: Iterable[Any], hints: tuple[Any, ...]) -> Any:
    """Return what a list has, each of the type that it needs."""
    found = list(value)
    if len(hints) > 1 and Ellipsis not in hints:  # a tuple of so many
        if len(found) != len(hints):
            raise _MisfitError
        return tuple(_fitted(each, hint) for each, hint in zip(found, hints, strict=True))
    return [_fitted(each, hints[0]) for each in found] if hints else found


def _words(hint: Any) -> str:
    """Return what a type is called."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        several = [each for each in inner if {*get_args(each)} & {*inner}]  # lists of the others
        words = [_words(each) for each in inner if each is not NoneType and each not in several]
        return either([*words, *["a list of such"] * bool(several)])
    if origin is Literal:
        return either(inner)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return "a mapping"
    if isinstance(origin, type) and issubclass(origin, Iterable):
        if len(inner) > 1 and Ellipsis not in inner:
            return f"({', '.join(map(_words, inner))})"
        return f"a list, each {_words(inner[0])}" if inner else "a list"
    if hint in WORDS:
        return WORDS[hint]
    if hasattr(hint, "router_kind"):
        kind = f" of {hint.router_kind} routers" if hint.router_kind else ""
        return f"a network{kind}, as fingerpost.load and fingerpost.network return it"
    return "a path" if hint is Path else getattr(hint, "__name__", str(hint))
