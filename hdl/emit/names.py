"""Signals are named from the source text: the same under every version of Python."""

import ast
import linecache
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import islice
from types import CodeType
from typing import Any

from amaranth import tracer

Place = tuple[int | None, int | None]
"""Where a call ends in its file: line and column. No two calls end at the same place."""

UNNAMED = object()


@contextmanager
def names_from_source() -> Iterator[None]:
    """Let Amaranth name signals by the assignment in the source text, not in the bytecode.

    Amaranth looks for the variable that a signal is assigned to in the bytecode of the caller,
    which differs between versions of Python. The position of the call in the source does not.
    """
    in_bytecode = tracer.get_var_name
    tracer.get_var_name = _assigned_name
    try:
        yield
    finally:
        tracer.get_var_name = in_bytecode


def _assigned_name(depth: int = 2, default: Any = UNNAMED) -> Any:
    """Return the variable to which the call that is under way in a frame is assigned.

    Parameters
    ----------
    depth : int
        Frames from this one to that of the call.
    default : object
        What to return if the call is not assigned to a variable.

    Raises
    ------
    tracer.NameNotFound
        If the call is not assigned to a variable, and there is no default.
    """
    frame = sys._getframe(depth)
    name = _assignments(frame.f_code.co_filename).get(_place(frame.f_code, frame.f_lasti), default)
    if name is UNNAMED:
        missing: Any = tracer  # whose types leave the exception out
        raise missing.NameNotFound
    return name


def _place(code: CodeType, offset: int) -> Place:
    """Return where the call ends whose instruction is at an offset of the bytecode."""
    _, line, _, column = next(islice(code.co_positions(), offset // 2, None))
    return line, column


@cache
def _assignments(file: str) -> dict[Place, str]:
    """Return the variables to which calls in a source file are assigned, by the calls' ends."""
    names: dict[Place, str] = {}
    targets: list[ast.expr]
    for node in ast.walk(ast.parse("".join(linecache.getlines(file)))):
        match node:
            case ast.Assign():
                targets = node.targets
            case ast.AnnAssign() | ast.NamedExpr():
                targets = [node.target]
            case _:
                continue
        for target in reversed(targets):  # of several the first
            names |= {
                (call.end_lineno, call.end_col_offset): variable
                for variable, call in _assigned(target, node.value)
            }
    return names


def _assigned(target: ast.expr, value: ast.expr | None) -> Iterator[tuple[str, ast.Call]]:
    """Yield the variables of an assignment to which calls are assigned, with the calls."""
    match target, value:
        case ast.Name(id=name) | ast.Attribute(attr=name), ast.Call():
            yield name, value
        case ast.Tuple(elts=targets), ast.Tuple(elts=values):
            for each in zip(targets, values, strict=True):
                yield from _assigned(*each)
