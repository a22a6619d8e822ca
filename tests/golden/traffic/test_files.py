"""Matrices and traces from files, and arrivals in time."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray
from scipy import stats

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology import Grid
from fingerpost.golden.traffic import Traffic
from fingerpost.golden.traffic.arrivals import Arrivals, Bernoulli, OnOff, SelfSimilar
from fingerpost.golden.traffic.patterns.base import Hotspot, RandomPermutation, Uniform
from fingerpost.golden.traffic.patterns.table import Matrix, Trace
from fingerpost.golden.traffic.spelling import arrivals, lengths, pattern
from tests.networks import borel21

RECORDED = {
    "cycle": [1000, 1003, 1003, 1010, 1001],
    "src": [4, 0, 4, 20, 0],
    "dst": [5, 20, 0, 20, 1],
    "size": [1, 5, 2, 3, 1],
}
"""Fields named as netrace names its own; `size` in flits."""

MAPPED = "source=src,destination=dst,flits=size"


def csv_file(folder: Path, columns: dict[str, list[int]], name: str = "trace.csv") -> Path:
    rows = zip(*columns.values(), strict=True)
    path = folder / name
    path.write_text("\n".join(",".join(map(str, row)) for row in [tuple(columns), *rows]) + "\n")
    return path


def parquet_file(folder: Path, columns: dict[str, list[int]]) -> Path:
    path = folder / "trace.parquet"
    pq.write_table(pa.table(columns | {"type": ["read"] * len(columns["cycle"])}), path)
    return path


def packets(text: str, load: float | None = None, cycles: int = 100) -> list[tuple[int, ...]]:
    made = Traffic(borel21(), load, cycles, pattern=text)
    columns = made.source, made.destination, made.time, made.length
    return list(zip(*(x.tolist() for x in columns), strict=True))


@pytest.mark.parametrize("write", [csv_file, parquet_file])
def test_a_trace_is_sent_as_it_was_recorded(
    write: Callable[[Path, dict[str, list[int]]], Path], tmp_path: Path
) -> None:
    path = write(tmp_path, RECORDED)
    text = f"trace:{path},{MAPPED}"
    assert packets(text) == [
        (0, 1, 1, 1), (0, 20, 3, 5), (4, 5, 0, 1), (4, 0, 3, 2), (20, 20, 10, 3),
    ]  # fmt: skip
    assert packets(text, cycles=4) == [(0, 1, 1, 1), (0, 20, 3, 5), (4, 5, 0, 1), (4, 0, 3, 2)]
    assert packets(str(pattern(text))) == packets(text)


def test_time_runs_faster_for_a_higher_load(tmp_path: Path) -> None:
    text = f"trace:{csv_file(tmp_path, RECORDED)},{MAPPED}"
    trace = pattern(text)
    assert isinstance(trace, Trace)
    own = trace.load(borel21().topology)
    assert own == pytest.approx(12 / 11 / 21)
    assert [packet[2] for packet in packets(text, 2 * own)] == [0, 1, 0, 1, 5]
    assert [packet[2] for packet in packets(text, own / 2)] == [2, 6, 0, 6, 20]


def test_the_matrix_of_a_trace_counts_flits(tmp_path: Path) -> None:
    demand = pattern(f"trace:{csv_file(tmp_path, RECORDED)},{MAPPED}").demand(borel21().topology)
    rows = demand.rows(np.arange(21)) * 12 / 21
    expected = np.zeros((21, 21))
    for s, d, flits in ((4, 5, 1), (0, 20, 5), (4, 0, 2), (20, 20, 3), (0, 1, 1)):
        expected[s, d] = flits
    assert rows == pytest.approx(expected)


def rows_of(text: str) -> NDArray[np.float64]:
    demand = pattern(text).demand(Grid(sizes=[2, 2]))
    return demand.rows(np.arange(4))


def test_weights_in_proportion_and_added_up(tmp_path: Path) -> None:
    path = csv_file(tmp_path, {"from": [0, 0, 0, 3], "to": [2, 1, 2, 0], "w": [1, 2, 1, 4]})
    text = f"matrix:{path},source=from,destination=to,weight=w"
    assert rows_of(text).tolist() == [[0, 1, 1, 0], [0] * 4, [0] * 4, [2, 0, 0, 0]]


def test_no_terminal_sends_more_than_a_packet_a_cycle(tmp_path: Path) -> None:
    # Of 21 terminals 3 send, one of them half of all: 10.5 times the mean.
    path = csv_file(tmp_path, {"source": [0, 1, 2], "destination": [20] * 3, "weight": [2, 1, 1]})
    made = Traffic(borel21(), 2 / 10.5, 50, pattern=f"matrix:{path}", lengths=2)
    assert np.bincount(made.source)[0] == 50
    with pytest.raises(
        ValueError, match=r"^Traffic needs a load above 0 and up to 0\.190476 flits "
    ):
        Traffic(borel21(), 0.2, 50, pattern=f"matrix:{path}", lengths=2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "at,source,destination\n0,0,1\n",
            ": needs a column cycle, or cycle=NAME of another; there are at, source, destination",
        ),
        ("", ": needs a column cycle, or cycle=NAME of another; there are none"),
        ("cycle,source,destination,flits\n", ": needs at least one row below the names"),
        (
            "cycle,source,destination,flits\n0,0,1,1\n0,x,1,1\n",
            ":3: source: needs a whole number, not 'x'",
        ),
        ("cycle,source,destination,flits\n0,0,1\n", ":2: flits: needs a whole number, not ''"),
        ("cycle,source,destination,flits\n0,0,1,0\n", ": flits: needs at least 1 flit"),
        (
            "cycle,source,destination,flits\n0,0,1,2,5\n",
            ":2: needs 4 cells, as there are columns, not 5",
        ),
        (
            "cycle,source,destination,flits\n0,1_0,1,2\n",
            ":2: source: needs a whole number, not '1_0'",
        ),
        (
            "cycle,source,source,destination,flits\n0,1,2,1,2\n",
            ": needs one column source, or source=NAME of another; there are two",
        ),
        (f"{'a' * 200_000}\n", ": not CSV: field larger than field limit (131072)"),
    ],
)
def test_tells_what_a_trace_needs(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"^{re.escape(f'{path}{message}')}$"):
        pattern(f"trace:{path}")


def test_tells_which_row_names_no_terminal(tmp_path: Path) -> None:
    path = csv_file(tmp_path, {"source": [0, 4], "destination": [1, 0], "weight": [1, 1]})
    message = f"{path}: row 2: source: needs a node that has a terminal, of 0..3, not 4"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        rows_of(f"matrix:{path}")


@pytest.mark.parametrize("weight", [-1, 0, "nan", "inf", 1e308, 1e-320])
def test_refuses_weights_that_are_none(weight: object, tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text(f"source,destination,weight\n0,1,{weight}\n")
    with pytest.raises(ValueError, match=r": weight: needs weights that are 0 or in 1e-100\.\."):
        Matrix(str(path))


def test_refuses_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"none\.csv: there is no such file$"):
        Trace(str(tmp_path / "none.csv"))
    for name in ("a.csv", "a.parquet"):
        (tmp_path / name).write_bytes(b"\xff\xfe\x00PAR1")
        with pytest.raises(ValueError, match=rf"{name}: not "):
            Trace(str(tmp_path / name))


def test_parquet_needs_whole_numbers(tmp_path: Path) -> None:
    path = tmp_path / "trace.parquet"
    for column, found in (
        ([0.5, 1], "whole numbers, not 0.5"),
        (["a", "b"], "numbers in every row"),
    ):
        table = {"cycle": column, "source": [0, 1], "destination": [1, 0], "flits": [1, 1]}
        pq.write_table(pa.table(table), path)
        with pytest.raises(ValueError, match=rf"trace\.parquet: cycle: needs {found}"):
            Trace(str(path))


def test_tells_how_to_install_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = parquet_file(tmp_path, RECORDED)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    message = (
        f"{path}: Parquet needs the Python package pyarrow; run `pip install 'fingerpost[parquet]'`"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Trace(str(path))


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
