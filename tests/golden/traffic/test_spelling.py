"""Patterns, arrivals and lengths as they are spelled."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from fingerpost.golden.traffic import ARRIVALS, LENGTHS, PATTERNS
from fingerpost.golden.traffic.arrivals import OnOff, SelfSimilar
from fingerpost.golden.traffic.patterns.base import Hotspot, RandomPermutation, Uniform
from fingerpost.golden.traffic.patterns.table import Trace
from fingerpost.golden.traffic.spelling import arrivals, lengths, pattern


def test_names_are_those_of_the_registries() -> None:
    for kinds in (PATTERNS, ARRIVALS, LENGTHS):
        assert all(kind.name == name for name, kind in kinds.items())


def test_parameters_by_name_and_by_place() -> None:
    assert pattern("uniform") == pattern("uniform:") == Uniform()
    assert pattern("randperm:") == RandomPermutation()
    assert pattern("randperm:7") == pattern("randperm:seed=7") == RandomPermutation(seed=7)
    assert pattern("hotspot:0;5,0.2") == pattern("hotspot:share=0.2,nodes=0;5")
    assert arrivals("on-off:0.01,0.05") == OnOff(alpha=0.01, beta=0.05)
    assert arrivals("self-similar:off=1.5") == SelfSimilar(off=1.5)


def test_values_may_have_commas(tmp_path: Path) -> None:
    assert pattern("hotspot:share=0.5,nodes=0,1;2,3") == Hotspot(nodes=("0,1", "2,3"), share=0.5)
    file = tmp_path / "a,b.csv"
    file.write_text("cycle,source,destination,flits\n0,0,1,1\n")
    assert pattern(f"trace:file={file}") == Trace(str(file))


@pytest.mark.parametrize(
    ("read", "texts"),
    [
        (pattern, "uniform|randperm:seed=3|hotspot:nodes=1,2;3,4,share=0.123456789012345|tornado"),
        (arrivals, "bernoulli|on-off:beta=0.05|self-similar:sources=4,on=1.5"),
        (lengths, "4|1..8|bimodal:1,5,0.2"),
    ],
)
def test_spelt_as_they_are_read(read: Callable[[Any], object], texts: str) -> None:
    for text in texts.split("|"):
        assert str(read(text)) == text
        assert read(read(text)) == read(text)


@pytest.mark.parametrize(
    ("text", "shares"),
    [
        ("3", {3: 1.0}),
        ("fixed:3", {3: 1.0}),
        ("2..5", {2: 0.25, 3: 0.25, 4: 0.25, 5: 0.25}),
        ("bimodal:1,5,0.2", {1: 0.8, 5: 0.2}),
        ("bimodal:short=2,long=2,share=1", {2: 1.0}),
    ],
)
def test_lengths(text: str, shares: dict[int, float]) -> None:
    kind = lengths(text)
    assert kind.mean == pytest.approx(sum(flits * share for flits, share in shares.items()))
    assert kind.most == max(shares)
    found = kind.draw(np.random.default_rng(3), 20_000)
    assert set(found.tolist()) == set(shares)
    counts = [(found == flits).sum() for flits in shares]
    expected = [20_000 * share for share in shares.values()]
    assert len(shares) == 1 or stats.chisquare(counts, expected).pvalue > 1e-3


def test_numbers_and_pairs() -> None:
    assert str(lengths(4)) == "4"
    assert str(lengths((1, 4))) == "1..4"
