"""The types of arrays, and what numpy does not have, or is slow to import."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]

SmallArray = NDArray[np.signedinteger[Any]]
"""Integers of the width that they need, where there are many."""

Array = Any
"""Arrays of anything, or of records: numpy's types know no fields, and to try them takes long."""


def once(some: SmallArray, place: IntArray) -> SmallArray:
    """Return each number once; `place` has room for all numbers that there can be.

    Examples
    --------
    >>> once(np.array([2, 0, 2]), np.empty(3, np.int64)).tolist()
    [0, 2]
    """
    here = np.arange(len(some))
    place[some] = here
    kept: SmallArray = some[place[some] == here]
    return kept
