"""Arrivals and lengths, and how they are spelled."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.traffic.arrivals import Arrivals, Bernoulli, OnOff, SelfSimilar
from fingerpost.golden.traffic.patterns.base import Hotspot, RandomPermutation, Uniform
from fingerpost.golden.traffic.patterns.table import Trace
from fingerpost.golden.traffic.spelling import arrivals, lengths, pattern

ALL = [
    "bernoulli",
    "on-off",
    "on-off:alpha=0.01,beta=0.05",
    "self-similar",
    "self-similar:2,1.5,1.5",
]


def made(process: Arrivals, rate: float, terminals: int, cycles: int) -> tuple[IntArray, IntArray]:
    rng = np.random.default_rng(5)
    return process.times(rng, np.full(terminals, rate), cycles)


def counts(process: Arrivals, rate: float, terminals: int, cycles: int) -> IntArray:
    """Packets by terminal and cycle."""
    source, time = made(process, rate, terminals, cycles)
    table = np.zeros((terminals, cycles), np.int64)
    np.add.at(table, (source, time), 1)
    return table


@pytest.mark.parametrize("name", ALL)
def test_by_terminal_then_by_cycle(name: str) -> None:
    source, time = made(arrivals(name), 0.1, 30, 777)
    assert (np.diff(source) >= 0).all()
    assert (np.diff(time)[np.diff(source) == 0] >= 0).all()
    assert 0 <= time.min() <= time.max() < 777
    assert source.max() < 30


@pytest.mark.parametrize("name", ALL)
def test_the_rate_is_kept_from_the_first_cycle_to_the_last(name: str) -> None:
    # Means over terminals: the periods of one say nothing of another's.
    table = counts(arrivals(name), 0.1, 2000, 200)
    for part in (table[:, :20], table[:, 90:110], table[:, -20:], table):
        each = part.mean(axis=1)
        assert each.mean() == pytest.approx(0.1, abs=4 * each.std() / 2000**0.5)
    assert each.std() / 2000**0.5 < 0.005  # or the test would say nothing


@pytest.mark.parametrize("name", ALL)
def test_terminals_have_rates_of_their_own(name: str) -> None:
    rate = np.tile([0.0, 0.05, 0.15], 500)
    source, _ = arrivals(name).times(np.random.default_rng(2), rate, 2000)
    each = np.bincount(source, minlength=1500).reshape(500, 3) / 2000
    assert each[:, 0].max() == 0
    assert each[:, 1:].mean(axis=0) == pytest.approx([0.05, 0.15], rel=0.1)


def test_bernoulli_is_independent() -> None:
    table = counts(Bernoulli(), 0.2, 300, 2000)
    assert table.max() == 1
    assert (table[:, 1:] * table[:, :-1]).mean() == pytest.approx(0.04, abs=0.002)


def test_every_cycle_at_a_rate_of_one() -> None:
    assert counts(Bernoulli(), 1.0, 3, 50).tolist() == [[1] * 50] * 3
    assert counts(SelfSimilar(sources=2), 1.0, 200, 500).mean() == pytest.approx(1, abs=0.05)


def test_bursts_and_silences_are_geometric() -> None:
    # At the highest rate a terminal is given a packet in every cycle of a burst.
    alpha, beta = 0.1, 0.25
    process = OnOff(alpha, beta)
    assert process.most == pytest.approx(0.1 / 0.35)
    table = counts(process, process.most, 400, 2000)
    assert table.max() == 1
    edge = np.diff(table, axis=1)
    on_after_off = (edge == 1).sum() / (table[:, :-1] == 0).sum()
    off_after_on = (edge == -1).sum() / (table[:, :-1] == 1).sum()
    assert on_after_off == pytest.approx(alpha, rel=0.02)
    assert off_after_on == pytest.approx(beta, rel=0.02)
    lengths = np.concatenate(
        [np.diff(np.flatnonzero(np.diff(row, prepend=0, append=0)))[::2] for row in table]
    )
    assert lengths.mean() == pytest.approx(1 / beta, rel=0.03)
    for k in (1, 2, 5):  # P(length > k) = (1 - beta)^k
        assert (lengths > k).mean() == pytest.approx((1 - beta) ** k, rel=0.06)


def test_packets_come_at_random_within_a_burst() -> None:
    # Long periods: where there is a packet, the chance of another in the next cycle is that of a
    # cycle of a burst, rate (alpha + beta) / alpha, as in BookSim 2.
    process = OnOff(0.001, 0.004)
    table = counts(process, 0.06, 400, 20_000)
    both = (table[:, 1:] * table[:, :-1]).sum() / table[:, :-1].sum()
    assert both == pytest.approx(0.06 * 5 * (1 - 0.004), rel=0.05)


def variance_slope(table: IntArray, rate: float) -> float:
    """How fast the variance of means over m cycles falls: m to this power."""
    sizes = [32, 64, 128, 256, 512, 1024]
    means = (table.reshape(len(table), -1, m).mean(axis=2) for m in sizes)
    spread = [((mean - rate) ** 2).mean() for mean in means]
    return float(np.polyfit(np.log(sizes), np.log(spread), 1)[0])


def test_self_similar_traffic_stays_rough_in_long_means() -> None:
    # H = (3 - 1.4) / 2, and the power is 2 H - 2; -1 if cycles are independent.
    process = SelfSimilar(sources=4, on=1.4, off=1.4)
    rough = variance_slope(counts(process, 0.2, 100, 1 << 15), 0.2)
    smooth = variance_slope(counts(Bernoulli(), 0.2, 100, 1 << 15), 0.2)
    assert smooth == pytest.approx(-1, abs=0.06)
    assert rough == pytest.approx(-0.4, abs=0.07)


def test_pareto_bursts() -> None:
    # Sources seldom meet at a low rate. A burst of length x >= 1 begins anywhere in a cycle: it has
    # more than 4 packets with the chance x - 4, surely beyond 5; P(length > x) = x^-3.
    table = counts(SelfSimilar(sources=2, on=3.0, off=1.5), 0.002, 2000, 4000)
    edges = (np.diff(np.minimum(row, 1), prepend=0, append=0) for row in table)
    runs = np.concatenate([np.diff(np.flatnonzero(edge))[::2] for edge in edges])
    assert runs.mean() == pytest.approx(3 / 2, rel=0.05)
    assert (runs > 4).mean() == pytest.approx((4.0**-2 - 5.0**-2) / 2, rel=0.2)


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
