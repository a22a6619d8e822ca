"""The content of a page for one network: answers of commands, and data of the pictures."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fingerpost.answers import info, loads, proof
from fingerpost.drawing.form import Points
from fingerpost.golden.analysis.loads import loads as found
from fingerpost.golden.deadlock.channels import Cycle
from fingerpost.golden.network.network import Network, Routed
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.base import distances
from fingerpost.golden.traffic import Pattern
from fingerpost.report.routes import packed

ROUTELESS = {"way": "none", "why": "any free link may take a flit of a deflection router"}
"""The routes of deflection routers."""


@dataclass(frozen=True)
class Subject:
    """A network of the page.

    Attributes
    ----------
    network : Routed
    info, loads : dict
        The answers of these commands; without routes there are no loads.
    load : (nodes, degree), optional
        What each link carries.
    proof : dict
        The answer of `prove`; nothing if there are too many routes for a proof.
    cycle : list of (node, port, channel)
        What could wait for itself with one virtual channel fewer.
    routes : dict
        As `fingerpost.report.routes.packed` returns them.
    shares : list of float
        Of nodes by their distance.
    """

    network: Routed
    info: dict[str, Any]
    loads: dict[str, Any]
    load: Points | None
    proof: dict[str, Any]
    cycle: Cycle
    routes: dict[str, Any]
    shares: list[float]

    @property
    def name(self) -> str:
        """Return the name of the network."""
        return self.network.name


def look(network: Routed, pattern: Pattern, tell: Callable[[str], None]) -> Subject:
    """Compute the content of a page for a network; `tell` is called with each step."""

    def step(what: str) -> Callable[[int, int], None]:
        tell(f"{network.name}: {what}")
        return lambda done, total: tell(f"{network.name}: {what}, {100 * done // total} %")

    step("distances")
    facts, far = info.facts(network), shares(network.topology)
    if not network.has_routes:
        bounds = proof.PROOFS[network.router_kind].facts(network)
        return Subject(network, facts, {}, None, bounds, [], ROUTELESS, far)
    load = found(network.routing, pattern, progress=step("loads"))
    proven: dict[str, Any] = {}
    cycle: Cycle = []
    if isinstance(network, Network):
        step("deadlock")
        proven = proof.facts(network)
        fewer = network.channels.needed - 1
        cycle = (network.channels.shortest_cycle(fewer) or []) if fewer else []
    routes = packed(network, step("routes"))
    return Subject(
        network,
        facts,
        loads.told(network, pattern, load),
        load.load,
        proven,
        cycle,
        routes,
        far,
    )


def shares(topology: Topology) -> list[float]:
    """Return the share of the other nodes at a distance of 1, 2, ... hops, over all nodes.

    Examples
    --------
    >>> from fingerpost.golden.topology import DoubleLoop
    >>> shares(DoubleLoop(nodes=8, a=1, b=7))  # a ring
    [0.2857142857142857, 0.2857142857142857, 0.2857142857142857, 0.14285714285714285]
    """
    present = np.setdiff1d(np.arange(topology.nodes), topology.lost)
    first, size = np.unique(topology.orbit[present], return_index=True, return_counts=True)[1:]
    if topology.vertex_transitive:
        first, size = first[:1], size[:1]
    found = np.zeros(topology.nodes)
    for source, weight in zip(present[first].tolist(), size.tolist(), strict=True):
        count = np.bincount(distances(topology.neighbour, source)[present])
        found[: len(count)] += weight * count
    found = np.trim_zeros(found[1:], "b")
    return [float(share) for share in found / found.sum()]
