"""Several endpoints behind one terminal: a concentrator and a distributor; the twins of hdl's.

Endpoint e of the terminal at node v has the number v * endpoints + e. Its packets have one beat
more in the network, the first, which holds the endpoints at both ends.
"""

from collections.abc import Sequence
from typing import NamedTuple

from fingerpost.golden.header import Layout, bits

ENDPOINTS = 1, 2, 4, 8, 16
"""Endpoints that may share a terminal."""


def first_beat(endpoints: int) -> Layout:
    """Return the layout of the first beat of a packet; the other bits of tdata are 0."""
    width = bits(endpoints)
    return Layout.sequence(
        destination=(width, "endpoint of the destination"),
        source=(width, "endpoint of the source"),
    )


class Beat(NamedTuple):
    """A beat of AXI4-Stream."""

    data: int = 0
    keep: int = 0
    last: bool = False
    user: int = 0


class Concentrator:
    """Sends the packets of several endpoints through one terminal, packet by packet.

    It chooses an endpoint that offers a beat, the least recently chosen first, sends the first
    beat, and then all beats of the packet. The next is chosen in the cycle of the last beat. While
    an endpoint offers a packet, at most `endpoints` - 1 packets of others begin.

    Parameters
    ----------
    endpoints : int
    bytes : int
        Of a beat.

    Attributes
    ----------
    chosen : int, optional
        The endpoint whose packet is sent.
    node : int
        tdest: the node to which it is sent.
    """

    def __init__(self, endpoints: int, *, bytes: int) -> None:
        self.layout = first_beat(endpoints)
        self.order = list(range(endpoints))  # the least recently chosen first
        self.chosen: int | None = None
        self.begun = False
        self.node, self.first = 0, Beat(keep=(1 << bytes) - 1)

    def offered(self, offers: Sequence[Beat | None]) -> Beat | None:
        """Return the beat that is sent, if there is one; `offers` has those of the endpoints."""
        if self.chosen is None:
            return None
        return offers[self.chosen] if self.begun else self.first

    def taken(self, *, ready: bool) -> int | None:
        """Return the endpoint whose tready is high; `ready` is that of the terminal."""
        return self.chosen if self.begun and ready else None

    def step(self, offers: Sequence[Beat | None], dest: Sequence[int], *, ready: bool) -> None:
        """Go through a clock edge; `dest` has the endpoints' numbers of destinations."""
        beat, chosen = self.offered(offers), self.chosen
        goes = beat is not None and ready
        ends = goes and self.begun and beat is not None and beat.last
        if chosen is not None and not ends:
            self.begun |= goes
            return
        waiting = [e for e in self.order if offers[e] is not None and not (ends and e == chosen)]
        self.chosen, self.begun = (waiting[0] if waiting else None), False
        if self.chosen is not None:
            self.order.remove(self.chosen)
            self.order.append(self.chosen)
            width = self.layout["source"].width
            to = dest[self.chosen] & ((1 << width) - 1)
            self.node = dest[self.chosen] >> width
            data = self.layout.join(destination=to, source=self.chosen)
            self.first = self.first._replace(data=int(data))


class Distributor:
    """Hands packets of one terminal to the endpoints that their first beats name.

    A packet with an error that has lost its first beat is one beat, the last; the endpoint that
    this names, whatever it is, gets it with the error mark.

    Parameters
    ----------
    endpoints : int

    Attributes
    ----------
    chosen : int
        The endpoint that gets the packet.
    inside : bool
        It is known, as the first beat has been taken.
    """

    def __init__(self, endpoints: int) -> None:
        self.layout = first_beat(endpoints)
        self.chosen, self.source, self.inside = 0, 0, False

    def offered(self, beat: Beat | None) -> Beat | None:
        """Return the beat that is offered to the endpoint `chosen`."""
        if beat is None or not self.inside:
            return None
        width, error = self.layout["source"].width, beat.user & 1
        return beat._replace(user=(beat.user >> 1 << width | self.source) << 1 | error)

    def taken(self, beat: Beat, ready: Sequence[bool]) -> bool:
        """Return tready while `beat` comes; `ready` has those of the endpoints."""
        return ready[self.chosen] if self.inside else not beat.last

    def step(self, beat: Beat | None, ready: Sequence[bool]) -> None:
        """Go through a clock edge."""
        if beat is None:
            return
        if not self.inside:
            self.chosen = self.layout.cut("destination", beat.data)
            self.source = self.layout.cut("source", beat.data)
            self.inside = True
        elif ready[self.chosen]:
            self.inside = not beat.last
