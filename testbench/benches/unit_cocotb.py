"""The routing unit against golden: every decision of every node."""

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.deadlock.states import states
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.routing import Decision, Routing
from fingerpost.hdl.emit.network import node_straps
from fingerpost.testbench.packing import Columns, pack, read, unpack
from fingerpost.testbench.runner import parameters, report, tick
from fingerpost.testbench.sources import lane

STRANGE = 256
"""Illegal headers that are tried at the terminal of each node."""

SELECTIONS = 6
"""Hints with which a question is put: none, all, and some at random."""

SMALL = 100
"""Nodes up to which all routes are walked to find the states that occur."""


class Questions(NamedTuple):
    """The questions to one node: arrivals, headers, and selections (0 if there are none)."""

    node: int
    arrival: IntArray
    header: IntArray
    selection: IntArray


def strange(routing: Routing, node: int, rng: np.random.Generator) -> IntArray:
    """Return headers of random bits, and headers of destinations in which one field is random.

    The former are mostly refused. Of the latter each field has its share: also those that only
    routers fill in, where header generation has to let the header in and to ignore the field.
    """
    terminals = routing.topology.terminals
    header = rng.integers(1 << routing.header.width, size=STRANGE)
    some = slice(STRANGE // 2)
    fields = list(routing.header.values())
    masks = np.array([((1 << field.width) - 1) << field.offset for field in fields])
    mask = np.resize(masks, STRANGE // 2)
    good = routing.encode(np.full(STRANGE // 2, node), rng.choice(terminals, STRANGE // 2))
    header[some] = good & ~mask | header[some] & mask
    return header


def questions(network: Network, nodes: IntArray, rng: np.random.Generator) -> Iterator[Questions]:
    """Yield the questions put to each node.

    These are every destination and strange headers, from the terminal if it has one; and every
    state in which a packet passes, by any choice, of the routes from all nodes of a small network,
    or from the first node of each orbit. If decisions are relative, the first node of an
    orbit represents it. Where decisions take a selection, each question is tried with several.
    """
    routing, topology = network.routing, network.topology
    terminals, local = topology.terminals, topology.local
    first = np.unique(routing.orbit[terminals], return_index=True)[1]
    at, arrivals, headers = states(
        routing, terminals if topology.nodes <= SMALL else terminals[first]
    )
    begin = np.searchsorted(at, np.arange(topology.nodes + 1))
    stands_for = np.arange(topology.nodes)
    if routing.relative:  # the states of an orbit are those of its first node
        orbit, here = np.unique(routing.orbit[nodes], return_index=True)
        stands_for[nodes[here]] = np.unique(routing.orbit, return_index=True)[1][orbit]
    for node in nodes.tolist():
        there = slice(begin[stands_for[node]], begin[stands_for[node] + 1])
        arrival, header = arrivals[there], headers[there]
        if node in terminals:
            every = routing.encode(np.full(len(terminals), node), terminals)
            arrival = np.concatenate([np.full(len(every) + STRANGE, local), arrival])
            header = np.concatenate([every, strange(routing, node, rng), header])
        selection = np.zeros_like(header)
        if routing.selection:
            most = (1 << routing.selection_width) - 1
            some = [0, most, *rng.integers(most + 1, size=SELECTIONS - 2).tolist()]
            arrival, header = (np.tile(x, SELECTIONS) for x in (arrival, header))
            selection = np.repeat(some, len(selection))
        if len(header):  # there are nodes that no route of an algorithm passes
            yield Questions(node, arrival, header, selection)


class Unit:
    """The routing units under test, some of them side by side at the same node.

    Attributes
    ----------
    given : dict
        The parameters of the bench.
    network : Network
    rng : Generator
    """

    def __init__(self, dut: Any) -> None:
        self.dut, self.given = dut, parameters()
        self.network = network = build(self.given["description"])
        self.rng = np.random.default_rng(self.given["seed"])
        self.asked, self.answered = lane(network)
        self.lanes = len(dut.asked) // sum(width for _, width in self.asked)
        self.latency = max(1, network.routing.header_cycles)
        self.falling = FallingEdge(dut.clk)

    async def reset(self) -> None:
        """Drive every input."""
        self.dut.asked.value, self.dut.straps.value = 0, 0
        Clock(self.dut.clk, 2, "ns").start()
        await self.falling

    async def ask(self, questions: Questions) -> Columns | None:
        """Return the unit's answers; None if there are undefined bits among them."""
        self.dut.straps.value = node_straps(self.network, questions.node)[0]
        count = len(questions.header)
        accesses = -(-count // self.lanes)
        columns = {
            name: np.pad(getattr(questions, name), (0, accesses * self.lanes - count))
            for name, _ in self.asked
        }
        # All questions are packed at once, and all answers unpacked; lanes are whole bytes.
        size, length = (len(vector) // 8 for vector in (self.dut.asked, self.dut.answered))
        words = pack(self.asked, columns).to_bytes(accesses * size, "little")
        answers = []
        for access in range(accesses + self.latency):  # a question and an answer in each cycle
            if access >= self.latency:
                value = read(self.dut.answered)
                if value is None:
                    return None
                answers.append(value.to_bytes(length, "little"))
            if access < accesses:
                word = words[access * size : (access + 1) * size]
                self.dut.asked.value = int.from_bytes(word, "little")
            if access < accesses + self.latency - 1:
                await self.falling
        seen = unpack(
            self.answered, accesses * self.lanes, int.from_bytes(b"".join(answers), "little")
        )
        return {name: column[:count] for name, column in seen.items()}


def differs(expected: Decision, seen: Columns) -> BoolArray:
    """Return which answers are not golden's. Where both refuse, the rest means nothing."""
    wrong: BoolArray = seen["error"] != expected.error
    return wrong | (expected.error == 0) & (
        (seen["port"] != expected.port) | (seen["next_header"] != expected.header)
    )


@cocotb.test()
async def decides_like_golden(dut: Any) -> None:
    """Ask all questions at each node, and count the answers that differ."""
    unit = Unit(dut)
    await unit.reset()
    given, network, rng = unit.given, unit.network, unit.rng
    routing, topology = network.routing, network.topology
    nodes = np.arange(topology.nodes)
    if given["nodes"] is not None and given["nodes"] < topology.nodes:
        nodes = np.sort(rng.choice(nodes, given["nodes"], replace=False))
    decisions = pairs = mismatches = 0
    message = ""
    started = time.perf_counter()
    for done, asked in enumerate(questions(network, nodes, rng)):
        node, arrival, header, selection = asked
        count = len(header)
        expected = routing.decide(np.full(count, node), arrival, header, selection)
        seen = await unit.ask(asked)
        wrong = np.ones(count, np.bool_) if seen is None else differs(expected, seen)
        if wrong.any() and not message:
            at = int(wrong.argmax())
            hit = {name: int(part[at]) for name, part in expected._asdict().items()}
            got = "undefined bits" if seen is None else {k: int(x[at]) for k, x in seen.items()}
            message = (
                f"node {node}, arrival {arrival[at]}, header {header[at]:#x}"
                + (f", selection {selection[at]:#x}" if routing.selection else "")
                + f": expected {hit}, seen {got}"
            )
        mismatches += int(wrong.sum())
        decisions += count
        pairs += len(topology.terminals) if node in topology.terminals else 0
        if done % 16 == 0:
            tick(done, len(nodes))
    report(
        decisions=decisions,
        pairs=pairs,
        mismatches=mismatches,
        message=message,
        asking_seconds=time.perf_counter() - started,
    )
    assert not mismatches, message
