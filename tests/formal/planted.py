"""Faults for proofs to find: one replacement in the source of a component, in place."""

import inspect
from types import FunctionType, ModuleType

import pytest

from fingerpost.formal.contract import Contract
from fingerpost.formal.prove import prove

__all__ = ["breaks", "plant"]


def plant(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, component: str, old: str, new: str
) -> None:
    """Let the methods of a component be those of a source in which `new` stands for `old`."""
    source = inspect.getsource(module)
    assert source.count(old) == 1, f"{old!r} stands {source.count(old)} times in {module.__name__}"
    changed: dict[str, object] = {"__name__": module.__name__}
    exec(compile(source.replace(old, new), str(module.__file__), "exec"), changed)
    genuine = getattr(module, component)
    for name, method in vars(changed[component]).items():
        if isinstance(method, FunctionType) and name != "__init__":
            monkeypatch.setattr(genuine, name, method)


def breaks(contract: Contract, claim: str, *, depth: int | None = None) -> None:
    """Assert that a claim, alone, is found to be broken, by a trace that shows it."""
    contract.claims = {claim: contract.claims[claim]}
    verdict = prove(contract, depth=depth)
    assert verdict.proven is False
    assert verdict.broken == (claim,)
    assert verdict.trace
