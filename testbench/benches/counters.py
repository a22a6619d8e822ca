"""The counters of a network, read over their bus while packets are under way."""

from dataclasses import dataclass
from typing import ClassVar

from fingerpost.testbench.benches.network import NetworkBench, network_sources
from fingerpost.testbench.sources import network_bench

__all__ = ["CountersBench"]


@dataclass(frozen=True, kw_only=True)
class CountersBench(NetworkBench):
    """The network in lock-step, and its counters at cycles that the reader chooses.

    Attributes
    ----------
    snapshots : int
        How often counters are read; after every other one they are cleared.
    most : int
        Counters that are read of each: neighbours, at a place that chance chooses.

    Raises
    ------
    ValueError
        If the network has no counters, or there can be no such traffic.
    """

    level: ClassVar[str] = "counters"
    facts: ClassVar[tuple[str, ...]] = ("delivered", "flits", "compared")
    snapshots: int = 4
    most: int = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.network.counters is None:
            raise ValueError("Bench needs counters, as in counters: {kind: axi-lite}")

    def sources(self) -> dict[str, str]:
        """Return the network, with its bus beside the vector of all that can be seen of it."""
        return network_sources(self.network, network_bench(self.network, bus=True))
