"""Cached verdicts: the engine is asked once about a design."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from amaranth import Signal

from fingerpost.formal import prove as proving
from fingerpost.formal.contract import Contract
from fingerpost.formal.prove import Verdict, prove_each
from fingerpost.golden import disk_cache


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Return a list to which each question to abc is added."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    disk_cache.folder.cache_clear()
    found, run_tool = list[str](), proving.run_tool

    def counted(command: list[str], folder: Path) -> Any:
        found.extend(["abc"] * any("abc" in Path(word).name for word in command))
        return run_tool(command, folder)

    monkeypatch.setattr(proving, "run_tool", counted)
    yield found
    disk_cache.folder.cache_clear()


def counter(most: int) -> Contract:
    """Return the claim that a counter that stops at `most` is never 5."""
    contract = Contract()
    count = Signal(4)
    contract.m.d.sync += count.eq(count + (count != most))
    contract.see("count", count)
    contract.claim("never_5", count != 5)
    return contract


def verdict(most: int) -> Verdict:
    (found,) = prove_each([counter(most)], cache=True)
    return found


@pytest.mark.parametrize(("most", "holds"), [(4, True), (9, False)])
def test_verdict_and_counterexample_are_the_same_without_the_engine(
    most: int, holds: bool, asked: list[str]
) -> None:
    first = verdict(most)
    assert asked
    asked.clear()
    assert verdict(most) == first
    assert not asked
    assert first.proven == holds
    assert [row["count"] for row in first.trace] == ([] if holds else [0, 1, 2, 3, 4, 5])


def test_other_design_is_asked_about(asked: list[str]) -> None:
    verdict(4)
    asked.clear()
    assert verdict(9).proven is False
    assert asked
