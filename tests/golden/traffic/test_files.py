"""Matrices and traces from files."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from fingerpost.golden.topology import Grid
from fingerpost.golden.traffic import Traffic
from fingerpost.golden.traffic.patterns.table import Matrix, Trace
from fingerpost.golden.traffic.spelling import pattern
from tests.golden.model.networks import borel21

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
