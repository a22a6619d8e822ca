"""Layouts: named bit fields, also of flits and links, defined once for model and hardware."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import overload

import numpy as np

from fingerpost.golden.arrays import IntArray


def bits(count: int) -> int:
    """Return the width of a field that holds 0..count-1, at least 1."""
    return max(1, (count - 1).bit_length())


def in_one_word(entries: IntArray, width: int) -> int:
    """Return the entries of a table, of so many bits each, as one word, the first lowest."""
    return int("".join(f"{entry:0{width}b}" for entry in entries[::-1].tolist()), 2)


@dataclass(frozen=True)
class Field:
    """Bits offset..offset+width-1 of a word. Fields may overlay each other."""

    offset: int
    width: int
    meaning: str


class Layout(Mapping[str, Field]):
    """Named fields of a packed word, least significant first.

    Works on integers and on integer arrays alike.
    """

    def __init__(self, fields: Mapping[str, Field]) -> None:
        self.fields = dict(fields)
        self.width = max((f.offset + f.width for f in fields.values()), default=0)

    @classmethod
    def sequence(cls, **fields: tuple[int, str]) -> "Layout":
        """Lay out fields, given as (width, meaning), one after the other."""
        placed, offset = {}, 0
        for name, (width, meaning) in fields.items():
            placed[name] = Field(offset, width, meaning)
            offset += width
        return cls(placed)

    def __getitem__(self, name: str) -> Field:
        return self.fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def pack(self, **values: IntArray | int) -> IntArray:
        """Return the word with these fields; fields that are not given are 0.

        Raises
        ------
        ValueError
            If the layout is wider than the 63 bits of a numpy integer, or a value does not fit
            its field.
        """
        if self.width > 63:
            raise ValueError(f"A packed word needs at most 63 bits, not {self.width}")
        for name, value in values.items():
            width = self[name].width
            if np.any(value >> width):
                each = np.ravel(value)
                raise ValueError(
                    f"Field {name} of {width} bits needs values in 0..{(1 << width) - 1}, "
                    f"not {each[each >> width != 0][0]}"
                )
        return self.join(**values)

    def join(self, **values: IntArray | int) -> IntArray:
        """Return the same as `pack`, unchecked.

        For headers on their way and for bytes of links, in every cycle: there values are what was
        cut out of such words before, or come from tables, and the model of a small network would
        take a tenth longer.
        """
        word: IntArray | int = 0
        for name, value in values.items():
            word = word | (value << self[name].offset)
        return word  # type: ignore[return-value]

    @overload
    def cut(self, name: str, word: int) -> int: ...

    @overload
    def cut(self, name: str, word: IntArray) -> IntArray: ...

    def cut(self, name: str, word: IntArray | int) -> IntArray | int:
        """Cut one field out of `word`."""
        field = self[name]
        return (word >> field.offset) & ((1 << field.width) - 1)

    def describe(self) -> list[dict[str, object]]:
        """Return name, offset, width and meaning of every field, for manifests and `info`."""
        return [
            {"name": name, "offset": f.offset, "width": f.width, "meaning": f.meaning}
            for name, f in self.fields.items()
        ]


def flit_layout(flit_width: int) -> Layout:
    """Return the layout of a flit with `flit_width` bits of data."""
    return Layout.sequence(
        head=(1, "first flit of a packet"),
        tail=(1, "last flit of a packet"),
        data=(flit_width, "in a head the header first"),
    )


def link_layout(flit_width: int, channels: int) -> Layout:
    """Return the layout of all that is on a link in a cycle, as benches pack it."""
    flit = {name: (field.width, field.meaning) for name, field in flit_layout(flit_width).items()}
    return Layout.sequence(
        valid=(channels, "the channel of the flit, one-hot; 0: there is none"),
        **flit,
        credit=(channels, "the channels of which a place is free again"),
    )
