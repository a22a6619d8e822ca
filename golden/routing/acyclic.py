"""Routes for a given number of virtual channels, on any network, from a table at the source."""

import pickle
from collections.abc import Callable
from itertools import product
from typing import Annotated, Literal, NamedTuple

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.disk_cache import Arrays, cached
from fingerpost.golden.header import bits
from fingerpost.golden.link_order import LinkGraph, balanced_paths, link_graph, search
from fingerpost.golden.parameters import Parameter, ParameterError, check_choices, check_limits
from fingerpost.golden.routing.base import Form
from fingerpost.golden.routing.router_cost import router_clock, router_sites
from fingerpost.golden.routing.source_table import LONGEST_WORD, BySource, Where, select
from fingerpost.golden.topology.base import Topology, summary

WORD = 32
"""Bits of a path in the header, if the network's diameter allows."""

STEPS = 8_000
"""Steps of the search of a network whose file has no order, at most."""

DETOUR = 5
"""Hops by which routes may be longer than the diameter, unless a pair then has none."""

WORK = 2_000_000_000
"""Links that the search of a network looks at whose file has no order: some ten seconds."""


TRIED = 1, 2, 3
"""The numbers of channels of which `virtual_channels: auto` takes the best."""


class Choice(NamedTuple):
    """Routes for a number of channels: what they are, and what a router for them is estimated at.

    Sites and clock are those of `fingerpost.golden.routing.router_cost`, for flits of 32 bits.
    """

    virtual_channels: int
    hops: float
    """Of a route, in the mean."""
    longest: int
    saturation: float
    """Limit of the busiest link under uniform traffic, in flits per terminal and cycle."""
    sites: float
    """LUT4 sites of a router with its table, if that is in LUTs."""
    block_rams: int
    """Of the table, if it is in block RAM."""
    clock: float
    """In MHz."""

    @property
    def merit(self) -> float:
        """Return the flits per microsecond and 1,000 sites, before links saturate."""
        return 1000 * min(1.0, self.saturation) * self.clock / self.sites


def _choice(topology: Topology, channels: int, paths: IntArray, form: Form) -> Choice:
    """Return what routes are, whose words are looked up like that."""
    inputs = topology.degree + 1
    router = router_sites(inputs, inputs * topology.degree + 1, channels)
    terminals, hops = len(topology.terminal_nodes), (paths >= 0).sum(axis=2)
    busiest = np.bincount(paths[paths >= 0], minlength=1).max()
    pairs = max(1, terminals - 1)
    return Choice(
        channels,
        hops=float(hops.sum()) / len(paths) / pairs,
        longest=int(hops.max()),
        saturation=pairs / float(busiest) if busiest else 1.0,
        sites=router + form.sites,
        block_rams=form.block_rams,
        clock=router_clock(router, channels),
    )


class Acyclic(BySource):
    """Near-shortest paths with few descents in an order of all links.

    A packet moves to the next virtual channel where it descends in the order. So with V channels
    routes descend V - 1 times at most, and no packets wait for each other in a circle. The order is
    searched for (`fingerpost.golden.link_order`), and routes in it are balanced.

    Where a symmetry of the network keeps ports, and no link joins two nodes of one orbit, all links
    of an orbit by one port have one place in the order, and routes from all its nodes are alike;
    unless no such order has a path for each pair.

    Parameters
    ----------
    topology : Topology
    progress : callable
        Called with (steps done, steps to do) of a search.
    virtual_channels : "auto" or int
        V. A network with links in both directions has routes for each V. "auto" takes the one that
        carries most per area and time of those in `TRIED`.
    steps, seed : int
        Of the search; 0 steps: as many as take some seconds.
    order : list of int, optional
        The order, if it is known: links, orbit * degree + port, the first one first.
    table : "auto", "luts" or "ram"
        Where words are: among the straps of a node, which become LUTs, or in block RAM beside the
        router. "auto" takes what costs less.

    Attributes
    ----------
    link_order : (links,)
        The order.
    orbits : (nodes,)
        The orbit of each node in it.
    choices : list of Choice
        What was tried; with a number of channels that alone.

    Raises
    ------
    ParameterError
        If there are no such routes, they do not fit in a header, or tables would be too large.
    """

    algorithm = "acyclic"
    searches = True

    def __init__(
        self,
        topology: Topology,
        progress: Callable[[int, int], None] = lambda done, total: None,
        *,
        virtual_channels: Annotated[
            Literal["auto"] | int,
            Parameter(
                "Virtual channels that routes may use; auto: those that carry most per area.",
                "auto or a whole number in 1..16",
                minimum=1,
                maximum=16,
            ),
        ] = "auto",
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
        table: Where = "auto",
    ) -> None:
        check_choices(Acyclic, self.title, table=table)
        check_limits(Acyclic, self.title, virtual_channels=virtual_channels, steps=steps, seed=seed)
        self._prepare(topology, table)
        wanted = TRIED if virtual_channels == "auto" else (virtual_channels,)
        found: list[tuple[Choice, Arrays, list[Form], Form]] = []
        for number, channels in enumerate(wanted):

            def told(done: int, total: int, number: int = number) -> None:
                progress(number * total + done, len(wanted) * total)

            search = _Search(topology, channels, self._limits(), steps, seed, told)
            try:
                kept = search.given(order) if order is not None else search.routes()
            except ParameterError:
                if channels == wanted[-1] and not found:
                    raise
                continue
            forms = self._forms(int((kept["paths"] >= 0).sum(axis=2).max()))
            form = select(forms, table)
            choice = _choice(topology, channels, kept["paths"], form)
            found.append((choice, kept, forms, form))
        self.choices = [choice for choice, *_ in found]
        choice, kept, forms, form = max(found, key=lambda one: one[0].merit)
        self.virtual_channels, self.longest = choice.virtual_channels, choice.longest
        self.orbits, self.link_order = kept["orbit"], kept["order"]
        self.symmetric = self.relative = int(self.orbits.max()) + 1 < topology.nodes
        self._lay_out(self._words(kept["paths"]), forms, form)

    def _limits(self) -> list[int]:
        """Return the most hops of a route, to be tried in turn."""
        diameter = summary(self.topology, among_terminals=True)[0]
        most = self._most
        if diameter > most:
            raise ParameterError(
                "algorithm",
                f"{self.title} needs a diameter of at most {most}, for {self.port_width} bits a "
                f"hop in the header, not {diameter}",
            )
        wide = max(diameter, (WORD - 1) // self.port_width)
        return sorted({min(limit, most) for limit in (diameter + DETOUR, wide, 2 * diameter)})

    def _words(self, paths: IntArray) -> IntArray:
        """Return the words of all routes; those of an orbit lead to other nodes from each of it."""
        topology, terminals = self.topology, self.topology.terminal_nodes
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

    def constants(self) -> dict[str, object]:
        return {
            "virtual_channels": self.virtual_channels,
            "longest": self.longest,
            **super().constants(),
        }


def _orbits(topology: Topology) -> list[IntArray]:
    """Return the orbits, if no link joins two nodes of one, and each node as one of its own."""
    neighbour, orbit, every = topology.neighbour, topology.orbit, np.arange(topology.nodes)
    inside = ((orbit[neighbour] == orbit[:, None]) & (neighbour >= 0)).any()
    everywhere = len(topology.terminal_nodes) == topology.nodes
    alike = everywhere and len(np.unique(np.bincount(orbit))) == 1
    return [orbit, every] if alike and not inside and orbit.max() + 1 < len(orbit) else [every]


class _Search(NamedTuple):
    """The search for an order and routes with so many channels."""

    topology: Topology
    channels: int
    limits: list[int]
    steps: int
    seed: int
    progress: Callable[[int, int], None]

    def routes(self) -> Arrays:
        """Return orbits, order and paths, by orbits if these will do, else by nodes; cached."""
        topology, lost = self.topology, 0
        network = topology.neighbour, topology.arrival_port, topology.orbit, topology.terminal_nodes
        for orbit, limit in product(_orbits(topology), self.limits):
            graph = link_graph(topology, orbit)
            most = max(1, len(graph.sources) * self.channels * len(graph.neighbour))
            steps = self.steps or min(STEPS, WORK // most)

            def found(graph: LinkGraph = graph, limit: int = limit, steps: int = steps) -> Arrays:
                best = search(
                    topology,
                    graph,
                    channels=self.channels,
                    limit=limit,
                    steps=steps,
                    seed=self.seed,
                    progress=self.progress,
                )
                return {"order": best.order, "lost": np.array(best.lost)}

            content = pickle.dumps((network, orbit, self.channels, limit, steps, self.seed))
            kept = cached("link_orders", content, found)
            lost = int(kept["lost"])
            if not lost:
                return self._in_order(graph, kept["order"], limit)
        raise ParameterError(
            "virtual_channels",
            f"Acyclic routing needs more than virtual_channels: {self.channels} here: {lost} pairs "
            "of terminals have no path",
        )

    def given(self, order: list[int]) -> Arrays:
        """Return the same for an order that is known, in which routes may be longer."""
        most = (LONGEST_WORD - 1) // bits(self.topology.degree)
        for orbit in _orbits(self.topology):
            graph = link_graph(self.topology, orbit)
            if sorted(order) == graph.every.tolist():
                for limit in (*self.limits, most):
                    found = self._in_order(graph, np.array(order), limit)
                    reached = (found["paths"][:, :, 0] >= 0).sum()
                    if reached == len(graph.sources) * (len(graph.terminals) - 1):
                        return found
        raise ParameterError(
            "order",
            "Acyclic routing needs an order with each link once, and a path between all terminals",
        )

    def _in_order(self, graph: LinkGraph, order: IntArray, limit: int) -> Arrays:
        graph = graph._replace(order=order)

        def found() -> Arrays:
            paths = balanced_paths(graph, channels=self.channels, limit=limit)
            return {"paths": paths.astype(np.int32)}

        paths = cached("routes", pickle.dumps((graph, self.channels, limit)), found)["paths"]
        return {"orbit": graph.orbit, "order": order, "paths": paths.astype(np.int64)}
