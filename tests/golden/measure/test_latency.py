import numpy as np
import pytest

from fingerpost.golden.measure.latency import PERCENTILES, Latencies, by_class, by_flow, by_hops
from fingerpost.golden.measure.statistics import Estimate, by_batch, estimate
from fingerpost.golden.routing.table import Table
from fingerpost.golden.topology import Grid
from tests.golden.graphs import Gamble


def test_interval_is_that_of_the_tables_of_student() -> None:
    # t(0.975) is 12.706 with 1 degree of freedom, 2.262 with 9.
    assert estimate([1, 3]) == pytest.approx((2, 2 - 12.706, 2 + 12.706), rel=1e-4)
    ten = np.arange(10)  # variance 110/12
    half = 2.2622 * (110 / 12 / 10) ** 0.5
    assert estimate(ten) == pytest.approx((4.5, 4.5 - half, 4.5 + half), rel=1e-4)


def test_one_batch_tells_nothing_about_its_error() -> None:
    assert estimate([7]) == Estimate(7, None, None)
    assert estimate([7]).interval is None
    assert estimate([5, 5]).interval == [5, 5]


def test_batches_are_of_one_length_and_in_order() -> None:
    time = np.array([9, 10, 11, 12, 13, 28, 29, 30])
    total, count = by_batch(time, 10 ** np.arange(8), start=10, cycles=20)
    assert total.tolist() == [110, 11000, 0, 0, 0, 0, 0, 0, 0, 1_100_000]
    assert count.tolist() == [2, 2, 0, 0, 0, 0, 0, 0, 0, 2]


def test_few_cycles_are_few_batches() -> None:
    total, count = by_batch(np.array([0, 1, 2]), np.array([5, 6, 7]), start=0, cycles=3)
    assert (total.tolist(), count.tolist()) == ([5, 6, 7], [1, 1, 1])


def latencies(rows: list[tuple[int, int, int, int]], cycles: int = 20) -> Latencies:
    """Return those of packets (source, destination, made, latency), measured from cycle 100 on."""
    found = Latencies(start=100, cycles=cycles, flows=True)
    found.add(*np.array(rows, np.int64).reshape(-1, 4).T)
    return found


def test_mean_is_over_packets_and_interval_over_batches() -> None:
    # Two batches of one cycle each: means 10 and 20; t(0.975, 1) = 12.706, error 5.
    found = latencies([(0, 1, 100, 10), (0, 1, 101, 15), (1, 0, 101, 25)], cycles=2).mean
    assert found is not None
    mean = 50 / 3
    assert found == pytest.approx((mean, mean - 5 * 12.706, mean + 5 * 12.706), rel=1e-4)


def test_empty_batch_leaves_no_interval() -> None:
    found = latencies([(0, 1, 100, 10), (0, 1, 101, 20)], cycles=3).mean
    assert found is not None
    assert (found.mean, found.interval) == (15, None)


def test_nothing_has_no_latency() -> None:
    nothing = latencies([])
    assert nothing.mean is None
    assert nothing.percentiles == dict.fromkeys(PERCENTILES)
    assert by_flow(nothing) == []
    assert by_hops(nothing, Table(Grid(sizes=[3]))) == []


def test_percentiles_are_those_of_numpy() -> None:
    rng = np.random.default_rng(3)
    for count in (1, 2, 37, 400):
        latency = rng.geometric(0.02, count)
        found = latencies([(0, 1, 100, each) for each in latency.tolist()]).percentiles
        assert list(found.values()) == np.percentile(latency, list(PERCENTILES.values())).tolist()


def test_packets_may_come_in_parts() -> None:
    rng = np.random.default_rng(4)
    rows = np.stack([*rng.integers(3, size=(2, 90)), rng.integers(100, 120, 90)], axis=1)
    table = np.column_stack([rows, rng.integers(1, 50, 90)])
    row_of = rng.integers(2, size=90)
    whole, parts = (Latencies(start=100, cycles=20, flows=True) for _ in range(2))
    source, destination, made, latency = table.T
    whole.add(source, destination, made, latency, row_of)
    for part in np.split(np.arange(90), [0, 1, 40]):
        columns = (column[part] for column in (source, destination, made, latency, row_of))
        parts.add(*columns)
    assert whole.packets == parts.packets == 90
    assert whole.mean == parts.mean
    assert whole.percentiles == parts.percentiles
    assert by_class(whole) == by_class(parts)
    assert by_flow(whole) == by_flow(parts)
    for number in range(2):
        some = table[row_of == number, 3]
        expected = {"packets": len(some), "mean": some.mean(), "max": some.max()}
        assert by_class(whole)[number] == {"class": number, **expected}


def test_flows_are_counted_if_asked_for() -> None:
    with pytest.raises(ValueError, match=r"^Latencies need flows=True to be told apart by flow"):
        by_flow(Latencies(start=0, cycles=9))


ROWS = [(0, 2, 100, 11), (0, 1, 100, 5), (2, 0, 101, 13), (0, 1, 104, 6), (1, 0, 105, 9)]


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
