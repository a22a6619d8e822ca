"""What is proven of the deflection routers of one network, by their generated Verilog."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from fingerpost.formal.contract import Contract
from fingerpost.formal.deflection import Cohort, flits, priority
from fingerpost.formal.gates import Finding, flat, gates_of, too_many
from fingerpost.formal.loaded import answers, proven, table
from fingerpost.formal.network import forgets, registered, tell
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.deflection.node import time_name
from fingerpost.hdl.deflection.table import contents, table_name
from fingerpost.hdl.emit.network import network_name, verilog_files
from fingerpost.hdl.emit.routers import node_names, router_names


def deflection_table(network: DeflectionNetwork, node: int, verilog: str) -> Contract:
    """Return the contract of the generated table at a node."""
    slots = max(1, len(network.topology.node_type[node].outputs))
    width = network.entry(slots).width
    return table(
        table_name(network),
        verilog,
        words=contents(network, node),
        width=width,
        address_width=network.destination_width,
        slots=slots,
        clears=True,
        parameters={"SLOTS": slots, "WIDTH": width},
    )


KEPT = "every flit leaves, unchanged"
NEARER = "the first flit gets nearer, waiting terminals inject first"


def findings(
    network: DeflectionNetwork, texts: Mapping[str, str], progress: Callable[[str], None]
) -> Iterator[Finding]:
    """Yield what is found of each node type, and of the tables of all nodes.

    Verdicts are cached: an interrupted run resumes. `texts` are files by name.

    Raises
    ------
    ProofError
        If a tool is missing or breaks down, or refuses the text.
    """
    types, verilog = network.topology.node_types, "\n".join(texts.values())
    names = router_names(network)
    for number, node_type in enumerate(types):
        where, name = f"node type {number}", names[node_type]
        told = f"gates of node type {number} ({len(types)} in all)"
        progress(told)
        gates = gates_of(verilog, name)
        yield registered(gates, where)
        yield forgets(gates, where, unset=flat(name, verilog).without_reset)

        def router(
            contract: Callable[[Cohort], Contract],
            node_type: NodeType = node_type,
            text: tuple[str, str] = (name, verilog),
        ) -> dict[str, Contract]:
            return {"router": contract(Cohort(Contract(), network, node_type, text))}

        telling = partial(tell, progress, told)
        yield proven(where, KEPT, partial(router, flits), telling)
        if network.flit_width == 1:  # there is no room for what tells flits apart
            yield Finding.not_tried(where, NEARER, "a flit has one bit of data")
        else:
            yield proven(where, NEARER, partial(router, priority), telling)
        yield _table(network, node_type, where, verilog, telling)
    progress("tables of all nodes")
    yield tables(network, verilog)
    yield wiring(network, texts)


def wiring(network: DeflectionNetwork, texts: Mapping[str, str]) -> Finding:
    """Return whether the files of modules that only join parts, and epochs, are as generated."""
    modules = [*node_names(network).values(), time_name(network), network_name(network)]
    several = {f"{module}.v" for module in modules} <= texts.keys()
    made = verilog_files(network, files="many" if several else "one")
    names = [f"{module}.v" for module in modules] if several else [*made]
    other = [name for name in names if made[name] != texts.get(name)]
    return Finding("wiring", "as generated", "text", len(names), tuple(other[:4]))


def _table(
    network: DeflectionNetwork,
    node_type: NodeType,
    where: str,
    verilog: str,
    tell: Callable[[str], None],
) -> Finding:
    """Return whether the table at the first node of a type answers with its contents."""
    if network.link_up:
        claim = "the table answers with its contents"
        return Finding.not_tried(where, claim, "it is written at run time")
    make = partial(deflection_table, network, network.topology.node_type.index(node_type), verilog)
    return answers(where, network.destination_width, make, tell)


def tables(network: DeflectionNetwork, verilog: str) -> Finding:
    """Return whether the tables in the network's Verilog are those of a breadth-first search."""
    component, claim = "tables", "distances are right, productive links lead nearer"
    topology = network.topology
    cases = topology.nodes * len(topology.terminals)
    if reason := too_many(cases):
        return Finding.not_tried(component, claim, reason)
    names = "|".join(map(re.escape, node_names(network).values()))
    instance = re.compile(rf"^  (?:{names}) #\(\.ENTRIES\(\d+'h([0-9a-f]+)\)\) node_(\d+)\(", re.M)
    contents = {int(node): int(word, 16) for word, node in instance.findall(verilog)}
    hops, broken = _hops(topology.neighbour, topology.terminals), list[str]()
    for node in np.setdiff1d(np.arange(topology.nodes), topology.lost).tolist():
        productive = np.zeros_like(hops[node])
        for slot, port in enumerate(network.pairings[topology.node_type[node]].outputs):
            nearer = hops[topology.neighbour[node, port]] == hops[node] - 1
            productive |= nearer.astype(np.int64) << slot
        right = network.packed(node, productive, hops[node]).tolist()
        width = network.entry(len(topology.node_type[node].outputs)).width
        word = contents.get(node, -1)
        broken += [
            f"node {node} to {terminal}"
            for number, terminal in enumerate(topology.terminals.tolist())
            if word >> number * width & (1 << width) - 1 != right[number]
        ]
    return Finding(component, claim, "exhaustive", cases, tuple(broken[:4]))


def _hops(neighbour: IntArray, terminals: IntArray) -> IntArray:
    """Return the hops from each node to each terminal, by relaxation until nothing changes."""
    far = len(neighbour)
    hops = np.full((far + 1, len(terminals)), far)  # the last row is that of no neighbour
    hops[terminals, np.arange(len(terminals))] = 0
    while True:
        nearer = np.minimum(hops[:-1], hops[neighbour].min(axis=1) + 1)
        if (nearer == hops[:-1]).all():
            return hops[:-1]
        hops[:-1] = nearer
