"""Reads and writes of managers, and what memories make of them: traffic of AXI4 terminals."""

from dataclasses import dataclass
from typing import Any

READ, WRITE = range(2)
"""Kinds of transactions: the message class of a packet of the traffic that is one."""

KINDS = {READ: "reads", WRITE: "writes"}
"""What they are called."""

SLOWEST = 4096
"""Cycles in which a memory answers at most: a network in which nothing moves is not deadlocked so
soon."""


@dataclass(frozen=True)
class Transactions:
    """How managers and memories behave.

    A packet of the traffic is a transaction, its flits are beats of data.

    Raises
    ------
    ValueError
        If there is no such share, none are in flight, or a memory answers at once or too late.
    """

    reads: float = 0.5
    """The share of transactions that read; the others write."""
    outstanding: int | None = None
    """Reads, and writes, that a manager has in flight at most; None: as many as its side can."""
    memory_cycles: int = 1
    """Cycles from a read's address, or a write's last beat, to the response of the memory."""

    def __post_init__(self) -> None:
        if not 0 <= self.reads <= 1:
            raise ValueError(f"Transactions need a share of reads of 0 to 1, not {self.reads:g}")
        if self.outstanding is not None and self.outstanding < 1:
            raise ValueError(f"Transactions need outstanding of at least 1, not {self.outstanding}")
        if not 1 <= self.memory_cycles <= SLOWEST:
            raise ValueError(
                f"Transactions need memory_cycles in 1..{SLOWEST}, not {self.memory_cycles}"
            )

    @property
    def given(self) -> dict[str, Any]:
        """Return all of this by name, but what is as the network file says."""
        return {name: value for name, value in vars(self).items() if value is not None}

    @property
    def shares(self) -> list[float]:
        """Return the shares of reads and writes, as those of message classes."""
        return [self.reads, 1 - self.reads]
