"""What can be chosen about an OS-Link port."""

from dataclasses import dataclass
from typing import Any

from golden.parameters import ParameterError

__all__ = ["OsLinkParameters"]

HOLD = 32
"""Bit times after a reset in which nothing is sent."""

QUIET = 12
"""Bit times for which the line must have been low before a receiver listens."""

BYTE = 11
"""Bit times of a byte."""

BREAK_HIGH, BREAK_LOW = 16, 12
"""Bit times of a break: high, then low."""

BROKEN = 12
"""Bit times for which the line is high in a break, but never in legal traffic (10)."""

BREAK_HOLD = 64
"""Bit times after the start of a break in which nothing else is sent, and no break answered."""


@dataclass(frozen=True)
class OsLinkParameters:
    """The parameters of an OS-Link port.

    Attributes
    ----------
    clocks_per_bit : int
        Clocks of the port in a bit time, 4 or more; 5 at 100 MHz is 20 Mbit/s.
    fifo : int
        Bytes that the receiver holds, 1 or more.
    acknowledge : "overlap" or "late"
        Whether a byte is acknowledged when its second bit is there, or its stop bit.
    slot : int
        Bit times from the start of a packet to the start of the next, at least; 12 is for peers
        that take an acknowledge for a whole frame. From 11 on bytes and acknowledges take turns,
        so an acknowledge can wait for two packets (docs/os-links.md, A4).
    timeout : int
        Bit times after which a byte that is not acknowledged is an error; 0: never.
    breaks : bool
        Whether the port sends and answers breaks. Not for links to INMOS parts.

    Raises
    ------
    ValueError
        If a parameter is impossible.
    """

    clocks_per_bit: int = 5
    fifo: int = 2
    acknowledge: str = "overlap"
    slot: int = 0
    timeout: int = 0
    breaks: bool = False

    def __post_init__(self) -> None:
        for name, least in (("clocks_per_bit", 4), ("fifo", 1), ("slot", 0), ("timeout", 0)):
            value: Any = getattr(self, name)
            if value < least:
                raise ParameterError(
                    name, f"OS-Link needs {name} to be at least {least}, not {value}"
                )
        if self.acknowledge not in ("overlap", "late"):
            raise ParameterError(
                "acknowledge",
                f"OS-Link needs acknowledge to be overlap or late, not {self.acknowledge!r}",
            )

    @property
    def middle(self) -> int:
        """Return the clock of a bit in which it is sampled."""
        return (self.clocks_per_bit - 1) // 2

    @property
    def latency(self) -> int:
        """Return the clocks from the edge of an acknowledge to the next packet, at the pins.

        The same from the edge of a byte to its acknowledge: two flip-flops, the sample of the
        second bit, what it is remembered in, and the output register.
        """
        return self.clocks_per_bit + self.middle + 4
