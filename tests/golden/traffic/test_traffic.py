"""Packets of a seed: the same as ever, the same wherever they are made."""

import json

import numpy as np
import pytest

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.traffic import Traffic
from fingerpost.testbench.benches.network import NetworkBench
from tests.golden.model.networks import borel21

COLUMNS = "source", "destination", "time", "length", "kind", "salt"


def columns(traffic: Traffic) -> dict[str, list[int]]:
    return {name: getattr(traffic, name).tolist() for name in COLUMNS}


def as_ever(load: float, cycles: int, seed: int, low: int, high: int) -> list[IntArray]:
    """Source, destination, time and length, drawn as they were before there were patterns."""
    rng = np.random.default_rng(seed)
    count = rng.binomial(cycles, load / ((low + high) / 2), size=21)
    source = np.repeat(np.arange(21), count)
    time = np.concatenate([np.sort(rng.choice(cycles, c, replace=False)) for c in count])
    other = rng.integers(20, size=len(source))
    return [source, other + (other >= source), time, rng.integers(low, high + 1, size=len(source))]


@pytest.mark.parametrize("given", [(0.2, 300, 0, 1, 1), (0.9, 200, 7, 1, 5), (0.5, 100, 3, 4, 4)])
def test_uniform_packets_of_a_seed_are_what_they_were(
    given: tuple[float, int, int, int, int],
) -> None:
    load, cycles, seed, low, high = given
    made = Traffic(borel21(), load, cycles, seed=seed, lengths=(low, high))
    found = made.source, made.destination, made.time, made.length
    for new, old in zip(found, as_ever(*given), strict=True):
        assert new.tolist() == old.tolist()


@pytest.mark.parametrize(
    "words",
    [
        {},
        {
            "traffic": "hotspot:nodes=0;5,share=0.2",
            "arrivals": "on-off:alpha=0.05,beta=0.1",
            "lengths": "2",
        },
        {"traffic": "bitrev", "arrivals": "self-similar", "lengths": "bimodal:1,5,0.2"},
    ],
)
def test_a_bench_makes_the_packets_of_the_model(words: dict[str, str]) -> None:
    bench = NetworkBench(borel21(), cycles=200, load=0.2, seed=4, **words)  # type: ignore[arg-type]
    given = json.loads(json.dumps(bench.parameters()))
    there = Traffic(
        borel21(),
        given["load"],
        given["cycles"],
        seed=given["seed"],
        lengths=given["lengths"],
        pattern=given["traffic"],
        arrivals=given["arrivals"],
    )
    here = Traffic(
        borel21(),
        0.2,
        200,
        seed=4,
        lengths=words.get("lengths", "1..4"),
        pattern=words.get("traffic", "uniform"),
        arrivals=words.get("arrivals", "bernoulli"),
    )
    assert len(here.source) > 100
    assert columns(here) == columns(there)
    assert columns(here) != columns(Traffic(borel21(), 0.2, 200, seed=5, lengths="1..4"))


def test_offered_load() -> None:
    for words in (
        {},
        {"pattern": "transpose"},
        {"arrivals": "on-off"},
        {"lengths": "bimodal:1,9,0.5"},
    ):
        made = Traffic(borel21(), 0.3, 5000, **words)  # type: ignore[arg-type]
        assert made.length.sum() / 5000 / 21 == pytest.approx(0.3, rel=0.05)


@pytest.mark.parametrize(
    ("words", "most"),
    [
        ({"arrivals": "on-off:alpha=0.25,beta=0.75"}, "0.25"),
        ({"arrivals": "on-off:alpha=0.25,beta=0.75", "lengths": "2"}, "0.5"),
    ],
)
def test_refuses_more_than_bursts_can_bring(words: dict[str, str], most: str) -> None:
    Traffic(borel21(), float(most), 100, **words)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=rf"^Traffic needs a load above 0 and up to {most} flits "):
        Traffic(borel21(), float(most) + 0.01, 100, **words)  # type: ignore[arg-type]


def test_needs_a_load() -> None:
    with pytest.raises(ValueError, match=r"^Traffic shuffle needs a load$"):
        Traffic(borel21(), None, 100, pattern="shuffle")
