"""Blocks of memory that are aligned to cache lines, in large pages."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

LINE = 64
"""Bytes that the processor fetches at once."""

LARGE = 4 << 20
"""numpy requests large pages for blocks of at least so many bytes, where Linux has them."""

Arrays = TypeVar("Arrays")


def empty_block(count: int, kind: np.dtype[Any]) -> NDArray[Any]:
    """Return an uninitialized array, aligned to a cache line, in large pages."""
    size = count * kind.itemsize
    block = np.empty(max(size + LINE, LARGE), np.uint8)
    place = -block.ctypes.data % LINE
    return block[place : place + size].view(kind)


def pack_contiguous(arrays: Arrays) -> Arrays:
    """Return an array, or the arrays of a named tuple of named tuples, as parts of one block.

    A cycle reads and writes all of them. With large pages their addresses fit in the processor's
    TLB. Arrays of objects stay where they are.
    """
    size = sum(_room(array) for array in _flat(arrays))
    block, place = empty_block(size, np.dtype(np.uint8)), 0

    def part(value: Any) -> Any:
        nonlocal place
        if isinstance(value, tuple):
            return type(value)(*map(part, value))
        if value.dtype.hasobject:
            return value
        view = block[place : place + value.nbytes].view(value.dtype).reshape(value.shape)
        view[...] = value
        place += _room(value)
        return view

    moved: Arrays = part(arrays)
    return moved


def _room(array: NDArray[Any]) -> int:
    return -(-array.nbytes // LINE) * LINE


def _flat(arrays: Any) -> list[NDArray[Any]]:
    if not isinstance(arrays, tuple):
        return [arrays]
    return [array for each in arrays for array in _flat(each)]
