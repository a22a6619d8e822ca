"""Ports of the network module, and the parts of vectors that belong to a node."""

from typing import Literal, NamedTuple

__all__ = ["Port", "part"]


class Port(NamedTuple):
    """A port of the network module."""

    name: str
    direction: Literal["input", "output"]
    bits: int
    meaning: str


def part(name: str, index: int, width: int) -> str:
    """Return the part of a vector of `width` bits for each that belongs to `index`."""
    return f"{name}[{index}]" if width == 1 else f"{name}[{index * width} +: {width}]"
