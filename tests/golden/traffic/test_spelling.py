from pathlib import Path

import pytest

from fingerpost.golden.traffic import ARRIVALS, LENGTHS, PATTERNS
from fingerpost.golden.traffic.arrivals import OnOff, SelfSimilar
from fingerpost.golden.traffic.patterns.hotspot import Hotspot, RandomPermutation
from fingerpost.golden.traffic.patterns.table import Trace
from fingerpost.golden.traffic.patterns.uniform import Uniform
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
    "text",
    ["uniform", "randperm:seed=3", "hotspot:nodes=1,2;3,4,share=0.123456789012345", "tornado"],
)
def test_patterns_are_spelt_as_they_are_read(text: str) -> None:
    assert str(pattern(text)) == text
    assert pattern(pattern(text)) == pattern(text)


@pytest.mark.parametrize("text", ["bernoulli", "on-off:beta=0.05", "self-similar:sources=4,on=1.5"])
def test_arrivals_are_spelt_as_they_are_read(text: str) -> None:
    assert str(arrivals(text)) == text
    assert arrivals(arrivals(text)) == arrivals(text)


@pytest.mark.parametrize("text", ["4", "1..8", "bimodal:1,5,0.2"])
def test_lengths_are_spelt_as_they_are_read(text: str) -> None:
    assert str(lengths(text)) == text
    assert lengths(lengths(text)) == lengths(text)
