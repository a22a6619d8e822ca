"""The routing unit against golden: every decision of every node."""

from collections.abc import Iterator
from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.handle import LogicArrayObject
from cocotb.triggers import FallingEdge

from golden.network import Network, build
from golden.topology.base import IntArray
from golden.walk import hops
from hdl.network import node_straps
from testbench.packing import pack, unpack
from testbench.runner import parameters, report, tick
from testbench.sources import LANES, lane

STRANGE = 2 * LANES
"""Random headers that each node is asked about at its terminal, most of them malformed."""

SMALL = 100
"""Nodes up to which all routes are walked to find the states that occur."""


def questions(
    network: Network, nodes: IntArray, rng: np.random.Generator
) -> Iterator[tuple[int, IntArray, IntArray]]:
    """Yield for each node the arrivals and headers of all questions put to it.

    These are every destination, from the terminal; every state in which a packet passes, of the
    routes from all nodes of a small network, or from the first node of each orbit; and random
    headers at the terminal.
    """
    routing, topology = network.routing, network.topology
    n = topology.nodes
    first = np.unique(topology.orbit, return_index=True)[1]
    start = np.arange(n) if n <= SMALL else first
    passing = hops(routing, np.repeat(start, n), np.tile(np.arange(n), len(start)))
    states = np.unique(
        np.concatenate(
            [np.stack([node, arrival, header]) for _, node, arrival, header, _ in passing], axis=1
        ),
        axis=1,
    )
    begin = np.searchsorted(states[0], np.arange(n + 1))
    for node in nodes.tolist():
        every = routing.encode(np.full(n, node), np.arange(n))
        strange = rng.integers(1 << routing.header.width, size=STRANGE)
        there = states[1:, begin[node] : begin[node + 1]]
        local = np.full(n + STRANGE, topology.local)
        yield (
            node,
            np.concatenate([local, there[0]]),
            np.concatenate([every, strange, there[1]]),
        )


def read(signal: LogicArrayObject) -> int | None:
    """Return the value of a signal, None if a bit of it is undefined."""
    try:
        return int(signal.value)
    except ValueError:
        return None


@cocotb.test()
async def decides_like_golden(dut: Any) -> None:
    """Ask about all destinations at each node, and count the answers that differ."""
    given = parameters()
    network = build(given["description"])
    routing, topology = network.routing, network.topology
    asked, answered = lane(network)
    rng = np.random.default_rng(given["seed"])
    nodes = np.arange(topology.nodes)
    if given["nodes"] < topology.nodes:
        nodes = np.sort(rng.choice(nodes, given["nodes"], replace=False))

    dut.asked.value = 0
    dut.straps.value = 0
    Clock(dut.clk, 2, "ns").start()
    falling = FallingEdge(dut.clk)

    async def settle() -> None:
        """Wait until the launch and the unit have answered; ends on a falling edge."""
        for _ in range(routing.launch_cycles + 1):
            await falling

    await settle()
    decisions = pairs = mismatches = 0
    message = ""
    for done, (node, arrival, header) in enumerate(questions(network, nodes, rng)):
        dut.straps.value = node_straps(network, node)[0]
        expected = routing.decide(np.full(len(header), node), arrival, header)
        port = np.where(expected.error, topology.local, expected.port)
        golden = {
            "port": expected.port,
            "next_header": expected.header,
            "next_label": routing.next_label(np.full(len(port), node), port),
            "error": expected.error,
        }
        for begin in range(0, len(header), LANES):
            some = slice(begin, begin + LANES)
            count = len(header[some])
            fill = np.zeros(LANES, np.int64)
            columns = {"arrival": fill.copy(), "header": fill.copy()}
            columns["arrival"][:count], columns["header"][:count] = arrival[some], header[some]
            dut.asked.value = pack(asked, columns)
            await settle()
            value = read(dut.answered)
            wrong = np.ones(count, np.bool_)
            seen = {}
            if value is not None:
                seen = {k: x[:count] for k, x in unpack(answered, LANES, value).items()}
                wrong = seen["error"] != golden["error"][some]
                for name in ("port", "next_header", "next_label"):
                    wrong |= (golden["error"][some] == 0) & (seen[name] != golden[name][some])
            if wrong.any() and not message:
                at = int(wrong.argmax())
                hit = {k: int(x[some][at]) for k, x in golden.items()}
                got = {k: int(x[at]) for k, x in seen.items()} or "undefined bits"
                message = (
                    f"node {node}, arrival {arrival[some][at]}, header {header[some][at]:#x}: "
                    f"expected {hit}, seen {got}"
                )
            mismatches += int(wrong.sum())
        decisions += len(header)
        pairs += topology.nodes
        if done % 16 == 0:
            tick(done, len(nodes))
    report(decisions=decisions, pairs=pairs, mismatches=mismatches, message=message)
    assert not mismatches, message
