"""Random stimulus at every port of isolated routers."""

from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.network.network import Network
from fingerpost.testbench.benches.questions import questions
from fingerpost.testbench.packing import Columns

MOOD = 48
"""Cycles after which every port has another mood."""

BUSY, QUICK, LONG = (1.0, 1.0, 0.6, 0.1), (1.0, 0.5, 0.15, 0.0), (1, 1, 3, 9)
"""Moods: chances of a flit and of a credit in a cycle, and the most flits of a packet."""

CROWD = 192
"""Cycles after which every node has another output that is crowded, or none."""

ALIKE, SLOW, FAST = 0.9, 0.07, 1.0
"""Of a crowded output: the probability that a head requests it, and those of a credit for one of
its channels, and for the others."""


class FaultProfile(NamedTuple):
    """How much is wrong with what is sent, as chances."""

    raw: float = 0.0
    """Of a header that no route brings there: one from elsewhere, or of random bits."""
    odd: float = 0.0
    """Of a flit whose mark as a head or as a tail is wrong."""
    surplus: float = 0.0
    """Of a terminal that sends without a credit, in a cycle."""


RAW = 1 << 12
"""Headers of random bits that are tried to see if links check them."""


class Headers:
    """The headers that may come in by each port of some nodes.

    They are those of routes, and those that `testbench.benches.questions.questions` adds.

    Parameters
    ----------
    network : Network
    nodes : array
    seed : int

    Raises
    ------
    ValueError
        If no route passes any of the nodes.

    Attributes
    ----------
    node, port, pool : arrays
        Of each header; by node, port and the output that it requests.
    begin : (nodes, ports, outputs + 1)
        Where the headers of each port of each node that want each output begin in them; behind
        them those that are refused.
    end : array
        Where they end.
    by_link : array
        All that come over some link.
    checked : bool
        Whether routing refuses some headers that come over links. If not, only header generation
        looks, and what a header of random bits leads to elsewhere is not defined.
    """

    def __init__(self, network: Network, nodes: IntArray, seed: int) -> None:
        topology, rng = network.topology, np.random.default_rng(seed)
        routing, local, ports = network.routing, topology.local, topology.all_ports
        asked = {each.node: each for each in questions(network, nodes, rng)}
        # If decisions are relative, the first node of an orbit represents it.
        _, first, orbit = np.unique(routing.orbit[nodes], return_index=True, return_inverse=True)
        represents = nodes[first[orbit]].tolist()
        place, pool = [], []
        for node, representative in zip(nodes.tolist(), represents, strict=True):
            for by_link in (True, False):
                at = representative if by_link and routing.relative else node
                if at in asked:
                    some = (asked[at].arrival != local) == by_link
                    place.append(node * ports + asked[at].arrival[some])
                    pool.append(asked[at].header[some])
        if not pool or (np.concatenate(place) % ports == local).all():
            raise ValueError(f"Stimulus needs a node that routes pass, and none passes {nodes[0]}")
        several = topology.local_ports
        places, headers = (np.tile(np.concatenate(each), several) for each in (place, pool))
        if several > 1:  # from each terminal of a node, to any at the destination
            end = rng.integers(1 << routing.address_layout["local"].width, size=len(headers))
            headers |= end << routing.header.width
            here = np.repeat(np.arange(several), len(places) // several)
            at = topology.terminals_at[places // ports]
            places += np.where(places % ports == local, here % np.maximum(at, 1), 0)
        wanted = self._wanted(network, places, headers)
        keys = places * (ports + 1) + wanted
        order = np.argsort(keys, kind="stable")
        self.node, self.port = np.divmod(places[order], ports)
        self.pool = headers[order]
        every = np.searchsorted(keys[order], np.arange(topology.nodes * ports * (ports + 1) + 1))
        self.begin = every[:-1].reshape(-1, ports + 1)
        self.end = every[1:].reshape(-1, ports + 1)
        links = self.port < local
        self.by_link = np.unique(self.pool[links])
        node, port = self.node[links], self.port[links]
        raw = rng.integers(1 << routing.address_layout.width, size=RAW)
        some = rng.integers(len(node), size=RAW)
        _, decision = routing.alternatives(node[some], port[some], raw)
        self.checked = bool(decision.error.any())

    @staticmethod
    def _wanted(network: Network, place: IntArray, header: IntArray) -> IntArray:
        """Return the first output that each header requests; `ports` where it is refused."""
        ports = network.topology.all_ports
        which, decision = network.routing.alternatives(*np.divmod(place, ports), header)
        first = np.searchsorted(which, np.arange(len(header)))
        error = decision.error[first].astype(np.bool_)
        return np.where(error, ports, np.minimum(decision.port[first], ports))


class PortStimulus:
    """Random flits and credits for every port of every router of a network, cycle by cycle.

    Senders to a link respect the credits of each channel. Data is random, and so are the wires
    of a link without a flit.

    Parameters
    ----------
    network : Network
    headers : Headers
    profile : FaultProfile
    seed : int
    """

    def __init__(
        self, network: Network, headers: Headers, profile: FaultProfile, seed: int
    ) -> None:
        self.network, self.headers, self.profile = network, headers, profile
        self.rng, self.noise = np.random.default_rng(seed), np.random.default_rng([seed, 1])
        width, most = network.flit_width, np.iinfo(np.int64).max
        least = -most - 1 if width == 64 else 0  # of more bits than the model has the first are 0
        self.range = least, min(most, (1 << width) - 1)
        topology = network.topology
        self.ports, self.local = topology.all_ports, topology.local
        self.places, self.channels = topology.nodes * self.ports, network.virtual_channels
        self.header = network.routing.address_layout.width
        terminal = np.arange(self.places) % self.ports >= self.local
        first = np.arange(self.channels) < network.classes
        turns = network.used_turns  # no flit comes where none is used
        there = np.array([turns[kind].any(axis=1) for kind in topology.node_type]).ravel()
        queues = there[:, None] & (first | ~terminal[:, None])
        depth = np.where(terminal, network.terminal_depth, network.buffer_depth)
        self.terminal = np.flatnonzero(terminal & there)
        self.credits: IntArray = np.where(queues, depth[:, None], 0)
        self.left = np.zeros_like(self.credits)
        self.owed = np.zeros_like(self.credits)

    def _chance(self, some: float | IntArray, shape: tuple[int, ...]) -> BoolArray:
        return self.rng.random(shape) < some

    def _moody(self, cycle: int) -> None:
        if cycle % MOOD == 0:
            choose = self.rng.choice
            self.busy = choose(BUSY, self.places)
            self.quick = choose(QUICK, (self.places, self.channels))
            self.long = choose(LONG, self.places)
            self._crowd(cycle)

    def _crowd(self, cycle: int) -> None:
        """Let a half of the nodes have an output that most want, and that has a slow channel.

        So what a terminal sends there often stands still while others pass on another channel.
        """
        rng, nodes = self.rng, self.places // self.ports
        if cycle % CROWD == 0:
            self.crowded = rng.integers(self.ports, size=nodes)
            self.slow = rng.integers(self.channels, size=nodes)
            self.alike = rng.integers(2, size=nodes) > 0
        some = np.flatnonzero(self.alike)
        place = some * self.ports + self.crowded[some]
        self.quick[place] = FAST
        self.quick[place, self.slow[some]] = SLOW
        for local in range(self.local, self.ports):
            terminal = some * self.ports + local
            self.busy[terminal], self.long[terminal] = max(BUSY), max(LONG)

    def cycle(self, number: int, sent: IntArray, returned: IntArray) -> Columns:
        """Return what goes in in a cycle, by rows of node and port.

        Parameters
        ----------
        sent, returned : arrays
            The channels, as place * channels + channel, on which outputs send in this cycle, and of
            which inputs give back a credit in it.
        """
        self._moody(number)
        self.credits.ravel()[returned] += 1
        # A credit goes back no sooner than in the next cycle.
        back = (self.owed > 0) & self._chance(self.quick, self.owed.shape)
        self.owed -= back
        self.owed.ravel()[sent] += 1
        columns = self._flits()
        columns["credit"] = back @ (1 << np.arange(self.channels))
        return columns

    def _flits(self) -> Columns:
        rng = self.rng
        can = self.credits > 0
        if self.profile.surplus:
            some = self._chance(self.profile.surplus, (len(self.terminal), self.network.classes))
            can[self.terminal, : self.network.classes] |= some
        key = np.where(can, rng.random(can.shape), -1)
        channel = key.argmax(axis=1)
        place = np.flatnonzero(can.any(axis=1) & self._chance(self.busy, (self.places,)))
        at = place, channel[place]
        self.credits[at] = np.maximum(self.credits[at] - 1, 0)
        first = self.left[at] == 0
        self.left[at] = np.where(first, rng.integers(1, self.long[place] + 1), self.left[at]) - 1
        head, tail = first, self.left[at] == 0
        if self.profile.odd:
            head = head ^ self._chance(self.profile.odd, place.shape)
            tail = tail ^ self._chance(self.profile.odd, place.shape)
        data = self._data(place, head)
        columns = self._idle()
        columns["valid"][place] = 1 << at[1]
        columns["head"][place], columns["tail"][place] = head, tail
        columns["data"][place] = data
        return columns

    def _idle(self) -> Columns:
        """Return links without a flit: their other wires have random bits, which mean nothing.

        Only a terminal that sends without credits keeps them at 0: its router ends a truncated
        packet by a tail with the data that is there.
        """
        head, tail = self.noise.integers(2, size=(2, self.places))
        data = self.noise.integers(*self.range, size=self.places, endpoint=True)
        if self.profile.surplus:
            data[self.terminal] = 0
        return {"valid": np.zeros(self.places, np.int64), "head": head, "tail": tail, "data": data}

    def _data(self, place: IntArray, head: BoolArray) -> IntArray:
        """Return random data, with a header in it if it is that of a head."""
        rng, low = self.rng, (1 << self.header) - 1
        headers = self.headers
        first, end = headers.begin[place, 0], headers.end[place, -1]
        node = place // self.ports
        asked = place, self.crowded[node]
        alike = self.alike[node] & self._chance(ALIKE, place.shape)
        alike &= headers.begin[asked] < headers.end[asked]
        first = np.where(alike, headers.begin[asked], first)
        end = np.where(alike, headers.end[asked], end)
        some = rng.integers(first, np.maximum(end, first + 1)) % len(headers.pool)
        # No route may come by a link that there is.
        wrong = self._chance(self.profile.raw, place.shape) | (first == end)
        header = np.where(wrong, rng.choice(headers.by_link, place.shape), headers.pool[some])
        checked = headers.checked | (place % self.ports >= self.local)
        raw = wrong & checked & self._chance(0.5, place.shape)
        data = rng.integers(*self.range, size=place.shape, endpoint=True)
        return np.where(head & ~raw, data & ~low | header, data)
