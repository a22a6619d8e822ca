"""What goes into a component in each clock, and what its model says must come out."""

from abc import ABC, abstractmethod

from fingerpost.testbench.terminals.registered import Registered

__all__ = ["Ports", "Stimulus"]

Ports = dict[str, int]
"""Values of ports by their names in Verilog."""


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
