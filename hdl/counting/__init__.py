"""Counters that software reads: a tap at every node, and one place where all is added up."""

from hdl.counting.counters import Counters
from hdl.counting.registers import RegisterMap, register_map
from hdl.counting.tap import Tap
from hdl.counting.wiring import Counting, counting

__all__ = [
    "Counters",
    "Counting",
    "RegisterMap",
    "Tap",
    "counting",
    "register_map",
]
