"""Counters that software reads: a tap at every node, and one place where all is added up."""

from fingerpost.hdl.counting.counters import Counters
from fingerpost.hdl.counting.registers import RegisterMap, register_map
from fingerpost.hdl.counting.tap import Tap
from fingerpost.hdl.counting.wiring import Counting, counting

__all__ = [
    "Counters",
    "Counting",
    "RegisterMap",
    "Tap",
    "counting",
    "register_map",
]
