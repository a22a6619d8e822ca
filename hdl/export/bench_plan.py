"""Which packets the benches send, whatever the terminals speak."""

from typing import NamedTuple

from fingerpost.golden.network.kinds import AnyNetwork

PACKETS = 4096
"""The most packets of a bench, but that every terminal sends one."""

LIMIT, CALM = 2_000, 100
"""Cycles in which nothing comes after which nothing more does; the other where all has come."""

SLOW_LINK, SLOW_TERMINAL = 40_000, 4_000
"""The first in bit times, where links are serial, and where terminals alone are."""


class Plan(NamedTuple):
    """Packets from every terminal to every other, or to a few if there would be too many.

    Packet p is from terminal p // each, and goes to the one that is 1 + p % each * stride further.

    Attributes
    ----------
    terminals : int
    each : int
        Packets of a terminal.
    stride : int
        How many terminals two of its packets are apart.
    limit : int
        Cycles in which nothing comes after which nothing more does.
    calm : int
        The same where all that was sent has come.
    """

    terminals: int
    each: int
    stride: int
    limit: int
    calm: int

    @property
    def packets(self) -> int:
        """Return how many there are."""
        return self.terminals * self.each

    @property
    def destinations(self) -> str:
        """Return the destinations of each terminal, as text."""
        return "every other" if self.stride == 1 else f"{self.each} others"


def plan(network: AnyNetwork) -> Plan:
    """Return the packets of a network's benches."""
    count = len(network.terminal.numbers(network.topology.terminals))
    each = count - 1 if count * (count - 1) <= PACKETS else max(1, PACKETS // count)
    link, terminal = network.link.describe(), network.terminal.describe()
    bit = terminal.get("clocks_per_bit", 0)
    return Plan(
        terminals=count,
        each=each,
        stride=(count - 1) // each,
        limit=max(LIMIT, SLOW_LINK * link.get("clocks_per_bit", 0), SLOW_TERMINAL * bit),
        calm=(CALM + terminal.get("slot", 0)) * max(1, bit),
    )
