"""Statistics of processes whose answers are known: AR(1), and a queue; latencies; bisection."""

import re
from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from fingerpost.golden.measure.latency import PERCENTILES, Latencies, by_class, by_flow, by_hops
from fingerpost.golden.measure.simulation import Bisection
from fingerpost.golden.measure.statistics import (
    Estimate,
    Growth,
    batch_means,
    blocks,
    estimate,
    growth,
    mser,
    uncorrelated,
)
from fingerpost.golden.routing.table import Table
from fingerpost.golden.topology import Grid
from tests.golden.graphs import Gamble

Floats = NDArray[np.float64]


def autoregressive(
    rng: np.random.Generator, series: int, values: int, *, memory: float, first: float = 0.0
) -> Floats:
    """Return AR(1) processes of mean 0, (values, series)."""
    found = np.empty((values, series))
    found[0] = first
    noise = rng.normal(size=(values, series))
    for i in range(1, values):
        found[i] = memory * found[i - 1] + noise[i]
    return found


def queues(rng: np.random.Generator, load: float, slots: int, count: int) -> Floats:
    """Return waiting customers of queues that serve one a slot, Poisson arrivals: (slots, count).

    The mean is load^2 / (2 (1 - load)); it is that of M/D/1.
    """
    walk = np.cumsum(rng.poisson(load, (slots, count)) - 1, axis=0)
    return (walk - np.minimum(np.minimum.accumulate(walk), 0)).astype(np.float64)


def test_interval_is_that_of_the_tables_of_student() -> None:
    # t(0.975) is 12.706 with 1 degree of freedom, 2.262 with 9, 2.131 with 15.
    assert estimate([1, 3]) == pytest.approx((2, 2 - 12.706, 2 + 12.706), rel=1e-4)
    for count, quantile in ((8, 2.36462), (10, 2.26216), (16, 2.13145)):
        values = np.arange(count)  # variance n (n + 1) / 12
        mean, half = (count - 1) / 2, quantile * ((count + 1) / 12) ** 0.5
        assert estimate(values) == pytest.approx((mean, mean - half, mean + half), rel=1e-4)


def test_one_value_tells_nothing_about_its_error() -> None:
    assert estimate([7]) == Estimate(7, None, None)
    assert estimate([7]).interval is None
    assert estimate([5, 5]).interval == [5, 5]
    assert estimate([5, 5]).within(0)
    assert not estimate([7]).within(0.99)
    assert Estimate(10, 9, 11).within(0.1)
    assert not Estimate(10, 9, 11).within(0.09)


def test_intervals_contain_the_mean_of_an_autoregressive_process() -> None:
    """It starts far from its mean 0, and neighbours are alike: 45 values go by for one."""
    series = autoregressive(np.random.default_rng(3), 200, 6000, memory=0.95, first=-60)
    inside = biased = 0
    for each in series.T:
        bins = blocks(each, 200) / 30 + 100
        found = batch_means(bins[mser(bins) :], np.ones(200 - mser(bins)))
        assert found is not None
        low, high = found.interval or (0, 0)
        inside += low <= 100 <= high
        plain = batch_means(bins, np.ones(200))
        biased += plain is not None and plain.high is not None and plain.high < 100
    assert inside >= 0.9 * 200
    assert biased >= 5  # the warm-up matters


@pytest.mark.parametrize(("load", "slots"), [(0.5, 4000), (0.8, 20_000), (0.9, 40_000)])
def test_intervals_contain_the_mean_of_a_queue(load: float, slots: int) -> None:
    expected = load**2 / (2 * (1 - load))
    sure = inside = 0
    for each in queues(np.random.default_rng(4), load, slots, 100).T:
        bins = blocks(each, 200)
        found = batch_means(bins, np.full(200, slots // 200))
        assert found is not None
        if found.low is not None and found.high is not None:
            sure += 1
            inside += found.low <= expected <= found.high
    assert sure == 100
    assert inside >= 91


def test_batches_that_are_alike_make_no_interval() -> None:
    rising = np.arange(64.0)
    assert not uncorrelated(rising, np.ones(64))
    assert not uncorrelated(rising[:9], np.ones(9))
    assert uncorrelated(np.random.default_rng(1).normal(size=64), np.ones(64))
    assert batch_means(rising, np.eye(64)[3]) == Estimate(2016)  # most batches are empty
    assert batch_means(rising, np.zeros(64)) is None
    assert batch_means(rising[:9], np.ones(9)) == Estimate(4)


def told(load: float, slots: int, count: int = 60, seed: int = 5) -> Counter[Growth]:
    """Return what is said of a queue under a load, by looking at 256 values."""
    every = queues(np.random.default_rng(seed), load, slots, count)[:: slots // 256]
    return Counter(growth(each[:, None]) for each in every.T)


def test_a_queue_below_its_capacity_is_stable_and_one_above_grows() -> None:
    assert told(0.5, 2000)[Growth.STABLE] >= 58
    assert told(0.95, 100_000)[Growth.STABLE] >= 55
    assert told(1.02, 100_000)[Growth.GROWING] >= 55
    assert told(1.5, 2000)[Growth.GROWING] >= 58


@pytest.mark.parametrize("slots", [2000, 8000, 32_000])
def test_short_runs_do_not_contradict_long_ones(slots: int) -> None:
    assert told(0.95, slots)[Growth.GROWING] <= 2
    assert told(1.02, slots)[Growth.STABLE] <= 2
    critical = told(1.0, slots, count=200)
    assert critical[Growth.STABLE] <= 0.08 * 200  # 5 % of random walks look so
    assert critical[Growth.GROWING] <= 0.03 * 200


def test_one_queue_of_many_that_grows_is_enough() -> None:
    rng = np.random.default_rng(6)
    series = queues(rng, 0.8, 25_600, 60)
    assert growth(series[::100]) is Growth.STABLE
    series[:, 7] = queues(rng, 1.05, 25_600, 1)[:, 0]
    assert growth(series[::100]) is Growth.GROWING


def test_growth_of_all_is_seen_where_that_of_each_is_not() -> None:
    rng = np.random.default_rng(7)
    noise, growing = rng.normal(size=(256, 400)), np.linspace(0, 0.8, 256)[:, None]
    assert growth(noise) is Growth.STABLE
    assert growth(noise + growing) is Growth.GROWING


def test_what_falls_does_not_grow_and_few_values_say_nothing() -> None:
    assert growth(np.linspace(9, 0, 64)[:, None]) is Growth.UNDECIDED
    assert growth(np.zeros((64, 3))) is Growth.STABLE
    assert growth(np.zeros((7, 3))) is Growth.UNDECIDED
    assert growth(np.arange(64.0)[:, None]) is Growth.GROWING


def latencies(rows: list[tuple[int, int, int]]) -> Latencies:
    """Return those of packets (source, destination, latency)."""
    found = Latencies(flows=True)
    found.add(*np.array(rows, np.int64).reshape(-1, 3).T)
    return found


def test_percentiles_are_those_of_numpy() -> None:
    rng = np.random.default_rng(3)
    for count in (1, 2, 37, 400):
        latency = rng.geometric(0.02, count)
        found = latencies([(0, 1, each) for each in latency.tolist()]).percentiles
        assert list(found.values()) == np.percentile(latency, list(PERCENTILES.values())).tolist()


def test_packets_may_come_in_parts() -> None:
    rng = np.random.default_rng(4)
    rows = np.stack([*rng.integers(3, size=(2, 90))], axis=1)
    table = np.column_stack([rows, rng.integers(1, 50, 90)])
    row_of = rng.integers(2, size=90)
    whole, parts = (Latencies(flows=True) for _ in range(2))
    source, destination, latency = table.T
    whole.add(source, destination, latency, row_of)
    both = Latencies(flows=True)
    for part in np.split(np.arange(90), [0, 1, 40]):
        columns = (column[part] for column in (source, destination, latency, row_of))
        parts.add(*columns)
        one = Latencies(flows=True)
        one.add(*(column[part] for column in (source, destination, latency, row_of)))
        both = both + one
    assert whole.packets == parts.packets == 90
    assert whole.mean == pytest.approx(latency.mean())
    assert both.counts.tolist() == whole.counts.tolist()
    assert both.flows is not None
    assert by_flow(both) == by_flow(whole)
    assert whole.mean == parts.mean
    assert whole.percentiles == parts.percentiles
    assert by_class(whole) == by_class(parts)
    assert by_flow(whole) == by_flow(parts)
    for number in range(2):
        some = table[row_of == number, 2]
        expected = {"packets": len(some), "mean": some.mean(), "max": some.max()}
        assert by_class(whole)[number] == {"class": number, **expected}


ROWS = [(0, 2, 11), (0, 1, 5), (2, 0, 13), (0, 1, 6), (1, 0, 9)]


def test_by_flow() -> None:
    assert [tuple(row.values()) for row in by_flow(latencies(ROWS))] == [
        (0, 1, 2, 5.5, 6), (0, 2, 1, 11, 11), (1, 0, 1, 9, 9), (2, 0, 1, 13, 13),
    ]  # fmt: skip
    assert list(by_flow(latencies(ROWS))[0]) == ["source", "destination", "packets", "mean", "max"]


def test_by_hops() -> None:
    line = Grid(sizes=[3])
    expected = [
        {"hops": 1, "packets": 3, "mean": 20 / 3, "max": 9},
        {"hops": 2, "packets": 2, "mean": 12, "max": 13},
    ]
    assert by_hops(latencies(ROWS), Table(line)) == expected
    # Where chance decides, by distance.
    assert by_hops(latencies(ROWS), Gamble(line)) == expected


def tried(saturation: float, **options: float) -> tuple[list[float], Bisection]:
    search = Bisection(**options)
    loads: list[float] = []
    while search.load is not None:
        assert 0 < search.left <= search.steps - len(loads)
        loads.append(search.load)
        search.tell(saturated=loads[-1] > saturation)
    assert search.left == 0
    return loads, search


@pytest.mark.parametrize("saturation", [0.003, 0.01, 0.2, 0.427, 0.5, 0.63, 0.995, 0.9999])
@pytest.mark.parametrize("resolution", [0.01, 0.003, 0.5])
def test_finds_the_load_as_close_as_asked_for(saturation: float, resolution: float) -> None:
    loads, search = tried(saturation, resolution=resolution)
    assert search.saturation is not None
    step = 1 / round(1 / resolution)
    assert 0 <= saturation - search.saturation < step + 1e-9
    assert search.beyond == pytest.approx(search.saturation + step)
    assert len(loads) <= search.steps
    assert len(set(loads)) == len(loads)


def test_no_saturation_is_seen_at_once() -> None:
    loads, search = tried(2)
    assert (loads, search.saturation, search.beyond) == ([1.0], None, None)


def test_limit_is_that_of_the_terminals() -> None:
    loads, search = tried(2.3, limit=4.0, resolution=0.5)
    assert (loads[0], search.saturation) == (4.0, 2.0)


@pytest.mark.parametrize("resolution", [0, -1, 0.6, float("nan")])
def test_refuses_a_resolution(resolution: float) -> None:
    message = (
        "Bisection needs a resolution above 0 and up to 0.5, half of the greatest load, "
        f"not {resolution:g}"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Bisection(resolution=resolution)
