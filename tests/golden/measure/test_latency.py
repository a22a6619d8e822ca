import numpy as np
import pytest

from fingerpost.golden.measure.latency import PERCENTILES, Latencies, by_class, by_flow, by_hops
from fingerpost.golden.routing.table import Table
from fingerpost.golden.topology import Grid
from tests.golden.graphs import Gamble


def latencies(rows: list[tuple[int, int, int]]) -> Latencies:
    """Return those of packets (source, destination, latency)."""
    found = Latencies(flows=True)
    found.add(*np.array(rows, np.int64).reshape(-1, 3).T)
    return found


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


def test_flows_are_counted_if_asked_for() -> None:
    with pytest.raises(ValueError, match=r"^Latencies need flows=True to be told apart by flow"):
        by_flow(Latencies())


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
