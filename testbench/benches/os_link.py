"""OS-Link ports in lock-step with golden."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

from fingerpost.golden.link import OsLinkParameters
from fingerpost.testbench.benches.bench import Bench
from fingerpost.testbench.os_link.sources import lockstep_sources

__all__ = ["OsLinkBench"]


@dataclass(frozen=True)
class OsLinkBench(Bench):
    """Ports of some sets of parameters, which are joined in pairs.

    Attributes
    ----------
    sets : sequence of OsLinkParameters
    lanes : int
        Ports of each set, an even number.
    cycles : int
    """

    level: ClassVar[str] = "os_link"
    top: ClassVar[str] = "os_link_bench"
    sets: Sequence[OsLinkParameters]
    lanes: int = 16
    cycles: int = 1200

    @property
    def name(self) -> str:
        """Return the name of the folder that all share."""
        return "os-links"

    def sources(self) -> dict[str, str]:
        """Return all ports, side by side."""
        return lockstep_sources(self.sets, self.lanes)

    def parameters(self) -> dict[str, Any]:
        """Return all fields as plain data."""
        return asdict(self)

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the bench of all fields."""
        sets = [OsLinkParameters(**each) for each in parameters["sets"]]
        return cls(**{**parameters, "sets": sets})
