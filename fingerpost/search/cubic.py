"""Cubic Cayley graphs of metacyclic groups, to be searched."""

from dataclasses import dataclass
from typing import Any, ClassVar

from fingerpost.golden.analysis.cubic import cubic, groups, moore
from fingerpost.search.metacyclic import MetacyclicSpace

__all__ = ["MetacyclicCubicSpace"]


@dataclass(frozen=True)
class MetacyclicCubicSpace(MetacyclicSpace):
    """All cubic Cayley graphs of metacyclic groups with a number of nodes in a range, or a sample.

    Borel groups are those with a prime m. Groups of odd order have no involution, and no graph.
    """

    family: ClassVar[str] = "metacyclic-cubic"
    columns: ClassVar[tuple[str, ...]] = ("m", "k", "r", "A", "B", "C")
    work = staticmethod(cubic)

    def moore(self) -> int:
        """Return the Moore bound of degree 3."""
        return moore(self.diameter)

    def classes(self) -> range:
        """Return how many classes there may be."""
        return range(2, 4 * self.diameter + 1)

    def groups(self, least: int, most: int) -> list[tuple[int, int]]:
        """Return (m, k) of the groups of an even number of elements."""
        return groups(least, most, self.diameter)

    def topology(self, unit: Any, graph: tuple[int, ...]) -> dict[str, Any]:
        """Return the group and the two or three generators."""
        r, *rest = graph[:-1]
        generators = {
            name: [t, y] for name, t, y in zip("ABC", rest[::2], rest[1::2], strict=False)
        }
        return {"m": unit.m, "k": unit.k, "r": r, **generators}
