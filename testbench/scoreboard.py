"""What is inside a router under test, and whether it comes out as it should."""

from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["Flit", "Packet", "Scoreboard", "Way"]

Way = tuple[int, int]
"""A port and a channel."""


class Flit(NamedTuple):
    """A flit on a link."""

    channel: int
    head: bool
    tail: bool
    data: int


@dataclass
class Packet:
    """A packet, what the router shall do with it, and how far it has come out.

    Attributes
    ----------
    number : int
    source : Way
        Where it goes in.
    ways : tuple of Way
        Where it may come out: one port, and one of its channels; none: it is to be drained.
    data, heads, tails : lists
        Of its flits as they go in.
    next_head : int
        The data with which its head shall come out.
    seen : int
        Flits that have come out.
    """

    number: int
    source: Way
    ways: tuple[Way, ...]
    data: list[int]
    heads: list[bool]
    tails: list[bool]
    next_head: int
    seen: int = 0

    def flit(self, index: int) -> Flit:
        """Return flit `index` as it goes in."""
        return Flit(self.source[1], self.heads[index], self.tails[index], self.data[index])

    def is_error(self, index: int) -> bool:
        """Return whether the router shall count flit `index` as malformed."""
        if not any(self.heads):
            return True
        return self.heads[index] if index else not self.ways


@dataclass
class Scoreboard:
    """What is inside the router, and what came out of it wrong.

    Parameters
    ----------
    header_width : int
        The lowest bits of a head; they change on the way.
    """

    header_width: int
    inside: dict[int, Packet] = field(default_factory=dict)
    came: int = 0
    _leaving: dict[Way, Packet] = field(default_factory=dict)
    _order: dict[tuple[Way, int], deque[int]] = field(default_factory=lambda: defaultdict(deque))

    def enter(self, packet: Packet) -> None:
        """Expect a packet to come out."""
        self.inside[packet.number] = packet
        if packet.ways:
            self._order[packet.source, packet.ways[0][0]].append(packet.number)

    def leave(self, port: int, flit: Flit) -> str:
        """Take a flit that came out by `port`; return what is wrong with it."""
        way = (port, flit.channel)
        if way not in self._leaving:
            wrong = self._begin(way, flit)
            if wrong:
                return wrong
        packet = self._leaving[way]
        index = packet.seen
        head, data = index == 0, packet.data[index] if index else packet.next_head
        expected = Flit(flit.channel, head, packet.tails[index], data)
        if flit != expected:
            return (
                f"flit {index} of packet {packet.number} from port, channel {packet.source}: "
                f"expected head, tail, data {expected.head}, {expected.tail}, {expected.data:#x}, "
                f"seen {flit.head}, {flit.tail}, {flit.data:#x}"
            )
        packet.seen += 1
        self.came += 1
        if flit.tail:
            del self._leaving[way], self.inside[packet.number]
        return ""

    def _begin(self, way: Way, flit: Flit) -> str:
        """Find the packet that begins to come out; return what is wrong with that."""
        if not flit.head:
            return f"a body flit {flit.data:#x} comes out without a head"
        payload = flit.data >> self.header_width
        for packet in self.inside.values():
            same = packet.data[0] >> self.header_width == payload
            if way in packet.ways and not packet.seen and same:
                break
        else:
            return f"a head {flit.data:#x} arrives that was not sent there"
        self._leaving[way] = packet
        first = self._order[packet.source, way[0]].popleft()
        return "" if first == packet.number else f"packet {packet.number} overtakes packet {first}"
