"""Routers of the model, each alone: what they send is taken, what they get is made, by hand."""

from collections import deque

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.flit import Flits
from fingerpost.golden.model.model import Model
from fingerpost.golden.network.network import Network
from fingerpost.golden.service.streams import Streams


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

    def send(self, now: int) -> Flits:
        """Return what is sent into routers in this cycle, `place` being their inputs.

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
        return Flits(
            port_index=self.place[some],
            channel=self.streams.channel[some],
            head=head,
            tail=self.left[some] == 0,
            data=some << self.header_width | np.where(head, header, 0),
            tag=some,
        )

    def give_back(self, queues: IntArray) -> None:
        """Count the credits that queues of inputs give back."""
        self.returning.append(queues)
        self.credits[self.stream[self.returning.popleft()]] += 1

    def finish(self, now: int) -> None:
        """Count as waits those that have not ended."""
        np.maximum(self.longest, now - self.seen, out=self.longest)


class Alone:
    """All routers of a network side by side, none linked to another.

    Before each step `neighbours` replaces the flits and credits on all links. So routers are
    isolated, and one model tries many routers at once.

    Raises
    ------
    ValueError
        If the routers are linked by OS-Links.
    """

    def __init__(self, network: Network, neighbours: Neighbours) -> None:
        if network.link.jitter_reason:
            raise ValueError(f"Alone needs routers that are wired, not {network.link!r}")
        topology = network.topology
        self.model, self.neighbours = Model(network), neighbours
        self.local, self.ports = topology.local, topology.degree + 1
        self.channels = network.virtual_channels
        self.now = 0

    def cycle(self) -> None:
        """Go through one cycle."""
        model, sides, local = self.model, self.neighbours, self.local
        link, ejected = model.link, model.ejected
        place, channel, data = (
            np.concatenate([getattr(link, name), getattr(ejected, name)])
            for name in ("port_index", "channel", "data")
        )
        sides.take(place, channel, data, self.now)
        output, channel = np.divmod(sides.give(self.now), self.channels)
        ejected_to = output // self.ports * model.classes + channel
        linked = output % self.ports != local
        model.credit = model.link_dst[output[linked]] * self.channels + channel[linked]
        sent = sides.send(self.now)
        linked_in = sent.port_index % self.ports != local
        arriving = Flits(*(column[linked_in] for column in sent))
        model.link = arriving._replace(port_index=model.link_src[arriving.port_index])
        injected = Flits(*(column[~linked_in] for column in sent))
        model.step(injected, ejected_to[~linked])
        sides.give_back(model.credit)
        self.now += 1

    def run(self, cycles: int) -> None:
        """Go through many cycles."""
        for _ in range(cycles):
            self.cycle()
