"""Routes for a given number of virtual channels, on any network, from a table at the source."""

import pickle
from itertools import product
from typing import Annotated

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.disk_cache import Arrays, cached
from fingerpost.golden.header import Field, Layout, bits
from fingerpost.golden.link_order import LinkGraph, balanced_paths, link_graph, search
from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.routing.base import Decision, Routing, Straps
from fingerpost.golden.topology.base import Topology, summary

LARGEST = 25_000_000
"""More entries of all tables are refused: they would take minutes."""

WORD, LONGEST_WORD = 32, 62
"""Bits of a path in the header: in this many, if the network's diameter allows; and at most."""

STEPS = 4_000
"""Steps of the search of a network whose file has no order, at most."""

DETOUR = 5
"""Hops by which routes may be longer than the diameter, unless a pair then has none."""

WORK = 2_000_000_000
"""Links that the search of a network looks at whose file has no order: some ten seconds."""


class Acyclic(Routing):
    """Near-shortest paths with few descents in an order of all links.

    A packet moves to the next virtual channel where it descends in the order. So with V channels
    routes descend V - 1 times at most, and no packets wait for each other in a circle. The order is
    searched for (`fingerpost.golden.link_order.search`), and routes in it are balanced. The source
    looks the whole path up: the header is a word of the ports to take, the next one lowest, with a
    1 above the last.

    Where a symmetry of the network keeps ports, and no link joins two nodes of one orbit, all links
    of an orbit by one port have one place in the order, and routes from all its nodes are alike;
    unless no such order has a path for each pair.

    Parameters
    ----------
    topology : Topology
    virtual_channels : int
        V. A network with links in both directions has routes for each V.
    steps, seed : int
        Of the search; 0 steps: as many as take some seconds.
    order : list of int, optional
        The order, if it is known: links, orbit * degree + port, the first one first.

    Attributes
    ----------
    link_order : (links,)
        The order.
    words : (terminals, terminals)
        The paths as words, from and to terminals by their numbers.
    longest : int
        The hops of the longest route.

    Raises
    ------
    ParameterError
        If there are no such routes, they do not fit in a header, or tables would be too large.
    """

    algorithm = "acyclic"
    families = ()  # any
    relative = True
    header_cycles = 1

    def __init__(
        self,
        topology: Topology,
        *,
        virtual_channels: Annotated[
            int,
            Parameter("Virtual channels that routes may use.", minimum=1, maximum=16),
        ] = 1,
        steps: Annotated[
            int, Parameter("Steps of the search for an order; 0: some seconds.", minimum=0)
        ] = 0,
        seed: Annotated[int, Parameter("Seed of the search.", minimum=0)] = 0,
        order: Annotated[
            list[int] | None,
            Parameter(
                "The order of the links; searched for if absent.",
                "a list of whole numbers, as `fingerpost order` prints it",
            ),
        ] = None,
    ) -> None:
        self.topology, self.virtual_channels = topology, virtual_channels
        n, terminals = topology.nodes, topology.terminals
        if len(terminals) ** 2 > LARGEST:
            raise ParameterError(
                "algorithm",
                f"{self.title} needs at most {LARGEST} entries, one for each pair of terminals, "
                f"not {len(terminals)}*{len(terminals)} = {len(terminals) ** 2}",
            )
        self.port_width = bits(topology.degree)
        diameter = summary(topology, among_terminals=True)[0]
        most = (LONGEST_WORD - 1) // self.port_width
        if diameter > most:
            raise ParameterError(
                "algorithm",
                f"{self.title} needs a diameter of at most {most}, for {self.port_width} bits a "
                f"hop in the header, not {diameter}",
            )
        self.given = order is not None
        wide = max(diameter, (WORD - 1) // self.port_width)
        limits = sorted({min(limit, most) for limit in (diameter + DETOUR, wide, 2 * diameter)})
        kept = self._search(limits, steps, seed, order)
        self.orbits, self.link_order, paths = kept["orbit"], kept["order"], kept["paths"]
        self.symmetric = int(self.orbits.max()) + 1 < n
        self.longest = int((paths >= 0).sum(axis=2).max())
        self.words = self._words(paths)
        width = self.port_width * self.longest + 1
        self.header = Layout(
            {
                "word": Field(0, width, "the ports still to take, a 1"),
                "destination": Field(
                    0,
                    bits(len(terminals)),
                    "from the terminal: number of the destination, counting terminals only",
                ),
            }
        )
        straps = np.ones((n, len(terminals)), np.int64)
        straps[terminals] = self.words
        what = "the path to destination {}, as a word"
        self.straps = Straps(
            {f"word{i}": (width, what.format(i), row) for i, row in enumerate(straps.T)}
        )

    def _search(self, limits: list[int], steps: int, seed: int, order: list[int] | None) -> Arrays:
        """Return order and routes, by orbits if these will do, else by nodes; they are cached."""
        topology, channels, lost = self.topology, self.virtual_channels, 0
        network = topology.neighbour, topology.arrival_port, topology.orbit, topology.terminals
        for orbit, limit in product(_orbits(topology), limits):
            graph = link_graph(topology, orbit)
            if order is not None:
                if sorted(order) != graph.every.tolist():
                    continue
                graph, lost = graph._replace(order=np.array(order)), 0
            else:
                most = max(1, len(graph.sources) * channels * len(graph.neighbour))
                asked = steps or min(STEPS, WORK // most)
                content = pickle.dumps((network, orbit, channels, limit, asked, seed))

                def found(
                    graph: LinkGraph = graph, limit: int = limit, asked: int = asked
                ) -> Arrays:
                    best = search(
                        topology, graph, channels=channels, limit=limit, steps=asked, seed=seed
                    )
                    return {"order": best.order, "lost": np.array(best.lost)}

                kept = cached("link_orders", content, found)
                graph, lost = graph._replace(order=kept["order"]), int(kept["lost"])
            if not lost:
                paths = balanced_paths(graph, channels=channels, limit=limit)
                return {"orbit": orbit, "order": graph.order, "paths": paths}
        if order is not None:
            raise ParameterError(
                "order", f"{self.title} needs an order of {len(graph.every)} links of this network"
            )
        raise ParameterError(
            "virtual_channels",
            f"{self.title} needs more than virtual_channels: {channels} here, or more steps: "
            f"{lost} pairs of terminals have no path",
        )

    def _words(self, paths: IntArray) -> IntArray:
        """Return the words of all routes; those of an orbit lead to other nodes from each of it."""
        topology, terminals = self.topology, self.topology.terminals
        number = np.full(topology.nodes, -1)
        number[terminals] = np.arange(len(terminals))
        words = np.ones((len(terminals), len(terminals)), np.int64)
        for row, orbit in enumerate(np.unique(self.orbits[terminals]).tolist()):
            source = terminals[self.orbits[terminals] == orbit]
            node = np.repeat(source[:, None], len(terminals), axis=1)
            word = np.ones(len(terminals), np.int64)
            for hop in range(paths.shape[2]):
                link = paths[row, :, hop]
                moves = link >= 0
                port = link[moves] % topology.degree
                node[:, moves] = topology.neighbour[node[:, moves], port]
            for hop in reversed(range(paths.shape[2])):
                link = paths[row, :, hop]
                port = link % topology.degree
                word = np.where(link >= 0, word << self.port_width | port, word)
            words[number[source][:, None], number[node]] = word
        return words

    def encode(self, source: IntArray, destination: IntArray) -> IntArray:
        """Return the number of the destination; the source does not matter."""
        number = np.searchsorted(self.topology.terminals, np.asarray(destination))
        return self.header.pack(destination=number)

    @property
    def sent(self) -> tuple[str, ...]:
        return ("destination",)

    def generate_header(self, node: IntArray, header: IntArray) -> tuple[IntArray, IntArray]:
        """Look up the path from the node to the destination."""
        terminals = self.topology.terminals
        destination = self.header.cut("destination", header)
        source = np.minimum(np.searchsorted(terminals, node), len(terminals) - 1)
        word = self.words[source, np.minimum(destination, len(terminals) - 1)]
        return self.header.join(word=word), (destination >= len(terminals)).astype(np.int64)

    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        """Take the next port of the word."""
        word, width = self.header.cut("word", header), self.port_width
        port = np.where(word == 1, self.topology.local, word & ((1 << width) - 1))
        return Decision(port, self.header.join(word=word >> width), (word == 0).astype(np.int64))

    def vc_increments(self) -> BoolArray:
        """Return the descents: turns to a link that does not come later in the order."""
        topology, ports = self.topology, self.topology.degree + 1
        place = np.full(topology.nodes * topology.degree, -1)
        place[self.link_order] = np.arange(len(self.link_order))
        of_link = place.reshape(-1, topology.degree)[self.orbits]
        node, port = np.nonzero(topology.neighbour >= 0)
        into = np.full((topology.nodes, topology.degree), -1)
        into[topology.neighbour[node, port], topology.arrival_port[node, port]] = of_link[
            node, port
        ]
        increments = np.zeros((topology.nodes, ports, ports), np.bool_)
        increments[:, :-1, :-1] = into[:, :, None] >= of_link[:, None, :]
        return increments

    def on_arrival(self) -> dict[str, str]:
        return {"word": "0", "destination": "undefined"}

    def constants(self) -> dict[str, object]:
        return {"virtual_channels": self.virtual_channels, "longest": self.longest}

    def table_bits(self) -> dict[str, int]:
        """Return the bits of the words at one node."""
        return {"words": self.header["word"].width * len(self.topology.terminals)}


def _orbits(topology: Topology) -> list[IntArray]:
    """Return the orbits, if no link joins two nodes of one, and each node as one of its own."""
    neighbour, orbit, every = topology.neighbour, topology.orbit, np.arange(topology.nodes)
    inside = ((orbit[neighbour] == orbit[:, None]) & (neighbour >= 0)).any()
    return [every] if inside or len(np.unique(orbit)) == len(orbit) else [orbit, every]
