"""Counters that software reads: a tap at every node, and one place where all is added up."""

from fingerpost.hdl.counting.counters import Counters, Counting, Tap, counting
from fingerpost.hdl.counting.registers import RegisterMap, register_map

__all__ = [
    "Counters",
    "Counting",
    "RegisterMap",
    "Tap",
    "counting",
    "register_map",
]
