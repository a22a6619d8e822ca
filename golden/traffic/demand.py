"""How much each terminal sends, and where to: a traffic matrix from which packets are drawn."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray

Matrix = Any
"""A sparse array of scipy, which has no types of its own."""


def pairs(n: int, source: IntArray, destination: IntArray, weight: NDArray[np.float64]) -> Matrix:
    """Return the sparse array of (n, n) weights of pairs; those of the same pair are added up."""
    # Here and not above: uniform traffic needs no scipy, whose import takes longer than short runs.
    from scipy.sparse import coo_array

    found = coo_array((weight, (source, destination)), shape=(n, n)).tocsr()
    found.eliminate_zeros()
    return found


@dataclass(frozen=True)
class Demand:
    """A traffic matrix over the terminals, numbered 0..n-1 in the order of the nodes.

    A packet of terminal i goes to j with the probability spots[i, j]; or else, with the
    probability spread[i], to one of the others, all alike.

    Parameters
    ----------
    spread : (n,)
        Between 0 and 1; 0 for a terminal that sends nothing.
    spots : (n, n) sparse array, optional
        The rows of terminals that send add up to 1 - `spread`. None is one of zeros.
    sends : (n,), optional
        What each terminal sends, beside the mean of all; 1 for every one if it is left out.

    Attributes
    ----------
    sends : (n,)
    """

    spread: NDArray[np.float64]
    spots: Matrix | None
    sends: NDArray[np.float64] = field(default_factory=lambda: np.ones(0))

    def __post_init__(self) -> None:
        if not len(self.sends):
            object.__setattr__(self, "sends", np.ones(len(self.spread)))

    @classmethod
    def to(cls, destination: IntArray) -> "Demand":
        """Return the demand of a permutation: one destination each, or -1 for all others."""
        n = len(destination)
        source = np.flatnonzero(destination >= 0)
        spots = pairs(n, source, destination[source], np.ones(len(source)))
        return cls((destination < 0).astype(np.float64), spots)

    @classmethod
    def weighted(cls, weight: Matrix) -> "Demand":
        """Return the demand that is in proportion to a sparse matrix of weights."""
        rows = np.asarray(weight.sum(axis=1), np.float64)
        inverse = np.divide(1, rows, out=np.zeros_like(rows), where=rows > 0)
        source, destination = weight.nonzero()
        spots = pairs(len(rows), source, destination, weight.data * inverse[source])
        return cls(np.zeros(len(rows)), spots, rows / rows.mean())

    @property
    def terminals(self) -> int:
        """Return the number of terminals."""
        return len(self.spread)

    @property
    def even(self) -> bool:
        """Return whether every terminal sends as much to each other as all do."""
        spread_only = self.spots is None or not self.spots.nnz
        return spread_only and bool((self.sends == 1).all())

    def rows(self, source: IntArray) -> NDArray[np.float64]:
        """Return what some terminals send to each, in flits per cycle at load 1: (some, n)."""
        dense = np.zeros((len(source), self.terminals))
        if self.spots is not None:
            dense += self.spots[source].toarray()
        others = self.spread[source] / max(1, self.terminals - 1)
        dense += others[:, None]
        dense[np.arange(len(source)), source] -= others
        dense *= self.sends[source][:, None]
        return dense

    def received(self) -> NDArray[np.float64]:
        """Return what every terminal receives, in flits per cycle at load 1."""
        share = self.sends * self.spread / max(1, self.terminals - 1)
        spots = 0.0 if self.spots is None else self.spots.T @ self.sends
        found: NDArray[np.float64] = spots + share.sum() - share
        return found

    def draw(self, rng: np.random.Generator, source: IntArray) -> IntArray:
        """Return a destination for a packet of each `source`."""
        n, packets = self.terminals, len(source)
        destination = source.copy()
        if self.spread.any():
            other = rng.integers(n - 1, size=packets)
            destination = other + (other >= source)
        if self.spots is not None and self.spots.nnz:
            chance = rng.random(packets)
            spot = chance < 1 - self.spread[source]
            row = source[spot]
            first, last = self.spots.indptr[row], self.spots.indptr[row + 1] - 1
            until = np.append(0.0, np.cumsum(self.spots.data))
            place = np.searchsorted(until, until[first] + chance[spot], side="right") - 1
            destination[spot] = self.spots.indices[np.clip(place, first, last)]
        return destination
