import re
from pathlib import Path

import pytest

from fingerpost.golden.parameters import either
from fingerpost.golden.traffic import ARRIVALS, LENGTHS, PATTERNS
from fingerpost.golden.traffic.arrivals import OnOff, SelfSimilar
from fingerpost.golden.traffic.patterns import Hotspot, RandomPermutation, Trace, Uniform
from fingerpost.golden.traffic.spelling import arrivals, lengths, pattern


def test_names_are_those_of_the_registries() -> None:
    for kinds in (PATTERNS, ARRIVALS, LENGTHS):
        assert all(kind.name == name for name, kind in kinds.items())


def test_parameters_by_name_and_by_place() -> None:
    assert pattern("uniform") == pattern("uniform:") == Uniform()
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


PATTERN = f"Traffic needs pattern {either(PATTERNS)}, not "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"{PATTERN}''"),
        ("Uniform", f"{PATTERN}'Uniform'"),
        ("uniform:1", "Traffic uniform takes no parameters, not '1' besides"),
        ("uniform:x=1", "Traffic uniform takes no parameters, not 'x'"),
        ("randperm:seed=x", "Traffic randperm needs a whole number for seed, not 'x'"),
        ("randperm:seed=-1", "Traffic randperm needs a seed of at least 0, not -1"),
        ("randperm:1,2", "Traffic randperm takes seed, not '2' besides"),
        ("randperm:1,seed=2", "Traffic randperm needs seed once, not '2' besides"),
        ("randperm:", ""),
        ("hotspot", "Traffic hotspot needs nodes, as in hotspot:nodes=0"),
        ("hotspot:share=0.2", "Traffic hotspot needs nodes, as in hotspot:nodes=0"),
        ("hotspot:nodes=", "Traffic hotspot needs some text for nodes, not ''"),
        ("hotspot:nodes=0,shar=1", "Traffic hotspot takes nodes or share, not 'shar'"),
        ("hotspot:0,share=2", "Traffic hotspot needs a share above 0 and up to 1, not 2"),
        ("hotspot:0,share=nan", "Traffic hotspot needs a share above 0 and up to 1, not nan"),
        ("hotspot:0,share=a", "Traffic hotspot needs a number for share, not 'a'"),
    ],
)
def test_tells_what_a_pattern_needs(text: str, message: str) -> None:
    if not message:
        assert pattern(text) == RandomPermutation()
        return
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        pattern(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("poisson", "Traffic needs arrivals bernoulli, on-off or self-similar, not 'poisson'"),
        ("on-off:alpha=0", "Arrivals on-off needs alpha above 0 and up to 1, not 0"),
        ("on-off:beta=1.5", "Arrivals on-off needs beta above 0 and up to 1, not 1.5"),
        ("self-similar:1", "Arrivals self-similar needs at least 2 sources, not 1"),
        ("self-similar:off=1", "Arrivals self-similar needs off above 1, not 1"),
    ],
)
def test_tells_what_arrivals_need(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        arrivals(text)
