"""Packets to send, made beforehand from a seed: destinations, times and lengths.

`spelling` finds `patterns`, `arrivals` and `lengths` by name.
"""

from fingerpost.golden.traffic.arrivals import ARRIVALS, Arrivals
from fingerpost.golden.traffic.lengths import LENGTHS, Lengths
from fingerpost.golden.traffic.patterns import PATTERNS, Pattern
from fingerpost.golden.traffic.patterns.base import Demand
from fingerpost.golden.traffic.traffic import (
    BAD_HEADER,
    NO_HEAD,
    NO_TAIL,
    POISONED,
    WELL_FORMED,
    Offered,
    Traffic,
    Windows,
)

__all__ = [
    "ARRIVALS",
    "BAD_HEADER",
    "LENGTHS",
    "NO_HEAD",
    "NO_TAIL",
    "PATTERNS",
    "POISONED",
    "WELL_FORMED",
    "Arrivals",
    "Demand",
    "Lengths",
    "Offered",
    "Pattern",
    "Traffic",
    "Windows",
]
