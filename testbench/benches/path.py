"""Routes made of the routing unit's own decisions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from fingerpost.testbench.benches.unit import UnitSources

__all__ = ["PathBench"]


@dataclass(frozen=True, kw_only=True)
class PathBench(UnitSources):
    """Routes chained hop by hop.

    Attributes
    ----------
    start, end : sequences of int, optional
        The nodes at which routes start and end; by default they start at all terminals of a small
        network, or the first of each orbit, and end at all.
    """

    level: ClassVar[str] = "path"
    facts: ClassVar[tuple[str, ...]] = ("routes", "mean_hops", "max_hops")
    start: Sequence[int] | None = None
    end: Sequence[int] | None = None
