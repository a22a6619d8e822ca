"""A hint to the processor: this entry of an array is needed soon."""

from typing import Any

from fingerpost.golden.jit.compile import compiled_as

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
