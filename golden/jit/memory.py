"""Memory: blocks that are aligned to cache lines, in large pages, and hints to fetch."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.jit.compile import compiled_as

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


READ, KEEP, DATA = 0, 3, 1
"""Arguments of LLVM's prefetch: read, high locality, data cache."""


def _of_numba() -> Any:
    """Return the hint, compiled for a type of array."""
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    tools: Any = cgutils

    def hint(typing: Any, array: Any, index: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            view = context.make_array(signature.args[0])(context, builder, arguments[0])
            entry = tools.get_item_pointer(
                context, builder, signature.args[0], view, [arguments[1]], wraparound=False
            )
            byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
            prefetch = tools.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
            how = [word(number) for number in (READ, KEEP, DATA)]
            builder.call(prefetch, [builder.bitcast(entry, byte), *how])
            return context.get_dummy_value()

        return types.void(array, types.intp), code

    return intrinsic(hint)


@compiled_as(_of_numba)
def prefetch(array: Any, index: int) -> None:
    """Fetch the entry of an array into the cache of the processor; nothing in plain Python."""
