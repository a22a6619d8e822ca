"""Columns of numbers from a CSV or Parquet file."""

import csv
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Columns = dict[str, NDArray[Any]]


def read(file: str, columns: Mapping[str, tuple[str, type]]) -> Columns:
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
