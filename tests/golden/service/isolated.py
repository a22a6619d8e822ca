"""Endless streams of packets into single routers, and the share that is fair for each."""

from collections import deque
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.deadlock.states import states
from fingerpost.golden.flit import Flits
from fingerpost.golden.model.model import Model
from fingerpost.golden.network.network import Network

SMALL = 100
"""Nodes up to which the routes of all are walked, not of the first of each orbit."""

CHOICES = 64
"""Headers among which each packet of a stream has one, at random."""

Limit = tuple[Collection[Hashable], Fraction]
"""Streams that share something, and how much of it there is."""


def water_fill(streams: Sequence[Hashable], limits: Collection[Limit]) -> Mapping[Hashable, float]:
    """Return the max-min fair rates of streams that all want as much as they can get.

    All rates rise together, and those of a limit that is reached stay (Bertsekas and Gallager,
    Data Networks, 2nd edition, 6.5.2).

    Raises
    ------
    ValueError
        If a stream has no limit.
    """
    rates: dict[Hashable, Fraction] = {}
    while len(rates) < len(streams):
        levels = []
        for members, capacity in limits:
            rising = [stream for stream in members if stream not in rates]
            if rising:
                used = sum((rates[stream] for stream in members if stream in rates), Fraction(0))
                levels.append(((capacity - used) / len(rising), rising))
        free = [stream for stream in streams if stream not in rates]
        bound = {stream for _, rising in levels for stream in rising}
        if not bound.issuperset(free):
            unbound = next(stream for stream in free if stream not in bound)
            raise ValueError(f"Fair share needs a limit of every stream, not none of {unbound!r}")
        level = min(level for level, _ in levels)
        rates |= {stream: level for each, rising in levels if each == level for stream in rising}
    return {stream: float(rates[stream]) for stream in streams}


class Cases(NamedTuple):
    """What can arrive on the routes of a network, as parallel arrays: node, input, header, output.

    Only what one decision can be taken on, whatever the selection; nothing that stays at its node.
    """

    node: IntArray
    port: IntArray
    header: IntArray
    output: IntArray

    def headers(self, node: int, port: int, output: int) -> IntArray:
        """Return the headers with which packets that come by `port` leave `node` by `output`."""
        some = (self.node == node) & (self.port == port) & (self.output == output)
        found: IntArray = self.header[some]
        return found

    def outputs(self, node: int, port: int) -> list[int]:
        """Return the outputs by which packets leave that come to `node` by `port`."""
        some = (self.node == node) & (self.port == port)
        return [int(output) for output in np.unique(self.output[some])]


@dataclass(frozen=True)
class Streams:
    """Packets that never end, on some channels of inputs. Arrays are over streams.

    Attributes
    ----------
    node, port, channel : arrays
        Where each comes in; no two at one place.
    output : array
        By which port it goes out, -1 if its packets differ.
    headers : (streams, choices)
        One of them, at random, is that of a packet.
    """

    node: IntArray
    port: IntArray
    channel: IntArray
    output: IntArray
    headers: IntArray

    def __len__(self) -> int:
        return len(self.node)

    @classmethod
    def joined(cls, some: Iterable["Streams"]) -> "Streams":
        """Return all streams of several."""
        columns = zip(
            *((s.node, s.port, s.channel, s.output, s.headers) for s in some), strict=True
        )
        return cls(*(np.concatenate(column) for column in columns))


def cases(network: Network) -> Cases:
    """Return what can arrive at the nodes of a network, on routes between its terminals."""
    routing, topology = network.routing, network.topology
    terminals = topology.terminals
    first = np.unique(routing.orbit[terminals], return_index=True)[1]
    node, port, header = states(routing, terminals if topology.nodes <= SMALL else terminals[first])
    if routing.relative:  # one node stands for its orbit
        by_orbit = np.argsort(routing.orbit[node], kind="stable")
        begin = np.searchsorted(routing.orbit[node][by_orbit], np.arange(topology.nodes + 1))
        rows = [by_orbit[begin[orbit] : begin[orbit + 1]] for orbit in routing.orbit.tolist()]
        every = np.concatenate(rows)
        node = np.repeat(np.arange(topology.nodes), [len(row) for row in rows])
        port, header = port[every], header[every]
    which, decision = routing.alternatives(node, port, header)
    single = (np.bincount(which)[which] == 1) & (decision.error == 0)
    local = topology.local
    single &= ~((port[which] == local) & (decision.port == local))
    which = which[single]
    return Cases(node[which], port[which], header[which], decision.port[single])


def to_one_output(
    known: Cases, node: int, output: int, ways: Iterable[tuple[int, int]], *, seed: int = 0
) -> Streams:
    """Return streams from (port, channel) `ways` of a node to one of its outputs.

    Raises
    ------
    ValueError
        If nothing that comes that way goes there.
    """
    rng = np.random.default_rng(seed)
    ways = list(ways)
    chosen = []
    for port, _ in ways:
        headers = known.headers(node, port, output)
        if not len(headers):
            raise ValueError(f"Stream needs a route from port {port} to {output} at node {node}")
        chosen.append(rng.choice(headers, CHOICES))
    port, channel = np.array(ways).T
    everywhere = np.full(len(ways), node)
    return Streams(everywhere, port, channel, np.full(len(ways), output), np.array(chosen))


def to_random(network: Network, known: Cases, node: int, *, seed: int = 0) -> Streams:
    """Return streams on all channels of all inputs of a node, to its outputs, all as likely."""
    rng = np.random.default_rng(seed)
    ways, chosen = [], []
    for port in range(network.topology.degree + 1):
        outputs = known.outputs(node, port)
        terminal = port == network.topology.local
        channels = network.classes if terminal else network.virtual_channels
        for channel in range(channels if outputs else 0):
            choices = [known.headers(node, port, output) for output in rng.choice(outputs, CHOICES)]
            ways.append((port, channel))
            chosen.append([rng.choice(headers) for headers in choices])
    port_, channel_ = np.array(ways).T
    everywhere = np.full(len(ways), node)
    return Streams(everywhere, port_, channel_, np.full(len(ways), -1), np.array(chosen))


def out_channel(network: Network, node: int, port: int, channel: int, output: int) -> int:
    """Return the channel on which a packet goes on, if there are no more than the proof needs."""
    local, each = network.topology.local, network.channels_per_class
    message_class, own = (channel, 0) if port == local else divmod(channel, each)
    if output == local:
        return message_class
    next_vc = own + int(network.channels.vc_increments[node, port, output])
    return message_class * each + min(next_vc, each - 1)


def fair_shares(network: Network, streams: Streams, period: IntArray) -> list[float]:
    """Return the max-min fair rate of every stream, in flits per cycle.

    What limits them is the credits of each channel of an output, one every `period` cycles, by
    node, output and channel; one flit a cycle on each link, in and out.
    """
    columns = (streams.node, streams.port, streams.channel, streams.output)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    members: dict[tuple[object, ...], list[int]] = {}
    capacity: dict[tuple[object, ...], Fraction] = {}
    for number, (node, port, channel, output) in enumerate(rows):
        onward = out_channel(network, node, port, channel, output)
        for key, rate in (
            (("in", node, port), Fraction(1)),
            (("out", node, output), Fraction(1)),
            (("channel", node, output, onward), Fraction(1, int(period[node, output, onward]))),
        ):
            members.setdefault(key, []).append(number)
            capacity[key] = rate
    limits: list[Limit] = [(members[key], capacity[key]) for key in members]
    rates = water_fill(range(len(rows)), limits)
    return [rates[number] for number in range(len(rows))]


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
