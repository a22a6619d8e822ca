"""A packet that crosses one router of a network, simulated in Amaranth, as its wires show it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from amaranth import Module
from markupsafe import Markup

from fingerpost.drawing.timing import Diagram, Get, Receiver, Sender, Trace, boxes, record, svg
from fingerpost.golden.network.network import Network
from fingerpost.golden.routing.walk import hops
from fingerpost.golden.topology import Topology
from fingerpost.hdl.emit.routers import node_straps, router
from fingerpost.hdl.lib.table import stand_beside
from fingerpost.report.networks import Subject
from fingerpost.report.page import Pictures, Table, pairs, section

FLITS = 4
"""Of the packet: the head, and what makes a worm of it."""

LARGEST = 400
"""Turns of a router, times channels: each takes 10 ms to simulate, so this is 4 s."""

WAIT = 2
"""Cycles after which the next router frees a place of its queue, if nothing is in the way."""

LONGEST = 60
"""Cycles in which the packet is through, even with queues of one flit."""

UPRIGHT = 8
"""Letters of a name that fit beside three rows."""

LETTERS, MORE = 4, 5
"""Of a word that fits into a cycle as it is, and more for each time that it is as wide again."""


@dataclass(frozen=True)
class Way:
    """A packet at the second node of its route."""

    source: int
    destination: int
    node: int
    """Where it comes from, which is the node before, goes to, and is."""
    arrival: int
    port: int
    """By which it comes, and leaves."""
    header: int
    onward: int
    """With which it comes, and leaves."""


@dataclass(frozen=True)
class Crossing:
    """What was seen."""

    way: Way
    """The port and header of leaving as the hardware took them."""
    channel: int
    """On which the packet left."""
    entered: int
    left: int
    """The cycles in which its head was on the link before, and behind."""
    diagram: Diagram


def way(network: Network) -> Way | None:
    """Return a packet of the first terminal at its second node; none if all are its neighbours.

    Rather one that does not go back to where it was, and whose header changes.
    """
    topology, routing = network.topology, network.routing
    first, *others = topology.terminal_nodes.tolist()
    if not others:
        return None
    sources, destinations = np.full(len(others), first), np.array(others)
    steps = hops(routing, sources, destinations)
    next(steps)
    packet, node, arrival, header, decision = next(steps)
    passing = np.flatnonzero(decision.port != topology.local)
    if not len(passing):
        return None
    back = topology.neighbour[node[passing], decision.port[passing]] == first
    same = decision.header[passing] == header[passing]
    one = passing[np.lexsort((same, back))[0]]
    seen = (x[one] for x in (node, arrival, decision.port, header, decision.header))
    return Way(first, others[packet[one]], *map(int, seen))


def size(network: Network, node: int) -> int:
    """Return the turns of the router at a node, times channels: so long it takes to simulate."""
    turns = network.used_turns[network.topology.node_type[node]]
    return int(turns.sum()) * network.lanes.channels


def cross(network: Network, packet: Way) -> Crossing:
    """Send a packet through the router, from a neighbour to another that takes what comes.

    Raises
    ------
    ValueError
        If the packet does not come out.
    """
    topology, node = network.topology, packet.node
    here = router(network, topology.node_type[node])
    straps, increments = node_straps(network, node)
    m = Module()
    m.submodules.router = here
    m.d.comb += [here.straps.as_value().eq(straps), here.increments.eq(increments)]
    stand_beside(m, network.routing.node_table, node, here)
    into = here.inputs[packet.arrival]
    mask = (1 << network.flit_width) - 1
    flits = [
        (int(i == 0), int(i == FLITS - 1), packet.header if i == 0 else i & mask)
        for i in range(FLITS)
    ]
    sender = Sender(into, flits, network.buffer_depth)
    ports = topology.node_type[node].outputs
    receivers = [Receiver(here.outputs[port], WAIT, pace=1) for port in ports]
    wires = {"in": into} | {port: here.outputs[port] for port in ports}
    watch = {
        f"{name} {what}": getattr(end, what)
        for name, end in wires.items()
        for what in ("valid", "flit", "credit")
    }

    def drive(cycle: int, get: Get) -> Iterator[tuple[Any, Any]]:
        yield from sender.drive(get)
        for receiver in receivers:
            yield from receiver.drive(cycle, get)

    seen = record(m, drive, watch, LONGEST)
    port = next((port for port in ports if any(seen[f"{port} valid"])), None)
    if port is None or len([on for on in seen[f"{port} valid"] if on]) != FLITS:
        raise ValueError(f"Packet of {FLITS} flits needs to leave node {node}, which it does not")
    through = seen[f"{port} valid"]
    left = next(cycle for cycle, on in enumerate(through) if on)
    levels = [row for name, row in seen.items() if not name.endswith("flit")]
    cycles = max(cycle for row in levels for cycle, level in enumerate(row) if level) + 2
    taken = replace(packet, port=port, onward=seen[f"{port} flit"][left] >> 2 & mask)
    return Crossing(
        way=taken,
        channel=through[left].bit_length() - 1,
        entered=seen["in valid"].index(1),
        left=left,
        diagram=_diagram(network, taken, {name: row[:cycles] for name, row in seen.items()}),
    )


def _diagram(network: Network, packet: Way, seen: dict[str, list[int]]) -> Diagram:
    """Return the wires of both links; a number of the channel where there are several."""
    topology = network.topology
    after = int(topology.neighbour[packet.node, packet.port])
    words: list[str] = []
    groups = {}
    for name, there in (
        ("in", f"from {_short(topology, packet.source)}"),
        (str(packet.port), f"to {_short(topology, after)}"),
    ):
        valid, flits, credit = (seen[f"{name} {what}"] for what in ("valid", "flit", "credit"))
        told = boxes(valid, flits, digits=1)
        traces = [
            Trace("valid", _levels(valid)),
            Trace("flit", told),
            Trace("credit", _levels(credit)),
        ]
        if network.lanes.channels > 1:
            numbers = (str(on.bit_length() - 1) if on else "" for on in valid)
            traces.insert(1, Trace("channel", tuple(numbers)))
        groups[there] = tuple(traces)
        words += told
    over = max(0, max(map(len, words)) - LETTERS)
    return Diagram(groups, scale=1 + -(-over // MORE))


def _short(topology: Topology, node: int) -> str:
    """Return the name of a node, or its number where that does not fit or would be a command."""
    name = topology.name(node)
    return f"node {node}" if len(name) > UPRIGHT or "<" in name else name


def _levels(bits: list[int]) -> tuple[int, ...]:
    return tuple(int(each > 0) for each in bits)


def waves(subjects: Sequence[Subject], pictures: Pictures, tell: Callable[[str], None]) -> Markup:
    """Return the section; `tell` is called with each step.

    A flit takes its way through a deflection router whatever is there: its wires show nothing.
    """
    subjects = [each for each in subjects if each.network.has_routes]
    crossings = [_crossing(subject, pictures, tell) for subject in subjects]
    return section("waves", crossings=crossings, flits=FLITS)


def _crossing(subject: Subject, pictures: Pictures, tell: Callable[[str], None]) -> dict[str, Any]:
    """Return facts and picture of a crossing, or why there are none, and a command instead."""
    network = subject.network
    told: dict[str, Any] = {"name": subject.name, "facts": None, "picture": None, "command": ""}
    if not isinstance(network, Network):
        return told | {"why": "it has too many routes for a proof, so no router is built"}
    packet = way(network)
    if packet is None:
        why = "no packet of its first terminal passes through an intermediate router"
        return told | {"why": why}
    if (steps := size(network, packet.node)) > LARGEST:
        why = f"its router has {steps:,} turns times virtual channels; above {LARGEST} the "
        why += "simulation takes long. "
        return told | {"why": why, "command": "fingerpost cosim NET --waves"}
    tell(f"{subject.name}: waves")
    seen = cross(network, packet)
    told["facts"] = _facts(network, seen)
    try:
        drawn = svg(seen.diagram)
    except ModuleNotFoundError:
        return told  # pages can be made without what draws diagrams
    words = f"{subject.name}: {FLITS} flits cross {_node(network, seen.way.node)}"
    took = f"{words}. The head flit arrives in cycle {seen.entered}, departs in cycle {seen.left}"
    return told | {"picture": pictures.waves(drawn, took, words)}


def _node(network: Network, node: int) -> str:
    name = network.topology.name(node)
    return f"node {name}" if name == str(node) else f"node {node} ({name})"


def _facts(network: Network, seen: Crossing) -> Table:
    packet = seen.way
    there = int(network.topology.neighbour[packet.node, packet.port])
    told: dict[str, str | int] = {
        "packet": f"from {_node(network, packet.source)} to {_node(network, packet.destination)}",
        "router": _node(network, packet.node),
        "arrives": f"from {_node(network, packet.source)}: inputs__{packet.arrival}__*",
        "departs": f"to {_node(network, there)}: outputs__{packet.port}__*, channel {seen.channel}",
        "router latency, link to link [cycles]": seen.left - seen.entered,
        "header on arrival": _fields(network, packet.header),
        "header on departure": _fields(network, packet.onward),
    }
    return pairs(f"The packet, in {network.name}", told)


def _fields(network: Network, word: int) -> str:
    header = network.routing.header
    return ", ".join(f"{name}={int(header.cut(name, word))}" for name in header)
