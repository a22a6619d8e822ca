"""Which packets the benches send, whatever the terminals speak."""

from typing import NamedTuple

from golden.network import Network
from hdl.network import network_ports
from hdl.ports import Port

__all__ = ["Plan", "pauses", "plan", "spoken_and_counted"]

PACKETS = 4096
"""The most packets of a bench, but that every terminal sends one."""

LIMIT, SLOW = 2_000, 200_000
"""Cycles in which nothing comes after which nothing more does; the other over links between chips.
"""

PATIENT = 8
"""The shortest time-out that no pause of a sender reaches."""


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
    """

    terminals: int
    each: int
    stride: int
    limit: int

    @property
    def packets(self) -> int:
        """Return how many there are."""
        return self.terminals * self.each

    @property
    def whom(self) -> str:
        """Return to whom each sends, for people."""
        return "every other" if self.stride == 1 else f"{self.each} others"


def plan(network: Network) -> Plan:
    """Return the packets of a network's benches."""
    count = len(network.topology.terminals)
    each = count - 1 if count * (count - 1) <= PACKETS else max(1, PACKETS // count)
    return Plan(count, each, (count - 1) // each, SLOW if network.link.varies else LIMIT)


def pauses(network: Network) -> bool:
    """Return whether the senders of AXI4-Stream may pause inside a packet."""
    return not 0 < network.terminal.describe()["timeout"] < PATIENT


def spoken_and_counted(network: Network) -> tuple[list[Port], list[Port]]:
    """Return the ports by which terminals speak, and those that say what went wrong."""
    spoken: list[Port] = []
    counted: list[Port] = []
    for port in network_ports(network):
        if port.name.startswith(("inject_", "eject_", "s_axis_", "m_axis_")):
            spoken.append(port)
        elif port.name not in {"clk", "rst"}:
            counted.append(port)
    return spoken, counted
