"""A network with AXI4-Stream terminals, driven by the sources and sinks of cocotbext-axi."""

from dataclasses import dataclass
from typing import ClassVar

from fingerpost.hdl.emit.network import identifier
from fingerpost.testbench.benches.bench import OfNetwork
from fingerpost.testbench.benches.network import network_sources

__all__ = ["AxiStreamBench"]


@dataclass(frozen=True, kw_only=True)
class AxiStreamBench(OfNetwork):
    """Packets from every terminal to every other, by drivers that know nothing of the model.

    Attributes
    ----------
    rounds : int
        Packets from every terminal to every other.
    longest : int
        Bytes of a packet at most.
    idle, pause : float
        The chance in each cycle that a source offers nothing new, and that a sink takes nothing.
    odd : int
        Packets of every terminal to a number that has no terminal, and as many that are marked as
        bad, in each round.
    patience : int
        Cycles without a packet after which the bench gives up.

    Raises
    ------
    ValueError
        If the terminals are others.
    """

    level: ClassVar[str] = "axi_stream"
    facts: ClassVar[tuple[str, ...]] = ("packets", "delivered", "refused", "expired")
    rounds: int = 1
    longest: int = 20
    idle: float = 0.3
    pause: float = 0.3
    odd: int = 1
    patience: int = 2000

    def __post_init__(self) -> None:
        if self.network.terminal.kind != "axi-stream":
            raise ValueError("Bench needs AXI4-Stream, as in terminal: {kind: axi-stream}")

    @property
    def top(self) -> str:  # type: ignore[override]
        """Return the network with separate ports."""
        return f"{identifier(self.network.name)}_streams"

    @property
    def several_clocks(self) -> bool:
        """Return whether terminals have clocks of their own."""
        return "clock" in self.network.terminal.describe()

    def sources(self) -> dict[str, str]:
        """Return the network as it is generated."""
        return network_sources(self.network)
