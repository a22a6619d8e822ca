"""Patterns from a table in a file, whose rows name nodes: a traffic matrix, or a trace."""

import csv
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.traffic.arrivals import Arrivals
from fingerpost.golden.traffic.lengths import Lengths
from fingerpost.golden.traffic.patterns.base import Demand, Packets, Pattern, pairs

Columns = dict[str, NDArray[Any]]


def read_columns(file: str, columns: Mapping[str, tuple[str, type]]) -> Columns:
    """Return the numbers in some columns of a table.

    Parameters
    ----------
    file : str
        ``.parquet``, or else text with commas between the columns and their names in the first row,
        below comments that begin with ``#``.
    columns : mapping
        The name of each column that is returned, to its name in the file and its type, int or
        float.

    Raises
    ------
    ValueError
        If there is no such file or column, or what stands there is no such number.
    """
    path = Path(file)
    if not path.is_file():
        raise ValueError(f"{file}: there is no such file")
    found = _parquet if path.suffix == ".parquet" else _csv
    try:
        return found(path, columns)
    except csv.Error as error:
        raise ValueError(f"{file}: not CSV: {error}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{file}: not text in UTF-8; a Parquet file ends in .parquet") from None


def _place(path: Path, names: list[str], key: str, name: str) -> int:
    if name not in names:
        known = ", ".join(names[:20]) or "none"
        raise ValueError(
            f"{path}: needs a column {name}, or {key}=NAME of another; there are {known}"
        )
    if names.count(name) > 1:
        raise ValueError(
            f"{path}: needs one column {name}, or {key}=NAME of another; there are two"
        )
    return names.index(name)


def _csv(path: Path, columns: Mapping[str, tuple[str, type]]) -> Columns:
    with path.open(encoding="utf-8-sig", newline="") as file:
        comments = 0
        while (first := file.readline()).startswith("#"):
            comments += 1
        rows = csv.reader(chain((first,), file))
        names = [name.strip() for name in next(rows, [])]
        places = [_place(path, names, key, name) for key, (name, _) in columns.items()]
        kinds = [kind for _, kind in columns.values()]
        values: list[list[Any]] = [[] for _ in columns]
        for row in rows:
            if not row:
                continue
            if len(row) > len(names):
                raise ValueError(
                    f"{path}:{rows.line_num}: needs {len(names)} cells, as there are columns, "
                    f"not {len(row)}"
                )
            for value, place, kind in zip(values, places, kinds, strict=True):
                text = row[place] if place < len(row) else ""
                try:
                    value.append(kind(text.replace("_", "?")))  # 1_0 would be 10
                except ValueError:
                    what = "a whole number" if kind is int else "a number"
                    where = f"{path}:{comments + rows.line_num}: {names[place]}"
                    raise ValueError(f"{where}: needs {what}, not {text!r}") from None
    dtypes = [np.int64 if kind is int else np.float64 for kind in kinds]
    try:
        arrays = [np.array(v, dtype) for v, dtype in zip(values, dtypes, strict=True)]
    except OverflowError:
        raise ValueError(f"{path}: needs numbers of at most 63 bits") from None
    return dict(zip(columns, arrays, strict=True))


def _parquet(path: Path, columns: Mapping[str, tuple[str, type]]) -> Columns:
    try:
        from pyarrow.lib import ArrowException
        from pyarrow.parquet import read_schema, read_table
    except ModuleNotFoundError:
        raise ValueError(
            f"{path}: Parquet needs the Python package pyarrow; "
            "run `pip install 'fingerpost[parquet]'`"
        ) from None
    try:
        names = read_schema(path).names
        for key, (name, _) in columns.items():
            _place(path, names, key, name)
        table = read_table(path, columns=sorted({name for name, _ in columns.values()}))
    except ArrowException as error:
        raise ValueError(f"{path}: not a Parquet file: {str(error).splitlines()[0]}") from None
    found: Columns = {}
    for key, (name, kind) in columns.items():
        values = table.column(name)
        if values.null_count or not np.can_cast(
            array := values.to_numpy(), np.float64, "same_kind"
        ):
            raise ValueError(f"{path}: {name}: needs numbers in every row, not {values.type}")
        whole = array.astype(np.int64) if array.dtype.kind in "iuf" else array
        if kind is int and (whole != array).any():
            raise ValueError(f"{path}: {name}: needs whole numbers, not {array[whole != array][0]}")
        found[key] = whole if kind is int else array.astype(np.float64)
    return found


LEAST, MOST = 1e-100, 1e100
"""Weights: their sums and quotients are numbers, too."""


class FromTable(Pattern):
    """A pattern from a CSV or Parquet file.

    Raises
    ------
    ValueError
        If the file is not there or has not the columns that are asked for.
    """

    file: str

    def __post_init__(self) -> None:
        # A worker that makes these packets may run in another folder.
        object.__setattr__(self, "file", str(Path(self.file).resolve()))
        self._check()

    @abstractmethod
    def _check(self) -> None:
        """See to the other parameters, and read the table."""

    @abstractmethod
    def _columns(self) -> dict[str, tuple[str, type]]:
        """Return the columns to read, see `read_columns`."""

    @cached_property
    def table(self) -> Columns:
        """Return the columns of the file; read once.

        Raises
        ------
        ValueError
            If there is nothing in it.
        """
        table = read_columns(self.file, self._columns())
        if not len(table["source"]):
            raise ParameterError("file", f"{self.file}: needs at least one row below the names")
        return table

    def terminals(self, topology: Topology, column: str) -> IntArray:
        """Return the terminals that a column names by their nodes.

        Raises
        ------
        ValueError
            If a node has none.
        """
        node = self.table[column]
        place = np.minimum(np.searchsorted(topology.terminals, node), len(topology.terminals) - 1)
        wrong = np.flatnonzero(topology.terminals[place] != node)
        if len(wrong):
            raise ParameterError(
                "file",
                f"{self.file}: row {wrong[0] + 1}: {column}: needs a node that has a terminal, of "
                f"{topology.terminals[0]}..{topology.terminals[-1]}, not {node[wrong[0]]}",
            )
        return place


@dataclass(frozen=True)
class Matrix(FromTable):
    """Packets go from sources to destinations as weights say; a row of the file is a pair of nodes.

    The load is the mean over all terminals: where the weights of one add up to more, it sends more.
    Pairs that are not there have weight 0, those that are there twice have the sum. With weight 1
    for all, n rows make a permutation.
    """

    name: ClassVar[str] = "matrix"
    file: Annotated[str, Parameter("A CSV or Parquet file.", example="matrix.csv")]
    source: Annotated[str, Parameter("Its column of sources.")] = "source"
    destination: Annotated[str, Parameter("Its column of destinations.")] = "destination"
    weight: Annotated[str, Parameter("Its column of weights, or a number for all.")] = "weight"

    def _columns(self) -> dict[str, tuple[str, type]]:
        columns: dict[str, tuple[str, type]] = {
            "source": (self.source, int),
            "destination": (self.destination, int),
        }
        if not self.weight.isdecimal():
            columns["weight"] = self.weight, float
        return columns

    def _check(self) -> None:
        weight = self.table.get("weight")
        if weight is None:
            return
        some = weight[weight != 0]
        if not (len(some) and ((some >= LEAST) & (some <= MOST)).all()):
            raise ParameterError(
                "weight",
                f"{self.file}: {self.weight}: needs weights that are 0 or in {LEAST:g}..{MOST:g}, "
                "and not all of them 0",
            )

    def demand(self, topology: Topology) -> Demand:
        n = len(topology.terminals)
        source, destination = (self.terminals(topology, key) for key in ("source", "destination"))
        weight = self.table.get("weight", source * 0.0 + 1)
        return Demand.weighted(pairs(n, source, destination, weight))


@dataclass(frozen=True)
class Trace(FromTable):
    """The packets of a file, one a row, in any order; the first is made in cycle 0.

    Without a load they go in the cycles of the file; with one, time runs faster or slower, such
    that the whole trace offers it.
    """

    name: ClassVar[str] = "trace"
    recorded: ClassVar[bool] = True
    memory: ClassVar[bool] = True
    file: Annotated[str, Parameter("A CSV or Parquet file.", example="trace.csv")]
    cycle: Annotated[str, Parameter("Its column of cycles.")] = "cycle"
    source: Annotated[str, Parameter("Its column of sources.")] = "source"
    destination: Annotated[str, Parameter("Its column of destinations.")] = "destination"
    flits: Annotated[str, Parameter("Its column of lengths, or a number for all.")] = "flits"

    def _columns(self) -> dict[str, tuple[str, type]]:
        names = {"cycle": self.cycle, "source": self.source, "destination": self.destination}
        if not self.flits.isdecimal():
            names["flits"] = self.flits
        return {key: (name, int) for key, name in names.items()}

    def _check(self) -> None:
        if self.lengths.min() < 1:
            raise ParameterError("flits", f"{self.file}: {self.flits}: needs at least 1 flit")

    @property
    def lengths(self) -> IntArray:
        """Return the flits of every packet."""
        if self.flits.isdecimal():
            return np.full(len(self.table["source"]), int(self.flits))
        return self.table["flits"]

    @property
    def time(self) -> IntArray:
        """Return the cycles in which packets are made, from that of the first."""
        cycle: IntArray = self.table["cycle"]
        time: IntArray = cycle - cycle.min()
        return time

    def load(self, topology: Topology) -> float:
        """Return the flits per terminal and cycle that the trace offers from first to last."""
        flits = int(self.lengths.sum())
        return flits / (int(self.time.max()) + 1) / len(topology.terminals)

    def demand(self, topology: Topology) -> Demand:
        n = len(topology.terminals)
        source, destination = (self.terminals(topology, key) for key in ("source", "destination"))
        flits = self.lengths.astype(np.float64)
        return Demand.weighted(pairs(n, source, destination, flits))

    def packets(
        self,
        topology: Topology,
        load: float | None,
        cycles: int,
        *,
        arrivals: Arrivals,
        lengths: Lengths,
        rng: np.random.Generator,
        later: bool = False,
    ) -> Packets:
        """Return the packets of the trace that fall into the cycles.

        Raises
        ------
        ValueError
            If the load is impossible.
        """
        if cycles < 1:
            raise ValueError(f"Traffic needs at least 1 cycle, not {cycles}")
        time = self.time
        if load is not None:
            if not load > 0:
                raise ValueError(f"{self.title()} needs a load above 0, not {load:g}")
            time = (time * (self.load(topology) / load)).astype(np.int64)
        source, destination = (self.terminals(topology, key) for key in ("source", "destination"))
        order = np.lexsort((time, source))
        order = order[time[order] < cycles]
        return Packets(source[order], destination[order], time[order], self.lengths[order])
