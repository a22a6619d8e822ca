"""Faults for proofs to find: one replacement in the source of a component, in place."""

import inspect
from importlib import import_module
from types import FunctionType
from typing import Any

import pytest

from fingerpost.formal.contract import Contract
from fingerpost.formal.prove import prove


def planted(monkeypatch: pytest.MonkeyPatch, component: str, old: str, new: str) -> None:
    """Let a component's methods be those of a source in which `new` stands for `old`.

    It is named by its module in hdl/ and its class; by its module alone it is all that is there,
    functions too.
    """
    path, _, name = component.rpartition(".")
    if not name[0].isupper():
        path, name = component, ""
    module = import_module(f"fingerpost.hdl.{path}")
    source = inspect.getsource(module)
    part = inspect.getsource(getattr(module, name)) if name else source
    part = part if old in part else source
    assert part.count(old) == 1, f"{old!r} stands {part.count(old)} times in {component}"
    source = source.replace(part, part.replace(old, new))
    changed: dict[str, object] = {"__name__": module.__name__}
    exec(compile(source, str(module.__file__), "exec"), changed)
    classes = [x for x in vars(module).values() if isinstance(x, type)]
    for function in (x for x in vars(module).values() if isinstance(x, FunctionType)):
        if not name and function.__module__ == module.__name__:
            other: Any = changed[function.__name__]  # others have imported this one by name
            monkeypatch.setattr(function, "__code__", other.__code__)
    for genuine in (x for x in classes if x.__module__ == module.__name__):
        if name not in ("", genuine.__name__):
            continue
        for attribute, method in vars(changed[genuine.__name__]).items():
            if isinstance(method, FunctionType) and attribute != "__init__":
                monkeypatch.setattr(genuine, attribute, method)


def breaks(contract: Contract, claim: str, *, depth: int | None = None) -> None:
    """Assert that a claim, alone, is found to be broken, by a trace that shows it."""
    contract.claims = {claim: contract.claims[claim]}
    verdict = prove(contract, depth=depth)
    assert verdict.proven is False
    assert verdict.broken == (claim,)
    assert verdict.trace
