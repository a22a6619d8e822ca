"""What isolated routers have been through, as their model has it."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.counters import ERRORS, OVERRUNS
from fingerpost.golden.engine.isolated import IsolatedRouters
from fingerpost.golden.network.network import Network
from fingerpost.testbench.packing import Columns

CREDIT, HEADER, OVERRUN = "no credit", "bad header", "overrun"

MOST_ERRORS, MOST_OVERRUNS = "errors as many as are counted", "overruns as many as are counted"

QUEUES = "full", "emptied", "push while pop", "orphan", "head inside", CREDIT
"""What happens to a queue; the last to a channel of an output."""

ROUTERS = HEADER, MOST_ERRORS, OVERRUN, MOST_OVERRUNS


class Key(NamedTuple):
    """Something that can happen to the routers of a kind of nodes."""

    what: str
    """turn; full, emptied, push while pop: of a queue; no credit: of an output; orphan, head
    inside: flits at an input; the rest are of a router."""
    kind: int
    """The number of the kind of nodes."""
    where: tuple[int, ...] = ()
    """Port and channel; of a turn both, of input and output."""

    def __str__(self) -> str:
        """Return it as people read it."""
        return " ".join([f"kind {self.kind}: {self.what}", *map(str, self.where)])


def onward(network: Network, node: int, port: int, channel: int, out: int) -> Sequence[int]:
    """Return the channels on which a packet may go on (`fingerpost.golden.deadlock`).

    From the terminal these are the lowest lanes of its message class: it takes a free one.
    """
    lanes, each, local = network.lanes, network.channels_per_class, network.topology.local
    if out >= local:
        return [channel if port >= local else channel // each]
    if port >= local:
        return range(channel * each, channel * each + int(lanes.count[0]))
    raised = network.channels.vc_increments[node, port, out]
    return [int(lanes.next_vc[channel]) if raised else channel]


class Coverage:
    """Counts what happens.

    Parameters
    ----------
    network : Network
    asked : (node, port, header) arrays
        The headers that can come in.
    nodes : array
        Those that count.

    Attributes
    ----------
    possible : set of Key
        What can happen; a turn can if it is the decision on a header that can come in.
    """

    def __init__(
        self, network: Network, asked: tuple[IntArray, IntArray, IntArray], nodes: IntArray
    ) -> None:
        topology = network.topology
        self.network, self.local = network, topology.local
        self.ports, self.channels = topology.all_ports, network.virtual_channels
        self.kind = np.array([topology.node_types.index(each) for each in topology.node_type])
        self.possible = {*self._turns(*asked), *self._places(nodes)}
        self._counts = np.isin(np.arange(topology.nodes), nodes)
        queues = topology.nodes * self.ports * self.channels
        terminal = np.arange(queues) // self.channels % self.ports >= self.local
        self.depth = np.where(terminal, network.terminal_depth, network.buffer_depth)
        self._turned = np.zeros((queues, self.ports * self.channels), np.bool_)
        self._marks = {what: np.zeros(queues, np.bool_) for what in QUEUES}
        self._counted = {what: np.zeros(topology.nodes, np.bool_) for what in ROUTERS}

    def _turns(self, node: IntArray, port: IntArray, header: IntArray) -> Iterator[Key]:
        network = self.network
        which, decision = network.routing.alternatives(node, port, header)
        good = ~decision.error.astype(np.bool_) & (decision.port < self.ports)
        node, port, out = node[which][good], port[which][good], decision.port[good]
        for v, p, q in np.unique(np.stack([node, port, out], axis=1), axis=0).tolist():
            kind = int(self.kind[v])
            if not network.used_turns[network.topology.node_types[kind]][p, q]:
                continue
            for channel in range(network.classes if p >= self.local else self.channels):
                for after in onward(network, v, p, channel, q):
                    yield Key("turn", kind, (p, channel, q, after))

    def _places(self, nodes: IntArray) -> Iterator[Key]:
        for kind in np.unique(self.kind[nodes]).tolist():
            node_type = self.network.topology.node_types[kind]
            terminals, classes = range(node_type.terminals), range(self.network.classes)
            local = [(self.local + t, c) for t in terminals for c in classes]
            used, links = self.network.used_turns[node_type], range(self.channels)
            inputs = [p for p in node_type.inputs if used[p].any()]
            outputs = [p for p in node_type.outputs if used[:, p].any()]
            for place in [*((p, c) for p in inputs for c in links), *local]:
                yield from (Key(what, kind, place) for what in QUEUES if what != CREDIT)
            for place in [*((p, c) for p in outputs for c in links), *local]:
                yield Key(CREDIT, kind, place)
            there = ROUTERS if node_type.terminals else (HEADER, MOST_ERRORS)
            yield from (Key(what, kind) for what in there)

    @property
    def seen(self) -> set[Key]:
        """Return what has happened."""
        queues = np.repeat(self._counts, self.ports * self.channels)
        found = {
            Key("turn", *_joined(self._named(queue), self._named(out)))
            for queue, out in np.argwhere(self._turned & queues[:, None]).tolist()
        }
        for what, marks in self._marks.items():
            found |= {Key(what, *self._named(q)) for q in np.flatnonzero(marks & queues).tolist()}
        for what, marks in self._counted.items():
            counted = np.unique(self.kind[marks & self._counts])
            found |= {Key(what, kind) for kind in counted.tolist()}
        return found

    @property
    def missing(self) -> list[Key]:
        """Return what has not happened, in order."""
        return sorted(self.possible - self.seen)

    def step(self, routers: IsolatedRouters, sent: Columns) -> None:
        """Let routers go through a cycle in which they have been given flits; look at it.

        `sent` is what they put on their links in it.
        """
        queue, head = routers.arriving()
        before = routers.counts()
        level = routers.buffer("level").copy()
        in_packet = routers.buffer("in_packet")[queue] > 0
        routers.step()
        now, counts, out = routers.buffer("level"), routers.counts(), routers.seen()
        popped = (out["credit"][:, None] >> np.arange(self.channels) & 1 > 0).ravel()
        self._marks["full"] |= now == self.depth
        self._marks["emptied"] |= popped & (now == 0)
        self._marks["push while pop"] |= popped & (now == level)
        self._marks[CREDIT] |= routers.registers.routers.credits == 0
        overrun = counts["overruns"] > before["overruns"]
        self._counted[OVERRUN] |= overrun
        self._counted[MOST_OVERRUNS] |= counts["overruns"] == OVERRUNS.most
        self._counted[MOST_ERRORS] |= counts["errors"] == ERRORS.most
        node, port = np.divmod(queue // self.channels, self.ports)
        arrives = ~(overrun[node] & (port >= self.local))  # else it may have been dropped
        orphan, nested = arrives & ~head & ~in_packet, arrives & head & in_packet
        self._marks["orphan"][queue[orphan]] = True
        self._marks["head inside"][queue[nested]] = True
        others = np.bincount(node[orphan | nested], minlength=len(self.kind))
        self._counted[HEADER] |= routers.new_errors > others
        own = (sent["valid"] > 0) & (sent["tag"] >= 0)  # not a tail that ends what an overrun cut
        place = np.flatnonzero(own)
        channel = np.log2(sent["valid"][place]).astype(np.int64)
        self._turned[sent["tag"][place], place % self.ports * self.channels + channel] = True

    def _named(self, queue: int) -> tuple[int, tuple[int, int]]:
        """Return kind, port and channel; of an output as of a queue of node 0."""
        place, channel = divmod(queue, self.channels)
        node, port = divmod(place, self.ports)
        return int(self.kind[node]), (port, channel)


def _joined(
    come: tuple[int, tuple[int, int]], gone: tuple[int, tuple[int, int]]
) -> tuple[int, tuple[int, ...]]:
    return come[0], (*come[1], *gone[1])
