"""A random permutation."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.traffic.patterns.base import Permutation


@dataclass(frozen=True)
class RandomPermutation(Permutation):
    """A permutation of the terminals, drawn once; some may send to themselves.

    Parameters
    ----------
    seed : int
        Of the permutation; that of the packets is another.

    Raises
    ------
    ValueError
        If the seed is negative.
    """

    name: ClassVar[str] = "randperm"
    seed: Annotated[int, Parameter("The seed of the permutation.", example=1)] = 0

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ParameterError(
                "seed", f"{self.title()} needs a seed of at least 0, not {self.seed}"
            )

    def to(self, topology: Topology) -> IntArray:
        """Return the permutation."""
        return np.random.default_rng(self.seed).permutation(len(topology.terminals))
