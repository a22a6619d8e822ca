"""The strategies of KYKLOS, and what several of their tests look at."""

from typing import Any

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing.kyklos import KyklosRouting
from fingerpost.golden.routing.kyklos_h2 import H2
from fingerpost.golden.routing.kyklos_m import M
from fingerpost.golden.routing.kyklos_p2 import P2, ModifiedP2
from fingerpost.golden.routing.kyklos_y2 import Y2
from tests.golden.kyklos_1988 import Reference

STRATEGIES: tuple[type[KyklosRouting], ...] = (M, H2, P2, ModifiedP2, Y2)
SMALL = [(2, 1, 4), (2, 2, 4), (2, 2, 6), (2, 3, 6), (3, 2, 4), (4, 2, 2), (2, 4, 4), (3, 3, 3)]


def strategies(net: Reference) -> list[type[KyklosRouting]]:
    """Return the algorithms that run on a network."""
    return [
        strategy
        for strategy in STRATEGIES
        if net.variant in strategy.variants and (strategy is not Y2 or net.m == 2)
    ]


def generated_headers(routing: KyklosRouting, source: IntArray, goal: IntArray) -> IntArray:
    """Return the headers as they leave the terminals of the leaves `source`."""
    header, error = routing.generate_header(source, routing.encode(source, goal))
    assert not error.any()
    return header


def levels_of(routing: KyklosRouting, header: IntArray) -> Any:
    """Return L as lists, in the shape of `header`."""
    fields = [routing.header.cut(f"L{t}", header) for t in range(routing.topology.r)]
    return np.stack(fields, axis=-1).tolist()
