"""Hardware in lock-step with a model: all that is seen in every cycle."""

from collections.abc import Sequence
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, Timer

from fingerpost.testbench.benches.bench import restored
from fingerpost.testbench.lock_step import RESET, Comparison, Layout, Turn, join
from fingerpost.testbench.packing import Columns, bits_of, pack, read, unpack
from fingerpost.testbench.runner import finish, parameters, tick


@cocotb.test()
async def runs_in_lock_step(dut: Any) -> None:
    """Give what the script has, compare all that is visible in each cycle."""
    await lock_step(dut)


class Vectors:
    """The two vectors of a bench: what is given, and all that is seen."""

    def __init__(self, dut: Any, layout: Layout) -> None:
        self.dut, self.layout = dut, layout
        self.falling, self.settled = FallingEdge(dut.clk), ReadOnly()

    async def reset(self) -> None:
        """Hold the reset for some cycles, in which nothing is given."""
        self.dut.rst.value, self.dut.given.value = 1, 0
        for _ in range(RESET):
            await self.falling
        self.dut.rst.value = 0

    async def exchange(self, given: Columns) -> Sequence[Columns] | None:
        """Give something, and return what is seen in the same cycle, unless bits are undefined."""
        self.dut.given.value = pack(self.layout.given, given)
        await self.settled
        value = read(self.dut.seen)
        if value is None:
            return None
        found = []
        for group in self.layout.groups:
            bits = group.rows * bits_of(group.fields)
            found.append(unpack(group.fields, group.rows, value & (1 << bits) - 1))
            value >>= bits
        return found


class Watch:
    """What a bench does beside the comparison; this does nothing."""

    def __init__(self, dut: Any, bench: Any) -> None:
        """Connect to the ports, before the clock starts."""

    def begin(self, turn: Turn) -> None:
        """Begin a turn; its reset is over."""

    def facts(self) -> dict[str, int]:
        """Return what to report of a turn."""
        return {}


async def lock_step(dut: Any, watch: type[Watch] = Watch) -> None:
    """Go through all turns of a script in lock-step, and report what came of them."""
    bench = restored(parameters())
    script, beside, reports = bench.script(), watch(dut, bench), list[dict[str, Any]]()
    vectors = Vectors(dut, script.layout)
    dut.rst.value, dut.given.value = 1, 0
    await Timer(1, "ns")  # registers without a reset take what is given at the first edge
    Clock(dut.clk, 2, "ns").start()
    for turn in script.turns():
        compared, message, cycles = Comparison(script.layout), "", 0
        await vectors.reset()
        beside.begin(turn)
        while not message and (chunk := turn.chunk(1)).cycles:
            given, expected = chunk.cycle(0)
            seen = await vectors.exchange(given)
            if seen is None:
                message = f"cycle {cycles}: undefined bits"
            elif not (message := compared.compare(cycles, expected, seen)):
                cycles += 1
                await vectors.falling
            if cycles % 64 == 0:
                done = sum(report["cycles"] for report in reports) + cycles
                tick(min(done, script.cycles), script.cycles)
        message = message or turn.lacking()
        reports.append(compared.report(cycles, turn, message) | beside.facts())
        if message:
            break
    found = join(reports) | script.facts()
    finish(found.pop("message"), found.pop("mismatches"), **found)
