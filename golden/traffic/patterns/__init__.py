"""Traffic patterns; `PATTERNS` has them by name."""

from fingerpost.golden.traffic.patterns.base import Pattern
from fingerpost.golden.traffic.patterns.bits import (
    BitComplement,
    BitReverse,
    BitRotation,
    Butterfly,
    Shuffle,
    Transpose,
)
from fingerpost.golden.traffic.patterns.digits import Neighbor, Tornado
from fingerpost.golden.traffic.patterns.hotspot import Hotspot, RandomPermutation
from fingerpost.golden.traffic.patterns.table import Matrix, Trace
from fingerpost.golden.traffic.patterns.uniform import AllToAll, Uniform

__all__ = ["PATTERNS", "Pattern"]

PATTERNS: dict[str, type[Pattern]] = {
    pattern.name: pattern
    for pattern in (
        Uniform,
        Transpose,
        BitComplement,
        BitReverse,
        Shuffle,
        BitRotation,
        Butterfly,
        Tornado,
        Neighbor,
        RandomPermutation,
        Hotspot,
        Matrix,
        Trace,
        AllToAll,
    )
}
