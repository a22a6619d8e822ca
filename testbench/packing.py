"""Rows of named fields as one wide number, the form in which a bench reads and writes them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from cocotb.handle import LogicArrayObject

Fields = Sequence[tuple[str, int]]
Columns = dict[str, NDArray[np.int64]]


WORD = 64
"""Bits of a word of compiled nodes."""


def words(width: int) -> int:
    """Return the words of so many bits."""
    return -(-width // WORD)


def bits_of(fields: Fields) -> int:
    """Return the bits of a row."""
    return sum(width for _, width in fields)


def pack(fields: Fields, columns: Mapping[str, NDArray[np.int64]]) -> int:
    """Return rows as one number: row 0 lowest, in a row the first field lowest."""
    parts = [(np.asarray(columns[name])[:, None] >> np.arange(width)) & 1 for name, width in fields]
    bits = np.concatenate(parts, axis=1).astype(np.uint8).ravel()
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


def unpack(fields: Fields, rows: int, number: int) -> Columns:
    """Return the columns of a number that `pack` could have made."""
    total = bits_of(fields)
    raw = np.frombuffer(number.to_bytes((rows * total + 7) // 8, "little"), np.uint8)
    bits = np.unpackbits(raw, bitorder="little")[: rows * total].reshape(rows, total)
    columns, offset = {}, 0
    for name, width in fields:
        columns[name] = bits[:, offset : offset + width] @ _weights(width)
        offset += width
    return columns


def _weights(width: int) -> NDArray[Any]:
    """Return what the bits of a field weigh; as Python's numbers if it is too wide for numpy's."""
    return np.array([1 << i for i in range(width)], np.int64 if width < 64 else object)


def read(signal: "LogicArrayObject") -> int | None:
    """Return the value of a signal, None if a bit of it is undefined."""
    try:
        return int(signal.value)
    except ValueError:
        return None


def fill(
    fields: Fields, columns: Mapping[str, NDArray[np.int64]], words: NDArray[np.uint64]
) -> None:
    """Put fields into words, which are 0 and the last axis; the first field lowest."""
    offset = 0
    for name, width in fields:
        column = columns[name].astype(np.uint64)
        word, bit = divmod(offset, 64)
        words[..., word] |= column << np.uint64(bit)
        if bit + width > 64:
            words[..., word + 1] |= column >> np.uint64(64 - bit)
        offset += width


def empty(fields: Fields, words: NDArray[np.uint64]) -> Columns:
    """Return the columns of words that `fill` could have made."""
    columns, offset = {}, 0
    for name, width in fields:
        if width < 64:
            columns[name] = _column(words, offset, width)
        else:
            bits = [_column(words, offset + i, 1) for i in range(width)]
            columns[name] = np.stack(bits, axis=-1) @ _weights(width)
        offset += width
    return columns


def _column(words: NDArray[np.uint64], offset: int, width: int) -> NDArray[np.int64]:
    word, bit = divmod(offset, 64)
    column = words[..., word] >> np.uint64(bit)
    if bit + width > 64:
        column |= words[..., word + 1] << np.uint64(64 - bit)
    return (column & np.uint64((1 << width) - 1)).astype(np.int64)
