"""A network with mailboxes, whose registers the AXI4-Lite managers of cocotbext-axi access."""

from dataclasses import dataclass
from typing import ClassVar

from fingerpost.hdl.emit.network import top
from fingerpost.testbench.benches.bench import OfNetwork
from fingerpost.testbench.benches.network import network_sources

__all__ = ["MailboxBench"]


@dataclass(frozen=True, kw_only=True)
class MailboxBench(OfNetwork):
    """Packets from every terminal to every other in every class, by drivers that know no model.

    Attributes
    ----------
    rounds : int
        Packets from every terminal to every other in every message class.
    misuse : float
        The chance that something is done wrong before a packet is begun.
    patience : int
        Cycles after which the bench gives up.

    Raises
    ------
    ValueError
        If the terminals are others.
    """

    level: ClassVar[str] = "mailbox"
    facts: ClassVar[tuple[str, ...]] = ("packets", "delivered", "misuses")
    rounds: int = 1
    misuse: float = 0.5
    patience: int = 20_000

    def __post_init__(self) -> None:
        if self.network.terminal.kind != "mailbox":
            raise ValueError("Bench needs mailboxes, as in terminal: {kind: mailbox}")

    @property
    def top(self) -> str:  # type: ignore[override]
        """Return the network with mailboxes."""
        return top(self.network)[0]

    def sources(self) -> dict[str, str]:
        """Return the network as it is generated."""
        return network_sources(self.network)
