"""What goes into a component in each clock, and what its model says must come out."""

from abc import ABC, abstractmethod

from fingerpost.golden.terminal.endpoints import Beat
from fingerpost.testbench.terminals.registered import STREAM, Registered

__all__ = ["BUSY", "PHASE", "Ports", "Stimulus", "beat_ports"]

Ports = dict[str, int]
"""Values of ports by their names in Verilog."""

PHASE = 60
"""Clocks after which the surroundings change how busy they are, and how long packets are."""

BUSY = 1.0, 0.9, 0.4, 0.05
"""Chances that a beat is offered, or taken, in a clock."""


def beat_ports(prefix: str, beat: Beat, bytes: int) -> Ports:
    """Return the ports of a beat; those of one byte have no tkeep."""
    values = beat.data, beat.keep, int(beat.last), beat.user
    named = zip(STREAM, values, strict=True)
    return {f"{prefix}__{name}": value for name, value in named if name != "tkeep" or bytes > 1}


class Stimulus(ABC):
    """A model of a component behind registers, in surroundings that do as they like.

    It begins a clock after a reset, as what goes in passes the registers.

    Attributes
    ----------
    after_reset : Ports
        What must be seen before.
    """

    after_reset: Ports

    @abstractmethod
    def component(self) -> Registered:
        """Return the hardware of which this has the model."""

    @abstractmethod
    def clock(self) -> tuple[Ports, Ports]:
        """Go through a clock; return what goes in, and what must be seen at the same time.

        What is seen has no payload of what is not valid.
        """
