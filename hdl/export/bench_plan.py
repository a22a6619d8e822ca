"""Which packets the benches send, whatever the terminals speak."""

from typing import NamedTuple

from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.network import network_ports
from fingerpost.hdl.lib.ports import Port

__all__ = [
    "Plan",
    "longest_data",
    "longest_packet",
    "longest_pause",
    "pauses",
    "plan",
    "spoken_and_counted",
]

PACKETS = 4096
"""The most packets of a bench, but that every terminal sends one."""

LIMIT, CALM = 2_000, 100
"""Cycles in which nothing comes after which nothing more does; the other where all has come."""

SLOW_LINK, SLOW_TERMINAL = 40_000, 4_000
"""The first in bit times, where links are serial, and where terminals alone are."""

SPOKEN = "inject_", "eject_", "s_axis_", "m_axis_", "link_in", "link_out"
"""How the names of ports begin by which terminals speak."""

LONGEST, PAUSE = 16, 64
"""Bytes of data in a message, and bit times of a pause of an OS-Link's peer, at most."""

LONGEST_PACKET = 4
"""Beats of a packet of AXI4-Stream, at most."""

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
    def whom(self) -> str:
        """Return to whom each sends, for people."""
        return "every other" if self.stride == 1 else f"{self.each} others"


def plan(network: Network) -> Plan:
    """Return the packets of a network's benches."""
    count = len(network.topology.terminals)
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


def pauses(network: Network) -> bool:
    """Return whether the senders of AXI4-Stream may pause inside a packet."""
    return not 0 < network.terminal.describe()["timeout"] < PATIENT


def longest_packet(network: Network) -> int:
    """Return the beats of a packet of AXI4-Stream, at most: no more than flow control allows."""
    limit: int = network.terminal.describe().get("packet_limit", LONGEST_PACKET)
    return min(LONGEST_PACKET, limit)


def longest_data(network: Network) -> int:
    """Return the bytes of data in a message to an OS-Link terminal, at most."""
    longest: int = network.terminal.describe()["longest"]
    return min(LONGEST, longest)


def longest_pause(network: Network) -> int:
    """Return the bit times for which a peer may pause.

    In a quarter of a time-out; in another two, `slot` and all, a byte and its acknowledge go.
    """
    timeout: int = network.terminal.describe()["timeout"]
    return min(PAUSE, timeout // 4) if timeout else PAUSE


def spoken_and_counted(network: Network) -> tuple[list[Port], list[Port]]:
    """Return the ports by which terminals speak, and those that say what went wrong."""
    spoken: list[Port] = []
    counted: list[Port] = []
    for port in network_ports(network):
        if port.name.startswith(SPOKEN):
            spoken.append(port)
        elif port.name not in {"clk", "rst"}:
            counted.append(port)
    return spoken, counted
