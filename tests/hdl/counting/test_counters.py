from typing import Any

import pytest
from amaranth.sim import Simulator

from fingerpost.golden.network.network import build
from fingerpost.hdl.counting import Counters, Tap, register_map
from tests.hdl.counting.test_registers import COUNTED

SNAPSHOT, CLEAR = 1, 2


def test_tap_needs_room_for_what_it_follows() -> None:
    with pytest.raises(ValueError, match=r"^Tap needs a width of at least 8, not 6$"):
        Tap(events=2, totals=(8, 4), width=6)


def test_tap_hands_over_every_event_once() -> None:
    """Two events and a total; the chain has 9 behind them."""
    tap = Tap(events=2, totals=(8,), width=8)
    first, second = [1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [0, 1, 1, 0, 0, 1, 1, 1, 0, 0]
    total = [3, 4, 4, 7, 9, 9]
    handed: list[list[int]] = []

    async def bench(ctx: Any) -> None:
        for cycle in range(10):
            ctx.set(tap.events, first[cycle] | second[cycle] << 1)
            ctx.set(tap.totals, total[min(cycle, 5)])
            ctx.set(tap.tick, cycle in (0, 5))
            ctx.set(tap.after, 9)
            await ctx.tick()
            if cycle in (1, 6):
                handed.append([])
            if handed and len(handed[-1]) < 4:
                handed[-1].append(ctx.get(tap.chain))

    simulate(tap, bench)
    # At the first tick there is nothing but the total; at the second what came in cycles 0 to 4.
    assert handed == [[0, 0, 3, 9], [sum(first[:5]), sum(second[:5]), 9 - 3, 9]]


def test_bytes_that_are_not_written_start_nothing() -> None:
    counters = Counters(register_map(build(COUNTED)))
    busy: list[int] = []

    async def bench(ctx: Any) -> None:
        bus: Any = counters.bus
        ctx.set(bus.rready, 1)
        ctx.set(bus.bready, 1)
        await ctx.tick().repeat(2 * counters.round + 8)
        for strobe in (0b1110, 0b0001):
            ctx.set(bus.awaddr, 0x0C)
            ctx.set(bus.awvalid, 1)
            await ctx.tick()
            ctx.set(bus.awvalid, 0)
            ctx.set(bus.wdata, SNAPSHOT | CLEAR)
            ctx.set(bus.wstrb, strobe)
            ctx.set(bus.wvalid, 1)
            await ctx.tick()
            ctx.set(bus.wvalid, 0)
            await ctx.tick().until(bus.bvalid)
            ctx.set(bus.araddr, 0x10)
            ctx.set(bus.arvalid, 1)
            await ctx.tick()
            ctx.set(bus.arvalid, 0)
            read = await ctx.tick().sample(bus.rdata).until(bus.rvalid)
            busy.append(read[0])

    simulate(counters, bench)
    assert busy == [0, 1]


def simulate(component: Any, bench: Any) -> None:
    simulator = Simulator(component)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
