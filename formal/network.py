"""What is proven of the hardware of one network, all of it, by its gates."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from fingerpost.formal.gates import Finding, Gates, too_many
from fingerpost.formal.loaded import under_load
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.deadlock.states import states
from fingerpost.golden.network.network import Network
from fingerpost.golden.routing import Routing
from fingerpost.golden.routing.generated import encoded
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology.base import Topology
from fingerpost.hdl.emit.manifest import RESET_CYCLES
from fingerpost.hdl.emit.verilog import node as whole_node
from fingerpost.hdl.routing import routing_unit

__all__ = ["decisions", "findings", "forgets", "journeys", "registered"]

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


def findings(network: Network, progress: Callable[[str], None]) -> Iterator[Finding]:
    """Yield what is found of each node type, and of the routing unit.

    What is too much to try is a finding, too: it says so.

    Raises
    ------
    ProofError
        If a tool is missing or breaks down.
    """
    for number, node_type in enumerate(network.topology.node_types):
        progress(f"gates of node type {number + 1} of {len(network.topology.node_types)}")
        gates = Gates(whole_node(network, node_type), memories=False)
        yield registered(gates, f"node type {number}")
        yield forgets(gates, f"node type {number}")
        where = f"node type {number + 1} of {len(network.topology.node_types)} under load"
        progress(where)
        told = partial(tell, progress, where)
        yield from under_load(network, node_type, f"node type {number}", told)
    progress("decisions")
    gates = Gates(routing_unit(network.routing))
    yield decisions(network.routing, gates)
    progress("packets on their way")
    yield journeys(network.routing, gates)


def tell(progress: Callable[[str], None], where: str, what: str) -> None:
    """Report what is looked at in some place."""
    progress(f"{where}: {what}")


def registered(gates: Gates, name: str) -> Finding:
    """Return whether a flit leaves a node by registers only: no way through within a cycle."""
    ports = [x for x in gates.ports if x.startswith(("outputs__", "eject__", "link_out"))]
    ports = [x for x in ports if x not in gates.inputs]
    bits = [(port, bit) for port in ports for bit in gates.unregistered(port)]
    count = sum(len(gates.ports[port]) for port in ports)
    broken = tuple(f"{port}[{bit}]" for port, bit in bits[:4])
    return Finding(name, "outputs are registers", "structure", count, broken)


def forgets(gates: Gates, name: str) -> Finding:
    """Return whether a reset at any moment leaves nothing behind in the registers of a node.

    Memories are not cleared; that it does not matter what is in them is proven by contracts.
    """
    left = gates.remembers("rst", RESET_CYCLES)
    claim = "a reset leaves nothing behind"
    return Finding(name, claim, "structure", len(gates.registers), tuple(left[:4]))


def decisions(routing: Routing, gates: Gates) -> Finding:
    """Return whether the routing unit decides as golden does, wherever packets come.

    At each node, that is, on every header generated there or comes over a link, whatever
    terminals send, with every selection if routing depends on free ports. Random routing has too
    many values: 64 of them are a sample.
    """
    component, claim, engine = "routing unit", "decides as golden", "exhaustive"
    selection = np.zeros(1, np.int64)
    if routing.selection == "free":
        selection = np.arange(1 << routing.selection_width)
    elif routing.selection == "random":
        selection = np.random.default_rng(0).integers(1 << routing.selection_width, size=64)
        engine = "sampled"
    # Each terminal decides about a header to each; if these are too many none needs be followed.
    count = len(routing.topology.terminals) ** 2 * len(selection)
    if reason := too_many(count, at_least=True):
        return Finding.not_tried(component, claim, reason)
    node, arrival, header = _comes(routing)
    count = len(node) * len(selection)
    if reason := too_many(count):
        return Finding.not_tried(component, claim, reason)
    node, arrival, header = (np.repeat(x, len(selection)) for x in (node, arrival, header))
    told = np.tile(selection, count // len(selection))
    inputs = {"arrival": arrival, "header": header} | _straps(routing, node)
    if routing.selection:
        inputs["selection"] = told
    port, onward, error = gates.run(inputs, ["port", "next_header", "error"])
    true = routing.unit(node, arrival, header, told if routing.selection else None)
    same = (port == true.port) & (onward == true.header)
    wrong = np.flatnonzero((error != true.error) | ~(same | (true.error == 1)))
    broken = (f"node {node[i]} port {arrival[i]} header {header[i]:#x}" for i in wrong[:4])
    return Finding(component, claim, engine, count, tuple(broken))


def _comes(routing: Routing) -> tuple[IntArray, IntArray, IntArray]:
    """Return all (node, port of arrival, header) that a routing unit is asked about."""
    topology = routing.topology
    node, arrival, header = states(routing, topology.terminals)
    away = arrival != topology.local
    node, arrival, header = node[away], arrival[away], header[away]
    if routing.relative:  # one node stood for its orbit
        members = [np.flatnonzero(routing.orbit == routing.orbit[v]) for v in node.tolist()]
        each = np.array([len(x) for x in members])
        node = np.concatenate([np.zeros(0, np.int64), *members])
        arrival, header = np.repeat(arrival, each), np.repeat(header, each)
    sent = [encoded(routing, v) for v in topology.terminals.tolist()]
    own = np.repeat(topology.terminals, [len(x) for x in sent])
    return (
        np.concatenate([node, own]),
        np.concatenate([arrival, np.full(len(own), topology.local)]),
        np.concatenate([header, *sent]),
    )


def _straps(routing: Routing, node: IntArray) -> dict[str, IntArray]:
    """Return the straps of nodes; more than 63 bits do not fit into an integer of numpy."""
    words = [routing.straps.at(v) for v in range(routing.topology.nodes)]
    return {"straps": np.array(words, object)[node]}
