"""What is proven of the hardware of one network, all of it, by its gates."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from fingerpost.formal.contract import Contract
from fingerpost.formal.decisions import Decisions, Routers
from fingerpost.formal.gates import LARGEST, ROUTER, Finding, Gates, gates_of, too_many
from fingerpost.formal.loaded import answers, table, under_load
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.deadlock.states import states
from fingerpost.golden.network.network import Network
from fingerpost.golden.routing import Routing
from fingerpost.golden.routing.walk import raw_headers, walk
from fingerpost.golden.topology.base import Topology
from fingerpost.hdl.emit.manifest import RESET_CYCLES
from fingerpost.hdl.emit.routers import node_entries, node_names, node_table_name
from fingerpost.hdl.node import additions


def journeys(network: Network, routers: Routers) -> Finding:
    """Return whether packets from all terminals to all arrive, each wherever routers let it go.

    Routing that depends on free ports is tried with every set of them; random routing is not
    tried. At every node the gates take the arriving header, and send it over a link or deliver it
    at its destination. If golden's routes are shortest, each decision must reduce the
    distance that a breadth-first search over the links gives.
    """
    routing, topology = network.routing, network.topology
    terminals, local, several = topology.terminals, topology.local, topology.local_ports
    component, claim = "routers", "each packet arrives"
    if routing.selection == "random":
        return Finding.not_tried(component, claim, "chance has too many values")
    ways = 1 << routing.selection_width
    if reason := too_many(len(terminals) ** 2 * ways, at_least=True):
        return Finding.not_tried(component, claim, reason)
    source, goal = np.repeat(terminals, len(terminals)), np.tile(terminals, len(terminals))
    distance = _distances(topology)
    ends = topology.node_of(source), topology.node_of(goal)
    minimal = bool((walk(routing, *ends).hops == distance[ends]).all())
    if minimal:
        claim = "each decision leads nearer"

    level = np.stack(
        [ends[0], local + source % several, np.asarray(routing.addresses(source, goal)), goal]
    )
    cases = 0
    for _ in range(topology.nodes + 1):
        level = np.repeat(level, ways, axis=1)
        cases += level.shape[1]
        node, goal = level[0], level[3]
        told = np.tile(np.arange(ways), level.shape[1] // ways)
        chosen = told if routing.selection else None
        port, onward, error = routers.decide(level[0], level[1], level[2], chosen)
        away, at = port < local, topology.node_of(goal)
        link = node, np.where(away, port, 0)
        to = np.where(away, topology.neighbour[link], node)
        delivered = (node == at) & (port == local + goal % several)
        wrong = (error != 0) | (to < 0) | ~away & ~delivered
        if minimal:
            wrong |= distance[to, at] != distance[node, at] - away
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


def findings(
    network: Network, texts: Mapping[str, str], progress: Callable[[str], None]
) -> Iterator[Finding]:
    """Yield what is found of the Verilog of each node type, and of its decisions.

    What is too much to try is a finding, too: it says so. `texts` are files by name.

    Raises
    ------
    ProofError
        If a tool is missing or breaks down, or refuses the text.
    """
    names, types = node_names(network), network.topology.node_types
    made, verilog = list[Decisions](), "\n".join(texts.values())
    for number, node_type in enumerate(types):
        progress(f"gates of node type {number} ({len(types)} in all)")
        name = names[node_type]
        gates = gates_of(verilog, name)
        yield registered(gates, f"node type {number}")
        yield forgets(gates, f"node type {number}", alone=not additions(network))
        where = f"node type {number} ({len(types)} in all) under load"
        progress(where)
        told = partial(tell, progress, where)
        made.append(Decisions(network, node_type, verilog))
        yield from under_load(made[-1], f"node type {number}", told)
    if network.routing.node_table:
        progress("tables")
        make = partial(_table, network, verilog)
        telling = partial(tell, progress, "tables")
        yield answers("tables", network.routing.node_table.address_width, make, telling)
    progress("decisions")
    routers = Routers(network, made)
    yield decisions(network, routers)
    progress("packets on their way")
    yield journeys(network, routers)


def _table(network: Network, verilog: str) -> Contract:
    """Return the contract of the table beside the first router that has one."""
    beside = network.routing.node_table
    assert beside is not None
    return table(
        node_table_name(network),
        verilog,
        words=node_entries(network, int(network.topology.terminal_nodes[0])),
        width=beside.width,
        address_width=beside.address_width,
    )


def tell(progress: Callable[[str], None], where: str, what: str) -> None:
    """Report what is looked at in some place."""
    progress(f"{where}: {what}")


def registered(gates: Gates, name: str) -> Finding:
    """Return whether a flit leaves a node by registers only: no way through within a cycle."""
    ports = [x for x in gates.ports if x.startswith(("outputs__", "eject", "link_out"))]
    ports = [x for x in ports if x not in gates.inputs]
    bits = [(port, bit) for port in ports for bit in gates.unregistered(port)]
    count = sum(len(gates.ports[port]) for port in ports)
    broken = tuple(f"{port}[{bit}]" for port, bit in bits[:4])
    return Finding(name, "outputs are registers", "structure", count, broken)


def forgets(gates: Gates, name: str, *, alone: bool = True, unset: Collection[str] = ()) -> Finding:
    """Return whether a reset at any moment gives the registers of a node their initial values.

    So what is proven from these holds after a reset, and after none. Memories are not cleared; that
    it does not matter what is in them is proven by contracts. Where a router does not stand
    `alone`, the registers around it are left out: they may keep what was in a memory, or came in.
    So are those that are `unset`: proofs begin with anything in them.
    """
    every = [gates.names.get(x, str(x)) for x in gates.registers]
    own, left = (
        [x for x in names if (alone or x.startswith(ROUTER)) and x not in unset]
        for names in (every, gates.remembers("rst", RESET_CYCLES))
    )
    claim = "a reset gives the state of power-up"
    return Finding(name, claim, "structure", len(own), tuple(left[:4]))


def decisions(network: Network, routers: Routers) -> Finding:
    """Return whether the routers decide as golden does, wherever packets come.

    At each node, that is, on every header that its terminal sends or that comes over a link, with
    every selection if routing depends on free ports. Random routing has too many values: of them
    up to 64, as many as can be tried, are a sample.
    """
    routing = network.routing
    component, claim, engine = "routers", "decide as golden", "exhaustive"
    selection = np.zeros(1, np.int64)
    if routing.selection == "free":
        selection = np.arange(1 << routing.selection_width)
    elif routing.selection == "random":
        selection = np.random.default_rng(0).integers(1 << routing.selection_width, size=64)
        engine = "sampled"
    # Each terminal decides about a header to each; if these are too many none needs be followed.
    count = len(routing.topology.terminal_nodes) ** 2 * len(selection)
    if reason := too_many(count, at_least=True):
        return Finding.not_tried(component, claim, reason)
    node, arrival, header = _comes(routing)
    if engine == "sampled":
        selection = selection[: max(1, LARGEST // max(1, len(node)))]
    count = len(node) * len(selection)
    if reason := too_many(count):
        return Finding.not_tried(component, claim, reason)
    node, arrival, header = (np.repeat(x, len(selection)) for x in (node, arrival, header))
    told = np.tile(selection, count // len(selection)) if routing.selection else None
    port, onward, error = routers.decide(node, arrival, header, told)
    true, ends = routing.decide(node, arrival, header, told), routing.topology.terminals_at[node]
    refused = (true.error == 1) | (true.port >= routing.topology.local + ends)
    same = (error == 0) & (port == true.port) & (onward == true.header)
    wrong = np.flatnonzero(~np.where(refused, error == 1, same))
    broken = (f"node {node[i]} port {arrival[i]} header {header[i]:#x}" for i in wrong[:4])
    return Finding(component, claim, engine, count, tuple(broken))


def _comes(routing: Routing) -> tuple[IntArray, IntArray, IntArray]:
    """Return all (node, port of arrival, header) that a router decides about.

    Of terminals all headers that they can send, or if these are too many those that name one.
    """
    topology = routing.topology
    node, arrival, header = states(routing, topology.terminal_nodes)
    away = arrival != topology.local
    node, arrival, header = node[away], arrival[away], header[away]
    if routing.relative:  # one node stood for its orbit
        members = [np.flatnonzero(routing.orbit == routing.orbit[v]) for v in node.tolist()]
        each = np.array([len(x) for x in members])
        node = np.concatenate([np.zeros(0, np.int64), *members])
        arrival, header = np.repeat(arrival, each), np.repeat(header, each)
    terminals = topology.terminal_nodes
    if len(terminals) << sum(routing.header[name].width for name in routing.sent) > LARGEST >> 4:
        sent = [routing.encode(np.full_like(terminals, v), terminals) for v in terminals.tolist()]
    else:
        sent = [np.concatenate([*raw_headers(routing)])] * len(terminals)
    own = np.repeat(terminals, [len(x) for x in sent])
    node, header = np.concatenate([node, own]), np.concatenate([header, *sent])
    arrival = np.concatenate([arrival, np.full(len(own), topology.local)])
    # All terminals of a node send so, to each local port, be it there or not.
    ends = routing.address_layout.width - routing.header.width
    times = np.where(arrival == topology.local, topology.terminals_at[node], 1) << ends
    each = np.repeat(np.arange(len(node)), times)
    place = np.arange(len(each)) - np.repeat(np.cumsum(times) - times, times)
    named = (place & (1 << ends) - 1) << routing.header.width
    return node[each], arrival[each] + (place >> ends), header[each] | named
