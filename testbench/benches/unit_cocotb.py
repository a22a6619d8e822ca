"""The routing unit against golden: every decision of every node."""

import time
from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from fingerpost.golden.network.network import build
from fingerpost.hdl.emit.routers import node_straps
from fingerpost.testbench.benches.questions import Examination, Questions
from fingerpost.testbench.packing import Columns, pack, read, unpack
from fingerpost.testbench.runner import parameters, report, tick
from fingerpost.testbench.sources import unit_fields


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
        self.copies = len(dut.asked) // sum(width for _, width in self.asked)
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
    report(**found, asking_seconds=time.perf_counter() - started)
    assert not found["mismatches"], found["message"]
