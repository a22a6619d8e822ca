"""Traffic patterns, one file each; `PATTERNS` has them by name."""

from fingerpost.golden.traffic.patterns.all_to_all import AllToAll
from fingerpost.golden.traffic.patterns.base import Pattern
from fingerpost.golden.traffic.patterns.bitcomp import BitComplement
from fingerpost.golden.traffic.patterns.bitrev import BitReverse
from fingerpost.golden.traffic.patterns.bitrot import BitRotation
from fingerpost.golden.traffic.patterns.butterfly import Butterfly
from fingerpost.golden.traffic.patterns.hotspot import Hotspot
from fingerpost.golden.traffic.patterns.matrix import Matrix
from fingerpost.golden.traffic.patterns.neighbor import Neighbor
from fingerpost.golden.traffic.patterns.randperm import RandomPermutation
from fingerpost.golden.traffic.patterns.shuffle import Shuffle
from fingerpost.golden.traffic.patterns.tornado import Tornado
from fingerpost.golden.traffic.patterns.trace import Trace
from fingerpost.golden.traffic.patterns.transpose import Transpose
from fingerpost.golden.traffic.patterns.uniform import Uniform

__all__ = [
    "PATTERNS",
    "AllToAll",
    "BitComplement",
    "BitReverse",
    "BitRotation",
    "Butterfly",
    "Hotspot",
    "Matrix",
    "Neighbor",
    "Pattern",
    "RandomPermutation",
    "Shuffle",
    "Tornado",
    "Trace",
    "Transpose",
    "Uniform",
]

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
