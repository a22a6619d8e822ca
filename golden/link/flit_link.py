"""Wires between routers: flits one way, credits the other, each in the cycle it is sent."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.flit import Flits, link_layout
from fingerpost.golden.header import Layout
from fingerpost.golden.link.base import Between, Link
from fingerpost.golden.routing import Routing


@dataclass(frozen=True)
class FlitLink(Link):
    """The link inside a chip: what is on it arrives in the same cycle."""

    kind: ClassVar[str] = "flit"

    def check(self, routing: Routing, *, flit_width: int, channels: int) -> None:
        """Wires carry everything."""

    def rate(self, flit_width: int) -> float:
        return 1.0

    def seen(self, *, flit_width: int, channels: int) -> Layout:
        """Return what is on the wires, credits with the link that they belong to."""
        return link_layout(flit_width, channels)

    def between(
        self, start: IntArray, end: IntArray, *, channels: int, depth: int, flit_width: int
    ) -> "Wires":
        return Wires(start, channels=channels)


class Wires(Between):
    """The wires between the routers of a model."""

    def __init__(self, start: IntArray, *, channels: int) -> None:
        self.start, self.channels = start, channels

    def step(self, flits: Flits, credit: IntArray) -> tuple[Flits, IntArray]:
        return flits, credit

    def seen(self, flits: Flits, credit: IntArray) -> dict[str, IntArray]:
        names = "valid", "head", "tail", "data", "credit"
        columns = {name: np.zeros(len(self.start), np.int64) for name in names}
        columns["valid"][flits.port_index] = 1 << flits.channel
        for name in ("head", "tail", "data"):
            columns[name][flits.port_index] = getattr(flits, name)
        inputs, channel = np.divmod(credit, self.channels)
        np.add.at(columns["credit"], self.start[inputs], 1 << channel)
        return columns
