"""Counters under the driver of cocotbext-axi: what they show is what the model has counted."""

import random
from dataclasses import dataclass, field
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

from fingerpost.hdl.counting import RegisterMap, register_map
from fingerpost.testbench.benches.exchange import chance
from fingerpost.testbench.benches.lock_step_cocotb import Watch, lock_step
from fingerpost.testbench.benches.network import CountersBench
from fingerpost.testbench.benches.network_script import CountedTurn
from fingerpost.testbench.lock_step import Turn

SNAPSHOT, CLEAR = 1, 2
"""What is written to control."""

PATIENCE = 40
"""Cycles for each counter that is read, after which the bus is taken for dead."""


@dataclass
class Reader:
    """What reads all counters now and then, over the bus."""

    master: Any
    map: RegisterMap
    shown: list[tuple[int, int, int, bytes]] = field(default_factory=list)
    """Of every snapshot: the cycles before the counts began, those after which they were taken, the
    address from which on they were read, and what was read."""
    message: str = ""
    """What is wrong with what was answered."""
    done: bool = False

    async def run(self, dut: Any, rng: random.Random, snapshots: int, most: int) -> None:
        """Look at what never changes, then take snapshots, and read so many counters of each."""
        for channel in (self.master.write_if.b_channel, self.master.read_if.r_channel):
            channel.set_pause_generator(chance(rng, 0.3))
        await self.constants()
        await self.refusals()
        start = 0
        for number in range(snapshots):
            await ClockCycles(dut.clk, rng.randint(1, 3 * self.map.round))
            clear = number % 2 * CLEAR
            await self.write(self.map.named("control").address, SNAPSHOT | clear)
            while await self.read(self.map.named("status").address):
                pass
            end = start + await self.read(self.map.base)
            # The last counter is always among some of them.
            count = min(most, self.map.counters - 1)
            first = self.map.counters - count
            first = rng.choice([first, rng.randint(1, first)])
            address = self.map.base + 4 * first
            answer = await self.master.read(address, 4 * count)
            self.expect(answer.resp == AxiResp.OKAY, f"counters are answered with {answer.resp}")
            self.shown.append((start, end, address, answer.data))
            if clear:
                start = end
        self.done = True

    async def constants(self) -> None:
        """Read what never changes."""
        for address, value in self.map.constants():
            seen = await self.read(address)
            self.expect(
                seen == value, f"register {address:#x}: {value:#x} expected, {seen:#x} seen"
            )

    async def refusals(self) -> None:
        """Touch what is not there or cannot be written."""
        control, beyond = self.map.named("control").address, self.map.counters * 4
        for address in (self.map.base - 4, self.map.base + beyond):
            if address < 1 << self.map.address_width:
                answer = await self.master.read(address, 4)
                self.expect(answer.resp == AxiResp.SLVERR, f"nothing at {address:#x} is answered")
        for address in (0, self.map.base, self.map.base + 4):
            answer = await self.master.write(address, b"\1\0\0\0")
            self.expect(answer.resp == AxiResp.SLVERR, f"a write to {address:#x} is accepted")
        self.expect(not await self.read(control), "control does not read as 0")

    async def write(self, address: int, value: int) -> None:
        """Write a register."""
        answer = await self.master.write(address, value.to_bytes(4, "little"))
        self.expect(answer.resp == AxiResp.OKAY, f"a write to {address:#x} is refused")

    async def read(self, address: int) -> int:
        """Read a register."""
        answer = await self.master.read(address, 4)
        self.expect(answer.resp == AxiResp.OKAY, f"{address:#x} is not answered")
        return int.from_bytes(answer.data, "little")

    def expect(self, good: bool, otherwise: str) -> None:
        """Remember what is wrong first."""
        if not good:
            self.message = self.message or otherwise


class Counting(Watch):
    """Reads counters in each turn, and compares them with the model's."""

    def __init__(self, dut: Any, bench: CountersBench) -> None:
        self.dut, self.bench, self.map = dut, bench, register_map(bench.network)
        self.master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)

    def begin(self, turn: Turn) -> None:
        assert isinstance(turn, CountedTurn)
        self.turn, self.reader = turn, Reader(self.master, self.map)
        turn.reads, turn.wrong = lambda: not self.reader.done, self.wrong
        bench = self.bench
        turn.last += PATIENCE * self.map.counters * bench.snapshots
        rng = random.Random(turn.given["seed"])
        cocotb.start_soon(self.reader.run(self.dut, rng, bench.snapshots, bench.most))

    def wrong(self) -> str:
        """Return what is wrong with what was read, or nothing."""
        wrong = (self.turn.difference(self.map, *snapshot) for snapshot in self.reader.shown)
        late = "" if self.reader.done else "the bus does not answer"
        return self.reader.message or late or next(filter(None, wrong), "")

    def facts(self) -> dict[str, int]:
        return {"compared": sum(len(x[-1]) // 4 for x in self.reader.shown)}


@cocotb.test()
async def counts(dut: Any) -> None:
    """Compare network and model in every cycle, and all counters of every snapshot."""
    await lock_step(dut, Counting)
