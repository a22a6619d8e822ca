"""The network in lock-step with the model: every link and terminal in every cycle."""

from collections.abc import Mapping
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

from fingerpost.golden.network.kinds import AnyNetwork, build_any
from fingerpost.testbench.network_run import NetworkRun, join, turns
from fingerpost.testbench.packing import pack, read, unpack
from fingerpost.testbench.runner import parameters, report, tick
from fingerpost.testbench.sources import terminal_fields, wire_fields

RESET = 3
"""Cycles of a reset."""


async def begin(dut: Any) -> None:
    """Start the clock, and reset."""
    dut.rst.value = 1
    Clock(dut.clk, 2, "ns").start()
    await reset(dut)


async def reset(dut: Any) -> None:
    """Hold the reset for some cycles, in which nothing is given."""
    dut.rst.value, dut.given.value = 1, 0
    falling = FallingEdge(dut.clk)
    for _ in range(RESET):
        await falling
    dut.rst.value = 0


class LockStep:
    """A network, and the run of its model, cycle by cycle."""

    def __init__(self, dut: Any, network: AnyNetwork, run: NetworkRun) -> None:
        self.dut, self.run, topology = dut, run, network.topology
        self.wires, self.ends = wire_fields(network), terminal_fields(network)
        self.links = topology.nodes * topology.local
        self.streams = topology.nodes * network.terminal.streams(network)
        self.link_bits = self.links * sum(width for _, width in self.wires)
        self.falling, self.settled = FallingEdge(dut.clk), ReadOnly()

    async def cycle(self, most: int) -> str:
        """Go through a cycle, of `most` in which packets are made; return what differs, or none."""
        self.dut.given.value = pack(self.ends["sent"], self.run.give())
        await self.settled
        value = read(self.dut.seen)
        if value is None:
            return f"cycle {self.run.cycle}: undefined bits"
        between = unpack(self.wires, self.links, value & ((1 << self.link_bits) - 1))
        ends = unpack(self.ends["received"], self.streams, value >> self.link_bits)
        if message := self.run.compare(between, ends):
            return message
        self.run.step()
        if self.run.cycle % 64 == 0:
            tick(min(self.run.cycle, most), most)
        await self.falling
        return ""


@cocotb.test()
async def runs_in_lock_step(dut: Any) -> None:
    """Send random traffic, compare all that is visible in each cycle, then drain."""
    await lock_step(dut)


class Watch:
    """What a bench does beside the comparison; this does nothing.

    Attributes
    ----------
    kind : type of NetworkRun
        The run of the model.
    """

    kind: type[NetworkRun] = NetworkRun

    def __init__(self, dut: Any, network: AnyNetwork) -> None:
        """Connect to the ports, before the clock starts."""

    def begin(self, run: NetworkRun, given: Mapping[str, Any]) -> None:
        """Begin a part of a run; its reset is over."""

    def done(self, run: NetworkRun) -> bool:
        """Return whether all is done in this part."""
        return True

    def lacking(self, run: NetworkRun) -> str:
        """Return what is wrong at the end of a part, or nothing."""
        return ""

    def facts(self) -> dict[str, int]:
        """Return what to report of a part."""
        return {}


async def lock_step(dut: Any, watch: type[Watch] = Watch) -> None:
    """Go through all parts of a run in lock-step, and report what came of them."""
    given = parameters()
    network = build_any(given["description"])
    beside = watch(dut, network)
    dut.rst.value = 1
    Clock(dut.clk, 2, "ns").start()
    found: list[dict[str, Any]] = []
    for turn in turns(given):
        run = beside.kind(network, turn)
        both, message = LockStep(dut, network, run), ""
        await reset(dut)
        beside.begin(run, turn)
        while not message and not (run.finished() and beside.done(run)):
            message = await both.cycle(given["cycles"])
        message = message or beside.lacking(run) or run.lacking()
        found.append(run.report(message) | beside.facts())
        if message:
            break
    joined = join(found, resets=RESET)
    report(**joined)
    assert not joined["mismatches"], joined["message"]
