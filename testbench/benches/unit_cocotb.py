"""Decisions of routing units against golden: every one, or routes made of them.

Each bench runs one of these tests.
"""

import time
from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.routing.walk import walk
from fingerpost.testbench.benches.questions import SMALL, Examination, Questions
from fingerpost.testbench.packing import Columns, bits_of, pack, read, unpack
from fingerpost.testbench.runner import finish, parameters, tick
from fingerpost.testbench.sources import unit_constants, unit_fields


class Unit:
    """The routing units under test, some of them side by side at the same node.

    Attributes
    ----------
    given : dict
        The parameters of the bench.
    network : Network
    """

    def __init__(self, dut: Any) -> None:
        self.dut, self.given = dut, parameters()
        self.network = network = build(self.given["description"])
        self.asked, self.answered = unit_fields(network)
        self.copies = len(dut.asked) // bits_of(self.asked)
        self.latency = max(1, network.routing.header_cycles)
        self.falling = FallingEdge(dut.clk)

    async def reset(self) -> None:
        """Drive every input."""
        self.dut.asked.value, self.dut.straps.value = 0, 0
        Clock(self.dut.clk, 2, "ns").start()
        await self.falling

    async def ask(self, questions: Questions) -> Columns | None:
        """Return the unit's answers; None if there are undefined bits among them."""
        self.dut.straps.value = unit_constants(self.network, questions.node)
        count = len(questions.header)
        accesses = -(-count // self.copies)
        columns = {
            name: np.pad(getattr(questions, name), (0, accesses * self.copies - count))
            for name, _ in self.asked
        }
        # All questions are packed at once, and all answers unpacked; copies are whole bytes.
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
            self.answered, accesses * self.copies, int.from_bytes(b"".join(answers), "little")
        )
        return {name: column[:count] for name, column in seen.items()}


@cocotb.test()
async def decides_like_golden(dut: Any) -> None:
    """Ask all questions at each node, and count the answers that differ."""
    unit = Unit(dut)
    await unit.reset()
    examination = Examination(unit.network, unit.given)
    started = time.perf_counter()
    for done, asked in enumerate(examination):
        examination.compare(asked, await unit.ask(asked))
        if done % 16 == 0:
            tick(done, len(examination.nodes))
    found = examination.report()
    seconds = time.perf_counter() - started
    finish(found.pop("message"), found.pop("mismatches"), **found, asking_seconds=seconds)


def starts(network: Network, wanted: list[int] | None) -> IntArray:
    """Return the nodes at which routes start: those wanted, all, or the first of each orbit."""
    terminals, orbit = network.topology.terminal_nodes, network.routing.orbit
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
    ends = topology.terminal_nodes if given["end"] is None else np.array(given["end"])
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
    finish(
        message,
        max(mismatches, int(bool(message))),
        decisions=decisions,
        routes=len(source),
        mean_hops=float(hops[others].mean()),
        max_hops=int(hops.max()),
    )
