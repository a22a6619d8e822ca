"""`fingerpost route`: the way of one packet."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any

import numpy as np

from fingerpost import faults
from golden.algebra.distance import distances
from golden.network import Routed
from golden.routing.walk import walk

__all__ = ["facts", "render"]


def facts(network: Routed, source: str, destination: str) -> dict[str, Any]:
    """Return the route between two nodes, which are given by number or label.

    Raises
    ------
    ValueError
        If one of them names no node, or one without a terminal.
    """
    topology, routing = network.topology, network.routing
    start, end = topology.node(source), topology.node(destination)
    for node in (start, end):
        if node not in topology.terminals:
            why = "has lost by faults" if node in topology.lost else "has not"
            raise ValueError(
                f"Node needs a terminal to send or receive packets, which {topology.name(node)} "
                f"{why}"
            )
    route = walk(routing, np.array([start]), np.array([end]))
    nodes, ports, phases = (row[0].tolist() for row in (route.nodes, route.ports, route.phases))
    return {
        "network": network.name,
        "algorithm": routing.algorithm,
        "nodes": nodes,
        "ports": ports,
        "hops": len(ports),
        "names": [topology.name(node) for node in nodes],
        "port_names": [topology.port_name(port) for port in ports],
        "phases": [routing.phases[phase] for phase in phases],
        "distance": int(distances(topology.neighbour, start)[end]),
        **faults.facts(topology),
    }


def render(facts: Mapping[str, Any]) -> str:
    """Return the route, one line for each phase."""
    nodes = [
        str(node) if name == str(node) else f"{node} ({name})"
        for node, name in zip(facts["nodes"], facts["names"], strict=True)
    ]
    count = facts["hops"]
    head = f"{facts['network']}, {facts['algorithm']}: {count} hop{'' if count == 1 else 's'}"
    lines = [f"{head}, the shortest path has {facts['distance']}"]
    if not count:
        lines.append(f"{nodes[0]} is the destination")
    width = max(map(len, facts["phases"]), default=0)
    hop = 0
    for phase, group in groupby(facts["phases"]):
        way = nodes[hop]
        for _ in group:
            way += f" --{facts['port_names'][hop]}--> {nodes[hop + 1]}"
            hop += 1
        lines.append(f"{phase:{width}}  {way}".strip())
    return "\n".join(lines)
