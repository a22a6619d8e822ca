"""Counters under the driver of cocotbext-axi: what they show is what the model has counted."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import cocotb
import numpy as np
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.router.state import LINK_CYCLES, of_run
from fingerpost.hdl.counting import RegisterMap, register_map
from fingerpost.testbench.benches.axi_stream_cocotb import chance
from fingerpost.testbench.benches.network_cocotb import Watch, lock_step
from fingerpost.testbench.network_run import NetworkRun

SNAPSHOT, CLEAR = 1, 2
"""What is written to control."""

PATIENCE = 40
"""Cycles for each counter that is read, after which the bus is taken for dead."""


class CountedRun(NetworkRun):
    """A run of the model that remembers, cycle by cycle, what has happened at every port.

    Attributes
    ----------
    history : dict of lists of arrays
        By the name of a counter: entry c is the counts after c cycles, by node or by node and port.
    """

    def __init__(self, network: AnyNetwork, given: Mapping[str, Any]) -> None:
        super().__init__(network, given)
        n, each, local = network.topology.nodes, network.ejections, network.topology.local
        followed = *network.node_counters, *network.terminal.counters
        self.names = [counter.name for counter in followed]
        sizes = {"sent": n, "received": n * each, "out": n * local}
        sizes |= {"stalled": n * (local + 1)} if isinstance(self.engine, Wormhole) else {}
        self.history = {name: [np.zeros(size, np.int64)] for name, size in sizes.items()}
        self.history |= {name: [] for name in self.names}

    def _requested(self, engine: Wormhole) -> BoolArray:
        """Return the outputs that flits at the front of queues request before this cycle."""
        nodes, ports = engine.config.nodes, engine.config.ports
        routers = of_run(engine.arrays, 0).routers
        queues = np.arange(engine.config.queues)
        node, queue = np.nonzero(routers.router["valid"][:, None] >> queues & 1)
        requested = np.zeros((nodes, ports), np.bool_)
        requested[node, routers.vc_buffer["route_port"].reshape(nodes, -1)[node, queue]] = True
        return requested.ravel()

    def _granted(self, engine: Wormhole) -> BoolArray:
        """Return the outputs that a flit left for in the cycle that has just been run."""
        in_flight, link = of_run(engine.arrays, 0).in_flight, engine.config.link
        slot = (self.run.now - 1 + LINK_CYCLES) % (LINK_CYCLES + 1)
        arriving = np.bitwise_or.reduce(in_flight.arriving[slot])
        granted: BoolArray = arriving[link["dst_node"]] >> link["dst_port"] & 1 > 0
        return granted & (link["dst_node"] >= 0)

    def give(self) -> dict[str, IntArray]:
        """Return what the terminals send in this cycle, and count all that is seen in it."""
        engine = self.engine if isinstance(self.engine, Wormhole) else None
        requested = self._requested(engine) if engine else None
        given, between, seen = super().give(), self.wires(), self.terminals()
        if engine and requested is not None:
            self._add("stalled", requested & ~self._granted(engine))
        self._add("sent", (given["valid"] > 0) & seen.get("ready", 1))
        each = self.network.ejections
        came = seen["valid"][:, None] >> np.arange(each) & 1 if each > 1 else seen["valid"] > 0
        self._add("received", came.ravel() & given.get("ready", 1))
        self._add("out", (between["valid"] > 0).astype(np.int64))
        for name in self.names:
            self.history[name].append(np.array(seen[name]))
        return given

    def _add(self, name: str, events: IntArray | BoolArray) -> None:
        self.history[name].append(self.history[name][-1] + events)

    def counts(self, cycles: int) -> dict[str, IntArray]:
        """Return the counts after so many cycles, by name: a row for each node.

        The outputs at which flits wait are registered first, so they are a cycle late.
        """
        n = self.network.topology.nodes
        at = {name: cycles - (name == "stalled" and cycles > 0) for name in self.history}
        return {name: self.history[name][at[name]].reshape(n, -1) for name in self.history}


@dataclass
class Reader:
    """What reads all counters now and then, over the bus.

    Attributes
    ----------
    master : AxiLiteMaster
    map : RegisterMap
    shown : list of (int, int, int, bytes)
        Of every snapshot: the cycles before the counts began, those after which they were taken,
        the address from which on they were read, and what was read.
    message : str
        What is wrong with what was answered.
    done : bool
    """

    master: Any
    map: RegisterMap
    shown: list[tuple[int, int, int, bytes]] = field(default_factory=list)
    message: str = ""
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


def difference(
    run: CountedRun, map: RegisterMap, start: int, end: int, address: int, shown: bytes
) -> str:
    """Return the first counter of a snapshot that is not as the model has it, or nothing."""
    if end % map.round or not start < end <= run.cycle:
        return f"counters of cycles {start} to {end} in cycle {run.cycle}"
    before, after = run.counts(start), run.counts(end)
    for node in range(map.nodes):
        for register in map.node:
            expected = after[register.name] - before[register.name]
            for index in range(register.count):
                at = map.address(node, register.name, index) - address
                seen = int.from_bytes(shown[at : at + 4], "little")
                if 0 <= at < len(shown) and seen != expected[node, index]:
                    return (
                        f"cycles {start} to {end}, node {node}, {register.name} {index}: expected "
                        f"{expected[node, index]}, seen {seen}"
                    )
    return ""


class Counting(Watch):
    """Reads counters in each part of a run, and compares them with the model's."""

    kind = CountedRun

    def __init__(self, dut: Any, network: AnyNetwork) -> None:
        self.dut, self.map = dut, register_map(network)
        self.master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)

    def begin(self, run: NetworkRun, given: Mapping[str, Any]) -> None:
        self.reader = Reader(self.master, self.map)
        self.last = run.last + PATIENCE * self.map.counters * given["snapshots"]
        rng = random.Random(given["seed"])
        cocotb.start_soon(self.reader.run(self.dut, rng, given["snapshots"], given["most"]))

    def done(self, run: NetworkRun) -> bool:
        if run.cycle > self.last:
            self.reader.expect(False, "the bus does not answer")
        return self.reader.done or run.cycle > self.last

    def lacking(self, run: NetworkRun) -> str:
        assert isinstance(run, CountedRun)
        wrong = (difference(run, self.map, *snapshot) for snapshot in self.reader.shown)
        return self.reader.message or next(filter(None, wrong), "")

    def facts(self) -> dict[str, int]:
        return {"compared": sum(len(x[-1]) // 4 for x in self.reader.shown)}


@cocotb.test()
async def counts(dut: Any) -> None:
    """Compare network and model in every cycle, and all counters of every snapshot."""
    await lock_step(dut, Counting)
