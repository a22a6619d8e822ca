"""OS-Link ports: in lock-step with golden, or two on clocks of their own."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

from fingerpost.golden.link import OsLinkParameters
from fingerpost.testbench.benches.bench import Bench
from fingerpost.testbench.os_link.ports import clocks_sources, lockstep_sources


@dataclass(frozen=True)
class PortsBench(Bench):
    """Ports by themselves."""

    @property
    def name(self) -> str:
        """Return the name of the folder that all share."""
        return "os-links"

    def parameters(self) -> dict[str, Any]:
        """Return all fields as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class OsLinkBench(PortsBench):
    """Ports of some sets of parameters, which are joined in pairs.

    Attributes
    ----------
    sets : sequence of OsLinkParameters
    copies : int
        Ports of each set, an even number.
    cycles : int
    """

    level: ClassVar[str] = "os_link"
    top: ClassVar[str] = "os_link_bench"
    sets: Sequence[OsLinkParameters]
    copies: int = 16
    cycles: int = 1200

    def sources(self) -> dict[str, str]:
        """Return all ports, side by side."""
        return lockstep_sources(self.sets, self.copies)

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the bench of all fields."""
        sets = [OsLinkParameters(**each) for each in parameters["sets"]]
        return cls(**{**parameters, "sets": sets})


CLOCK = 1000
"""Nanoseconds of a nominal clock: its thousandths are what simulators know."""


@dataclass(frozen=True)
class OsLinkClocksBench(PortsBench):
    """Bytes both ways.

    Attributes
    ----------
    link : OsLinkParameters
    offset : float
        By how much the second clock is slower, as a fraction.
    phase : float
        By how many clocks it starts later.
    delays : (float, float)
        Of the wires from the first and from the second port, in bits.
    stall : float
        The chance in each clock that there is no byte, or that none is taken.
    count : int
        Bytes from each port.
    """

    level: ClassVar[str] = "os_link_clocks"
    top: ClassVar[str] = "os_link_clocks_bench"
    counted: ClassVar[str] = "bytes"
    link: OsLinkParameters
    offset: float = 0.0
    phase: float = 0.0
    delays: tuple[float, float] = (0.0, 0.0)
    stall: float = 0.0
    count: int = 40

    def sources(self) -> dict[str, str]:
        """Return both ports, whose wires the test joins."""
        return clocks_sources(self.link)

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the bench of all fields."""
        return cls(**{**parameters, "link": OsLinkParameters(**parameters["link"])})

    @property
    def periods(self) -> tuple[int, int]:
        """Return the nanoseconds of both clocks."""
        return CLOCK, 2 * round(CLOCK * (1 + self.offset) / 2)

    @property
    def starts(self) -> tuple[int, int]:
        """Return when they start, in nanoseconds; a Timer of cocotb may not be 0."""
        return 1, 1 + round(self.phase * CLOCK)

    @property
    def late(self) -> tuple[int, int]:
        """Return by how many nanoseconds the wires delay."""
        bit = self.link.clocks_per_bit * CLOCK
        first, second = (max(1, round(delay * bit)) for delay in self.delays)
        return first, second
