"""Arrays as the functions of this package see them in plain Python: items are Python's numbers.

A number of numpy has a width and wraps around; one of Python has not, and is several times faster
to work with. So views stand in the places of arrays: `memoryview` where the items are numbers, and
objects with the fields of a record as attributes where they are records. They share the memory of
the arrays, so that what is read from arrays between calls is up to date.
"""

from typing import Any

import numpy as np

from fingerpost.golden.arrays import Array


def _numbers(array: Any) -> Any:
    """Return a column of numbers; those of masks without a width are objects already."""
    return array if array.dtype == object else memoryview(array)


class _Rows:
    """An array with several axes, of which the first alone may be indexed."""

    __slots__ = ("rows",)

    def __init__(self, array: Array) -> None:
        self.rows = [view(row) for row in array]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, at: Any) -> Any:
        if type(at) is not tuple:
            return self.rows[at]
        row = self.rows[at[0]]
        return row[at[1]] if len(at) == 2 else row[at[1:]]

    def __setitem__(self, at: Any, value: Any) -> None:
        self.rows[at[0]][at[1] if len(at) == 2 else at[1:]] = value


class _Records:
    """An array of records, by index. Each record is made when it is first asked for."""

    __slots__ = ("array", "made", "record")

    def __init__(self, array: Array) -> None:
        names = array.dtype.names or ()
        columns = {name: _numbers(array[name]) for name in names}
        self.array, self.made = array, dict[int, Any]()
        fields = {name: _field(column) for name, column in columns.items()}
        self.record: Any = type("Record", (), {"__slots__": ("at",), "array": array, **fields})

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, at: int) -> Any:
        found = self.made.get(at)
        if found is None:
            found = self.made[at] = self.record()
            found.at = at
        return found

    def __setitem__(self, at: int, value: Any) -> None:
        self.array[at] = value.array[value.at] if hasattr(value, "array") else value


def _field(column: Any) -> property:
    """Return the attribute of a record that is an item of a column."""

    def read(record: Any) -> Any:
        return column[record.at]

    def write(record: Any, value: Any) -> None:
        column[record.at] = value

    return property(read, write)


def view(value: Any) -> Any:
    """Return what stands for an array, or for the arrays of a tuple."""
    if isinstance(value, tuple):
        parts = map(view, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if not isinstance(value, np.ndarray):
        return value
    if value.ndim > 1:
        return _Rows(value)
    return _Records(value) if value.dtype.names else _numbers(value)
