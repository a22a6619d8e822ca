"""The routing unit against golden: every decision of every node."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.handle import LogicArrayObject
from cocotb.triggers import FallingEdge

from golden.arrays import IntArray
from golden.explore import states
from golden.network import Network, build
from hdl.network import node_straps
from testbench.packing import pack, unpack
from testbench.runner import parameters, report, tick
from testbench.sources import LANES, lane

STRANGE = 2 * LANES
"""Random headers that each node is asked about at its terminal, most of them malformed."""

HINTS = 6
"""Hints with which a question is put: none, all, and some at random."""

SMALL = 100
"""Nodes up to which all routes are walked to find the states that occur."""


class Questions(NamedTuple):
    """What one node is asked about: arrivals, headers, and hints (0 if there are none)."""

    node: int
    arrival: IntArray
    header: IntArray
    hint: IntArray


def questions(network: Network, nodes: IntArray, rng: np.random.Generator) -> Iterator[Questions]:
    """Yield the questions put to each node.

    These are every destination and random headers, from the terminal if it has one; and every
    state in which a packet passes, by any choice, of the routes from all nodes of a small network,
    or from the first node of each orbit. If decisions are relative, one node stands for its orbit.
    Where decisions take a hint, each question is put with several.
    """
    routing, topology = network.routing, network.topology
    terminals, local = topology.terminals, topology.local
    first = np.unique(routing.orbit[terminals], return_index=True)[1]
    at, arrivals, headers = states(
        routing, terminals if topology.nodes <= SMALL else terminals[first]
    )
    begin = np.searchsorted(at, np.arange(topology.nodes + 1))
    for node in nodes.tolist():
        there = slice(begin[node], begin[node + 1])
        arrival, header = arrivals[there], headers[there]
        if node in terminals:
            every = routing.encode(np.full(len(terminals), node), terminals)
            strange = rng.integers(1 << routing.header.width, size=STRANGE)
            arrival = np.concatenate([np.full(len(every) + STRANGE, local), arrival])
            header = np.concatenate([every, strange, header])
        hint = np.zeros_like(header)
        if routing.hint:
            most = (1 << routing.hint_width) - 1
            some = [0, most, *rng.integers(most + 1, size=HINTS - 2).tolist()]
            arrival, header = (np.tile(x, HINTS) for x in (arrival, header))
            hint = np.repeat(some, len(hint))
        yield Questions(node, arrival, header, hint)


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
    for done, (node, arrival, header, hint) in enumerate(questions(network, nodes, rng)):
        dut.straps.value = node_straps(network, node)[0]
        expected = routing.decide(np.full(len(header), node), arrival, header, hint)
        golden = {
            "port": expected.port,
            "next_header": expected.header,
            "error": expected.error,
        }
        for begin in range(0, len(header), LANES):
            some = slice(begin, begin + LANES)
            count = len(header[some])
            fill = np.zeros(LANES, np.int64)
            columns = {name: fill.copy() for name, _ in asked}
            for name, values in (("arrival", arrival), ("header", header), ("hint", hint)):
                if name in columns:
                    columns[name][:count] = values[some]
            dut.asked.value = pack(asked, columns)
            await settle()
            value = read(dut.answered)
            wrong = np.ones(count, np.bool_)
            seen = {}
            if value is not None:
                seen = {k: x[:count] for k, x in unpack(answered, LANES, value).items()}
                wrong = seen["error"] != golden["error"][some]
                for name in ("port", "next_header"):
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
