"""The types of arrays."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["BoolArray", "IntArray"]

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
