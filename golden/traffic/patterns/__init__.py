"""Traffic patterns, one file each; `PATTERNS` has them by name."""

from golden.traffic.patterns.all_to_all import AllToAll
from golden.traffic.patterns.base import Pattern
from golden.traffic.patterns.bitcomp import BitComplement
from golden.traffic.patterns.bitrev import BitReverse
from golden.traffic.patterns.bitrot import BitRotation
from golden.traffic.patterns.hotspot import Hotspot
from golden.traffic.patterns.matrix import Matrix
from golden.traffic.patterns.neighbor import Neighbor
from golden.traffic.patterns.randperm import RandomPermutation
from golden.traffic.patterns.shuffle import Shuffle
from golden.traffic.patterns.tornado import Tornado
from golden.traffic.patterns.trace import Trace
from golden.traffic.patterns.transpose import Transpose
from golden.traffic.patterns.uniform import Uniform

__all__ = [
    "PATTERNS",
    "AllToAll",
    "BitComplement",
    "BitReverse",
    "BitRotation",
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
        Tornado,
        Neighbor,
        RandomPermutation,
        Hotspot,
        Matrix,
        Trace,
        AllToAll,
    )
}
