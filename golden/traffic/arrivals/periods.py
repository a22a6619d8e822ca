"""Processes that are on and off in turn."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import BoolArray, IntArray

DRAWN = 64
"""Pairs of periods that are drawn at once for each process."""

Draw = Callable[[IntArray, tuple[int, int]], NDArray[Any]]


class Periods(NamedTuple):
    """The periods in which processes are on, in no order."""

    process: IntArray
    begin: NDArray[Any]
    end: NDArray[Any]


def periods(
    *, on: BoolArray, first: NDArray[Any], draw_on: Draw, draw_off: Draw, cycles: int
) -> Periods:
    """Return when each process is on, from 0 to `cycles`.

    Parameters
    ----------
    on : (processes,)
        Whether it begins so.
    first : (processes,)
        How long it stays as it begins.
    draw_on, draw_off : callable
        Take processes and a shape with a row for each, and return as many lengths of periods.
    """
    process, now = np.arange(len(on)), np.zeros_like(first)
    found: list[Periods] = []
    while len(process):
        shape = len(process), DRAWN
        both = draw_on(process, shape), draw_off(process, shape)
        starts = on[process][:, None]
        lengths = np.stack([np.where(starts, *both), np.where(starts, *both[::-1])], axis=2)
        if not found:
            lengths[:, 0, 0] = first
        lengths = lengths.reshape(len(process), 2 * DRAWN)
        end = now[:, None] + np.cumsum(lengths, axis=1)
        begin = np.concatenate([now[:, None], end[:, :-1]], axis=1)
        is_on = starts == (np.arange(2 * DRAWN) % 2 == 0)
        row, column = np.nonzero(is_on & (begin < cycles))
        clipped = np.minimum(end[row, column], cycles)
        found.append(Periods(process[row], begin[row, column], clipped))
        left = end[:, -1] < cycles
        process, now = process[left], end[left, -1]
    columns = zip(*found, strict=True)
    return Periods(*(np.concatenate(column) for column in columns))
