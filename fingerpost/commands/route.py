"""`fingerpost route`: the way of one packet."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated, Any

import numpy as np
import typer

from fingerpost.cli import options
from fingerpost.cli.app import command
from fingerpost.golden.arguments import checked
from fingerpost.golden.network.network import Routed
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology.base import distances
from fingerpost.jobs.console import answer
from fingerpost.netfile import faults


@command(
    "route networks/borel-21.yaml 0 16   (nodes by number, or by label: 0,0 1,5)",
    ignore_unknown_options=True,  # -1 is a wrong node and not an option
)
def main(
    net: options.Net,
    source: Annotated[str, typer.Argument(metavar="SRC", help="The node to start from.")],
    destination: Annotated[str, typer.Argument(metavar="DST", help="The node to go to.")],
    faults: options.Faults = None,
    routing: options.Algorithm = None,
    as_json: options.AsJson = False,
) -> None:
    """Show the nodes and links of a packet's route."""
    network = options.load_routed(net, faults=faults, routing=routing)
    answer(facts(network, source, destination), render, as_json=as_json)


@dataclass(frozen=True)
class Route:
    """The route of a packet."""

    nodes: tuple[int, ...]
    """From source to destination; `names` are their labels."""
    ports: tuple[int, ...]
    """The output port at each node but the last; `port_names` are their names."""
    names: tuple[str, ...]
    port_names: tuple[str, ...]
    phases: tuple[str, ...]
    """The phase of the routing algorithm that decided each hop."""
    distance: int
    """The hops of a shortest path."""

    @property
    def hops(self) -> int:
        """Return the number of links on the route."""
        return len(self.ports)


@checked
def route(network: Routed, source: int | str, destination: int | str) -> Route:
    """Return the route of a packet between two nodes, which are given by number or label.

    Where the algorithm chooses by chance or by which ports are free, it is one of the routes.

    Raises
    ------
    ValueError
        If one of them names no node, or one without a terminal.

    Examples
    --------
    >>> from fingerpost.netfile.source import load
    >>> found = route(load("networks/borel-21.yaml"), 0, 16)
    >>> found.nodes, found.port_names, found.distance
    ((0, 4, 10, 16), ('B', 'A', 'A'), 3)
    """
    topology, routing = network.topology, network.routing
    start, end = topology.node(str(source)), topology.node(str(destination))
    for node in (start, end):
        if not topology.terminals_at[node]:
            why = "has lost by faults" if node in topology.lost else "has not"
            raise ValueError(
                f"Node needs a terminal to send or receive packets, which {topology.name(node)} "
                f"{why}"
            )
    found = walk(routing, np.array([start]), np.array([end]))
    nodes, ports, phases = (row[0].tolist() for row in (found.nodes, found.ports, found.phases))
    return Route(
        tuple(nodes),
        tuple(ports),
        tuple(topology.name(node) for node in nodes),
        tuple(topology.port_name(port) for port in ports),
        tuple(routing.phases[phase] for phase in phases),
        int(distances(topology.neighbour, start)[end]),
    )


def facts(network: Routed, source: int | str, destination: int | str) -> dict[str, Any]:
    """Return the route between two nodes as plain data; see `route`.

    Keys
    ----
    network, algorithm, faults
    nodes, names
        Nodes of the route, by number and by label.
    ports, port_names
        Output port at each node but the last.
    phases
        Phase of the algorithm at each hop, or `""`.
    hops, distance : hops
        Of this route; of a shortest one.
    """
    found = route(network, source, destination)
    told = {name: list(x) if isinstance(x, tuple) else x for name, x in vars(found).items()}
    return {
        "network": network.name,
        "algorithm": network.routing.algorithm,
        "hops": found.hops,
        **told,
        **faults.facts(network.topology),
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
