"""A network across OS-Links with every node on a clock of its own."""

from dataclasses import dataclass
from typing import ClassVar

from fingerpost.testbench.benches.bench import OfNetwork
from fingerpost.testbench.benches.network import network_sources
from fingerpost.testbench.sources import clocks_bench

__all__ = ["ClocksBench"]


@dataclass(frozen=True, kw_only=True)
class ClocksBench(OfNetwork):
    """Frames between all pairs of terminals.

    Attributes
    ----------
    rounds : int
        Frames from every terminal to every other.
    offset : float
        How far clocks are from the mean at most, as a fraction.
    stall : float
        The chance in each clock that a terminal takes nothing.
    patience : int
        How many times 1000 bit times without a frame it takes to give up.

    Raises
    ------
    ValueError
        If the network has no OS-Links, or its terminals have no credits.
    """

    level: ClassVar[str] = "clocks"
    top: ClassVar[str] = "clocks_bench"
    facts: ClassVar[tuple[str, ...]] = ("frames", "delivered", "flits", "bit_times")
    rounds: int = 1
    offset: float = 0.01
    stall: float = 0.3
    patience: int = 20

    def __post_init__(self) -> None:
        if not self.network.link.own_clocks:
            raise ValueError("Level clocks needs OS-Links, as in link: {kind: os-link}")
        if "credit" not in self.network.terminal.given(self.network):
            raise ValueError("Level clocks needs credits, as in terminal: {kind: credit}")

    def sources(self) -> dict[str, str]:
        """Return the network, with a clock for each node."""
        return network_sources(self.network, clocks_bench(self.network))
