"""Every packet of a network on its way, through the gates of its routing units."""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from fingerpost.formal.finding import Finding, too_many
from fingerpost.formal.gates import Gates
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing import Routing
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology.base import Topology

__all__ = ["journeys"]

CHUNK = 1 << 18
"""Decisions that gates take in one step."""


def journeys(routing: Routing, gates: Gates) -> Finding:
    """Return whether packets from all terminals to all arrive, each wherever gates let it go.

    Routing that depends on free ports is tried with every set of them; random routing is not
    tried. At every node the gates take the arriving header, and send it over a link or deliver
    it at its destination. If golden's routes are shortest, each decision must reduce the
    distance that a breadth-first search over the links gives.
    """
    topology = routing.topology
    terminals, local = topology.terminals, topology.local
    component, claim = "routing unit", "each packet arrives"
    if routing.selection == "random":
        return Finding.not_tried(component, claim, "chance has too many values")
    ways = 1 << routing.selection_width
    if reason := too_many(len(terminals) ** 2 * ways, at_least=True):
        return Finding.not_tried(component, claim, reason)
    source, goal = np.repeat(terminals, len(terminals)), np.tile(terminals, len(terminals))
    distance = _distances(topology)
    minimal = bool((walk(routing, source, goal).hops == distance[source, goal]).all())
    if minimal:
        claim = "each decision leads nearer"

    header, _ = routing.generate_header(source, np.asarray(routing.encode(source, goal)))
    level = np.stack([source, np.full_like(source, local), header, goal])
    cases = 0
    for _ in range(topology.nodes + 1):
        level = np.repeat(level, ways, axis=1)
        cases += level.shape[1]
        node, goal = level[0], level[3]
        told = np.tile(np.arange(ways), level.shape[1] // ways)
        port, onward, error = _decide(routing, gates, level, told)
        away = port != local
        link = node, np.where(port < local, port, 0)
        to = np.where(away, topology.neighbour[link], node)
        wrong = (error != 0) | (port > local) | (to < 0) | ~away & (node != goal)
        if minimal:
            wrong |= distance[to, goal] != distance[node, goal] - away
        if wrong.any():
            broken = (
                f"node {v} port {p} header {h:#x} to {g}" for v, p, h, g in level.T[wrong][:4]
            )
            return Finding(component, claim, "exhaustive", cases, tuple(broken))
        level = np.stack([to, topology.arrival_port[link], onward, goal])[:, away]
        if not level.shape[1]:
            return Finding(component, claim, "exhaustive", cases)
        level = np.unique(level, axis=1)
    v, p, h, g = level[:, 0].tolist()
    longest = f"after n hops at node {v} port {p} header {h:#x} to {g}"
    return Finding(component, claim, "exhaustive", cases, (longest,))


def _distances(topology: Topology) -> IntArray:
    """Return the hops of shortest ways between all nodes."""
    start, port = np.nonzero(topology.neighbour >= 0)
    links = np.ones(len(start)), (start, topology.neighbour[start, port])
    hops = shortest_path(csr_array(links, (topology.nodes,) * 2), unweighted=True)
    return np.where(np.isfinite(hops), hops, -1).astype(np.int64)


def _decide(
    routing: Routing, gates: Gates, level: IntArray, told: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return port, next header and error of many decisions."""
    straps = np.array([routing.straps.at(v) for v in range(routing.topology.nodes)], object)
    parts = []
    for begin in range(0, level.shape[1], CHUNK):
        node, arrival, header, _ = level[:, begin : begin + CHUNK]
        inputs = {"straps": straps[node], "arrival": arrival, "header": header}
        if routing.selection:
            inputs["selection"] = told[begin : begin + CHUNK]
        parts.append(gates.run(inputs, ["port", "next_header", "error"]))
    port, onward, error = (np.concatenate(x) for x in zip(*parts, strict=True))
    return port, onward, error
