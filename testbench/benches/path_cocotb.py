"""Routes chained from the hardware's own decisions, hop by hop, to the destination."""

from typing import Any

import cocotb
import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.network.network import Network
from fingerpost.golden.routing.walk import walk
from fingerpost.testbench.benches.questions import SMALL, Questions
from fingerpost.testbench.benches.unit_cocotb import Unit
from fingerpost.testbench.runner import report, tick


def starts(network: Network, wanted: list[int] | None) -> IntArray:
    """Return the nodes at which routes start: those wanted, all, or the first of each orbit."""
    terminals, orbit = network.topology.terminals, network.routing.orbit
    if wanted is not None:
        return np.array(wanted)
    if network.topology.nodes <= SMALL:
        return terminals
    return terminals[np.unique(orbit[terminals], return_index=True)[1]]


@cocotb.test()
async def arrives_as_golden_does(dut: Any) -> None:
    """Follow a packet from each start to each end; golden gives its hops only."""
    unit = Unit(dut)
    await unit.reset()
    given, network = unit.given, unit.network
    rng = np.random.default_rng(given["seed"])
    routing, topology = network.routing, network.topology
    start = starts(network, given["start"])
    ends = topology.terminals if given["end"] is None else np.array(given["end"])
    source, end = np.repeat(start, len(ends)), np.tile(ends, len(start))

    packet, node = np.arange(len(source)), source.copy()
    arrival = np.full(len(source), topology.local)
    header = np.asarray(routing.encode(source, end))
    hops, last = np.zeros(len(source), np.int64), np.full(len(source), -1)
    decisions, message = 0, ""
    while len(packet) and not message:
        port, onward = np.zeros_like(header), np.zeros_like(header)
        selection = rng.integers(1 << routing.selection_width, size=len(header))
        for here in np.unique(node).tolist():
            some = np.flatnonzero(node == here)
            seen = await unit.ask(Questions(here, arrival[some], header[some], selection[some]))
            if seen is None or seen["error"].any():
                what = "undefined bits" if seen is None else "a header is refused"
                message = f"node {here}, after {int(hops.max())} hops: {what}"
                break
            port[some], onward[some] = seen["port"], seen["next_header"]
            decisions += len(some)
        home = port == topology.local
        last[packet[home]] = node[home]
        packet, node, port, header = (x[~home] for x in (packet, node, port, onward))
        arrival = topology.arrival_port[node, port]
        node = topology.neighbour[node, port]
        hops[packet] += 1
        if (node < 0).any():
            message = f"a packet leaves by port {port[node < 0][0]}, where there is no link"
        if hops.max(initial=0) > topology.nodes:
            message = f"a packet is still on its way after {topology.nodes} hops"
        tick(len(source) - len(packet), len(source))

    mismatches = 0
    if not message:
        wrong = last != end
        if not routing.selection:
            wrong |= hops != walk(routing, source, end).hops
        mismatches = int(wrong.sum())
        if mismatches:
            at = int(wrong.argmax())
            message = f"from {source[at]} to {end[at]}: ends at {last[at]} after {hops[at]} hops"
    others = source != end
    report(
        decisions=decisions,
        mismatches=max(mismatches, int(bool(message))),
        message=message,
        routes=len(source),
        mean_hops=float(hops[others].mean()),
        max_hops=int(hops.max()),
    )
    assert not message, message
