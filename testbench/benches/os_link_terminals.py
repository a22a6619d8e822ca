"""A network with OS-Link terminals, each with a peer that uses the wires alone."""

from dataclasses import dataclass
from typing import ClassVar

from fingerpost.hdl.emit.network import identifier
from fingerpost.testbench.benches.bench import OfNetwork
from fingerpost.testbench.benches.network import network_sources

__all__ = ["OsLinkTerminalsBench"]


@dataclass(frozen=True, kw_only=True)
class OsLinkTerminalsBench(OfNetwork):
    """Messages from every terminal to every other, by peers that know neither model nor hardware.

    Then peers do what they should not: they stop in the middle of a message, or take no more.

    Attributes
    ----------
    rounds : int
        Messages from every terminal to every other.
    most : int
        Bytes of data in a message at most.
    late : float
        The share of peers that acknowledge no byte before its end.
    pause : float
        The chance before each byte that a peer is not there for it, or has it not ready.
    offset : float
        How far the bit times of peers are from those of the network at most, as a fraction.
    odd : int
        Messages of every terminal to unknown numbers, in each round.
    patience : int
        Thousands of bit times without a message after which the bench gives up.

    Raises
    ------
    ValueError
        If the terminals are others.
    """

    level: ClassVar[str] = "os_link_terminals"
    facts: ClassVar[tuple[str, ...]] = ("packets", "delivered", "refused", "expired", "lost")
    rounds: int = 1
    most: int = 12
    late: float = 0.5
    pause: float = 0.2
    offset: float = 0.01
    odd: int = 1
    patience: int = 20

    def __post_init__(self) -> None:
        if self.network.terminal.kind != "os-link":
            raise ValueError("Bench needs OS-Links, as in terminal: {kind: os-link}")

    @property
    def top(self) -> str:  # type: ignore[override]
        """Return the network with wires of their own for each terminal."""
        return f"{identifier(self.network.name)}_links"

    def sources(self) -> dict[str, str]:
        """Return the network as it is generated."""
        return network_sources(self.network)
