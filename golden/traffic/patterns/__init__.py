"""Traffic patterns; `PATTERNS` has them by name."""

from fingerpost.golden.traffic.patterns.base import (
    AllToAll,
    Hotspot,
    Pattern,
    RandomPermutation,
    Uniform,
)
from fingerpost.golden.traffic.patterns.permutations import (
    BitComplement,
    BitReverse,
    BitRotation,
    Butterfly,
    Neighbor,
    Shuffle,
    Tornado,
    Transpose,
)
from fingerpost.golden.traffic.patterns.table import Matrix, Trace

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
