"""Masks, a bit for each queue or output channel of a router; and a hint to the processor."""

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.cpython.unsafe import numbers
from numba.extending import intrinsic

from fingerpost.golden.compiled.jit import compiled

INDEX, SMALL = (1 << 31) - 1, (1 << 16) - 1
"""Indices and sizes have no bits beyond. A number that is masked by one of these is not negative
for the compiler, which then leaves out the check for a negative index."""

count_trailing_zeros: Any = numbers.trailing_zeros


@compiled
def trailing_zeros(mask: int) -> int:
    """Return the index of the lowest bit that is set; `mask` is not 0."""
    index: int = count_trailing_zeros(mask)
    return index


@compiled
def pop_lowest(mask: int) -> tuple[int, int]:
    """Return the index of the lowest bit that is set, and the mask without this bit."""
    return trailing_zeros(mask), mask & (mask - 1)


tools: Any = cgutils

READ, KEEP, DATA = 0, 3, 1
"""Arguments of LLVM's prefetch: read, high locality, data cache."""


@intrinsic
def _prefetch(typing: Any, array: Any, index: Any) -> Any:
    """Compile the hint for a type of array."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        entry = tools.get_item_pointer(
            context, builder, signature.args[0], view, [arguments[1]], wraparound=False
        )
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        hint = tools.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        how = [word(number) for number in (READ, KEEP, DATA)]
        builder.call(hint, [builder.bitcast(entry, byte), *how])
        return context.get_dummy_value()

    return types.void(array, types.intp), code


prefetch: Any = _prefetch
