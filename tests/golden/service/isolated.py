"""Routers of the model, each alone: what they send is taken, what they get is made, by hand."""

from collections import deque

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.engine.isolated import IsolatedRouters
from fingerpost.golden.network.network import Network
from tests.golden.service.streams import Streams, cases, to_random


class Neighbours:
    """Sources that always have a packet ready, and sinks that give credits by a pattern.

    A cycle is `take` what comes out, `give` credits, `send`, and `give_back` what the routers
    return. Ports are places, node * (degree + 1) + port; queues are place * channels + channel.

    Parameters
    ----------
    network : Network
    streams : Streams
    least, most : int or (streams,) arrays
        Flits of a packet.
    period, phase : int or (nodes, ports, channels) arrays
        Each channel of an output gets a credit, if it is owed one, in every cycle that leaves
        `phase` when divided by `period`.
    delay : int
        Cycles from a flit to the first cycle in which its credit may go back.
    reaction : int
        Cycles from a credit to the first cycle in which a source uses it; 1 as in a router.

    Attributes
    ----------
    served : (streams,)
        Flits that have come out, of every stream.
    sent_flits : (streams,)
        Flits that have gone in.
    longest : (streams,)
        The longest that each has waited for its next flit to come out.

    Raises
    ------
    ValueError
        If the flits are too narrow for a number beside the header.
    """

    def __init__(
        self,
        network: Network,
        streams: Streams,
        *,
        least: IntArray | int = 1,
        most: IntArray | int = 1,
        period: IntArray | int = 1,
        phase: IntArray | int = 0,
        delay: int = 2,
        reaction: int = 1,
        seed: int = 0,
    ) -> None:
        topology, count = network.topology, len(streams)
        self.places = topology.nodes * (topology.degree + 1)
        self.streams, self.channels, self.ports = streams, network.virtual_channels, topology.degree
        self.ports += 1
        self.header_width = network.routing.header.width
        if count << self.header_width >= 1 << min(62, network.flit_width):
            raise ValueError(
                f"Streams need a flit_width that numbers them above a header of "
                f"{self.header_width} bits, not {network.flit_width} for {count} of them"
            )
        self.place = streams.node * self.ports + streams.port
        self.queue = self.place * self.channels + streams.channel
        queues = topology.nodes * self.ports * self.channels
        self.stream = np.full(queues, -1)  # of a queue of an input
        self.stream[self.queue] = np.arange(count)
        local = streams.port == topology.local
        self.credits = np.where(local, network.terminal_depth, network.buffer_depth)
        self.least, self.most = (np.broadcast_to(x, count) for x in (least, most))
        self.left = np.zeros(count, np.int64)  # flits of the packet being sent
        self.sent = np.full(count, -1)  # when
        self.owed = np.zeros(queues, np.int64)
        shape = topology.nodes, self.ports, self.channels
        self.period, self.phase = (np.broadcast_to(x, shape).ravel() for x in (period, phase))
        self.coming = deque([np.empty(0, np.int64)] * delay)
        self.returning = deque([np.empty(0, np.int64)] * reaction)
        self.rng = np.random.default_rng(seed)
        self.served, self.sent_flits = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self.longest = np.zeros(count, np.int64)
        self.seen = np.zeros(count, np.int64)

    def take(self, place: IntArray, channel: IntArray, data: IntArray, now: int) -> None:
        """Count the flits that are on the links of outputs in this cycle."""
        stream = data >> self.header_width
        np.add.at(self.served, stream, 1)
        np.maximum.at(self.longest, stream, now - self.seen[stream])
        self.seen[stream] = now
        self.coming.append(place * self.channels + channel)

    def give(self, now: int) -> IntArray:
        """Return the queues of outputs that get a credit in this cycle."""
        np.add.at(self.owed, self.coming.popleft(), 1)
        due = np.flatnonzero((self.owed > 0) & (now % self.period == self.phase % self.period))
        self.owed[due] -= 1
        return due

    def send(self, now: int) -> dict[str, IntArray]:
        """Return what is sent into routers in this cycle, by places that are their inputs.

        Of the channels of an input that have room, the one that has not sent for longest sends.
        """
        able = np.flatnonzero(self.credits > 0)
        able = able[np.lexsort((self.sent[able], self.place[able]))]
        some = able[np.diff(self.place[able], prepend=-1) != 0]
        head = self.left[some] == 0
        length = self.rng.integers(self.least[some], self.most[some] + 1)
        self.left[some] = np.where(head, length, self.left[some]) - 1
        choice = self.rng.integers(self.streams.headers.shape[1], size=len(some))
        header = self.streams.headers[some, choice]
        self.sent[some] = now
        self.sent_flits[some] += 1
        self.credits[some] -= 1
        columns = {
            "valid": 1 << self.streams.channel[some],
            "head": head.astype(np.int64),
            "tail": (self.left[some] == 0).astype(np.int64),
            "data": some << self.header_width | np.where(head, header, 0),
        }
        sent = {name: np.zeros(self.places, np.int64) for name in columns}
        for name, column in columns.items():
            sent[name][self.place[some]] = column
        return sent

    def give_back(self, queues: IntArray) -> None:
        """Count the credits that queues of inputs give back."""
        self.returning.append(queues)
        self.credits[self.stream[self.returning.popleft()]] += 1

    def finish(self, now: int) -> None:
        """Count as waits those that have not ended."""
        np.maximum(self.longest, now - self.seen, out=self.longest)


class Alone:
    """All routers of a network side by side, none linked to another, between `neighbours`.

    Attributes
    ----------
    routers : IsolatedRouters
    seen : dict of arrays
        What they put on their links in this cycle.

    Raises
    ------
    ValueError
        If the routers are linked by OS-Links.
    """

    def __init__(self, network: Network, neighbours: Neighbours) -> None:
        if network.link.jitter_reason:
            raise ValueError(f"Alone needs routers that are wired, not {network.link!r}")
        self.routers, self.neighbours = IsolatedRouters(network), neighbours
        self.seen, self.now = self.routers.seen(), 0

    def cycle(self) -> None:
        """Go through one cycle."""
        sides = self.neighbours
        place, channel = self._channels("valid")
        sides.take(place, channel, self.seen["data"][place], self.now)
        output, channel = np.divmod(sides.give(self.now), self.routers.channels)
        credit = np.zeros(self.routers.places, np.int64)
        np.bitwise_or.at(credit, output, 1 << channel)
        self.routers.give(sides.send(self.now) | {"credit": credit})
        self.routers.step()
        self.seen = self.routers.seen()
        place, channel = self._channels("credit")
        sides.give_back(place * self.routers.channels + channel)
        self.now += 1

    def _channels(self, name: str) -> tuple[IntArray, IntArray]:
        """Return the places and channels of a column of masks."""
        masks = self.seen[name][:, None]
        place, channel = np.nonzero(masks >> np.arange(self.routers.channels) & 1)
        return place, channel

    def run(self, cycles: int) -> None:
        """Go through many cycles."""
        for _ in range(cycles):
            self.cycle()


def alone(
    network: Network, *, cycles: int, least: int = 1, most: int = 4, delay: int = 2, seed: int = 0
) -> float:
    """Return the flits per port and cycle of single routers, the mean over up to 21 nodes.

    All channels of all inputs always have a packet, for any output to which routes lead from
    there, all outputs as likely; credits go back `delay` cycles after a flit.
    """
    known = cases(network)
    nodes = range(min(21, network.topology.nodes))
    streams = Streams.joined([to_random(network, known, node, seed=seed) for node in nodes])
    sides = Neighbours(network, streams, least=least, most=most, delay=delay, seed=seed)
    routers = Alone(network, sides)
    routers.run(cycles // 4)
    before = sides.served.sum()
    routers.run(cycles)
    ports = len(np.unique(sides.place))
    return float(sides.served.sum() - before) / cycles / ports
