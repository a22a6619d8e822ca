"""Ports of the network module, and the parts of vectors that belong to a node."""

from typing import Literal, NamedTuple

__all__ = ["Port", "declaration", "identifier", "idle", "part"]


class Port(NamedTuple):
    """A port of the network module."""

    name: str
    direction: Literal["input", "output"]
    bits: int
    meaning: str


def identifier(name: str) -> str:
    """Return the name of a network file as a Verilog identifier."""
    return name.replace("-", "_")


def declaration(port: Port) -> str:
    """Return the declaration of a port in the header of a module."""
    return f"{port.direction} {f'[{port.bits - 1}:0] ' * (port.bits > 1)}{port.name}"


def idle(port: Port) -> str:
    """Return the connection of an unused port: 0 at an input."""
    return f".{port.name}({port.bits}'d0)" if port.direction == "input" else f".{port.name}()"


def part(name: str, index: int, width: int) -> str:
    """Return the part of a vector of `width` bits for each that belongs to `index`."""
    return f"{name}[{index}]" if width == 1 else f"{name}[{index * width} +: {width}]"
