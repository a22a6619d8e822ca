"""The header layout: named bit fields, defined once and shared by model and hardware."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from golden.arrays import IntArray

__all__ = ["Field", "Layout", "bits"]


def bits(count: int) -> int:
    """Return the width of a field that holds 0..count-1, at least 1."""
    return max(1, (count - 1).bit_length())


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
        self.width = max(f.offset + f.width for f in fields.values())

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
            If the layout is wider than the 63 bits of a numpy integer.
        """
        if self.width > 63:
            raise ValueError(f"A packed word needs at most 63 bits, not {self.width}")
        word: IntArray | int = 0
        for name, value in values.items():
            word = word | (value << self[name].offset)
        return word  # type: ignore[return-value]

    def get(self, name: str, word: IntArray) -> IntArray:  # type: ignore[override]
        """Return one field of `word`."""
        field = self[name]
        return (word >> field.offset) & ((1 << field.width) - 1)

    def describe(self) -> list[dict[str, object]]:
        """Return name, offset, width and meaning of every field, for manifests and `info`."""
        return [
            {"name": name, "offset": f.offset, "width": f.width, "meaning": f.meaning}
            for name, f in self.fields.items()
        ]
