"""How a simulation ends, in a word."""

from enum import StrEnum


class Outcome(StrEnum):
    """How a simulation ended."""

    OK = "ok"
    """What was offered was accepted, and all that was measured came out."""

    SATURATED = "saturated"
    """What was accepted fell behind what was offered."""

    DEADLOCKED = "deadlocked"
    """Nothing moves, and there are flits inside. A network with its proof never does that."""

    TIME_OUT = "time-out"
    """Not all that was measured came out in time, though as much was accepted as was offered."""
