"""The diagram of AXI4-Stream terminals with clocks of their own."""

from collections.abc import Mapping
from typing import Any

from amaranth import Cat, ClockDomain, DomainRenamer, Elaboratable, Module, Value
from amaranth.hdl import ValueLike
from amaranth.sim import Simulator

from fingerpost.drawing.timing import Diagram
from fingerpost.hdl.terminal.crossing import Crossing
from fingerpost.testbench.context import Context
from scripts.waves.network import Pair, levels, pair, stream

__all__ = ["HALVES", "clocks"]

HALVES = {"axis_0": 3, "sync": 2, "axis_1": 5}
"""Half a period of each clock, in steps of the diagram; `sync` is the network's."""

STEP = 1e-6
"""Seconds of simulated time in a step."""

BEATS = 0xA0A1, 0xA2A3, 0xA4A5


class Crossed(Elaboratable):
    """Two nodes, and between each and its terminal queues, joined as `generate` joins them."""

    def __init__(self) -> None:
        self.domains: dict[str, Any] = {name: ClockDomain(name) for name in HALVES}
        terminal = {"kind": "axi-stream", "clock": "own"}
        self.pair = Pair(pair(router={"flit_width": 16}, terminal=terminal))
        here, there = self.pair.nodes
        self.sent = [here.s_axis.tdata, here.s_axis.tkeep, here.s_axis.tlast, self.pair.tdest[0]]
        self.received = [there.m_axis.tdata, there.m_axis.tlast]
        self.into, self.out = (Crossing(len(Cat(x))) for x in (self.sent, self.received))

    def elaborate(self, platform: object) -> Module:
        """Put a queue before node 0, and one behind node 1."""
        m = Module()
        m.domains += self.domains.values()
        here, there = self.pair.nodes
        m.submodules.pair = self.pair
        m.submodules.into = DomainRenamer({"write": "axis_0", "read": "sync"})(self.into)
        m.submodules.out = DomainRenamer({"write": "sync", "read": "axis_1"})(self.out)
        m.d.comb += [
            Cat(self.sent).eq(self.into.r_data),
            here.s_axis.tvalid.eq(self.into.r_valid),
            self.into.r_ready.eq(here.s_axis.tready),
            self.out.w_data.eq(Cat(self.received)),
            self.out.w_valid.eq(there.m_axis.tvalid),
            there.m_axis.tready.eq(self.out.w_ready),
        ]
        return m


def record(hardware: Crossed, watch: Mapping[str, ValueLike], steps: int) -> dict[str, list[int]]:
    """Send three beats, and return what signals are in each step, half a step behind its begin."""
    seen: dict[str, list[int]] = {name: [] for name in watch}

    async def sender(ctx: Context) -> None:
        end = hardware.into
        await ctx.tick("axis_0").repeat(2)
        for number, beat in enumerate(BEATS):
            last = number == len(BEATS) - 1
            ctx.set(end.w_valid, 1)
            ctx.set(end.w_data, beat | 3 << 16 | last << 18 | 1 << 19)
            await ctx.tick("axis_0").until(end.w_ready)
        ctx.set(end.w_valid, 0)

    async def reader(ctx: Context) -> None:
        ctx.set(hardware.out.r_ready, 1)

    async def look(ctx: Context) -> None:
        await ctx.delay(STEP / 2)
        for _ in range(steps):
            for name, signal in watch.items():
                seen[name].append(ctx.get(Value.cast(signal)))
            await ctx.delay(STEP)

    simulator: Any = Simulator(hardware)
    for name, half in HALVES.items():
        simulator.add_clock(2 * half * STEP, phase=0, domain=name)
    for bench in (sender, reader, look):
        simulator.add_testbench(bench)
    simulator.run()
    return seen


def clocks() -> Diagram:
    """Show a packet of three beats from a terminal to another; each has a clock of its own."""
    both = Crossed()
    here, there = both.pair.nodes
    first, second = both.into, both.out
    watch: dict[str, ValueLike] = {
        "axis_0_clk": both.domains["axis_0"].clk,
        "s_axis_0_tvalid": first.w_valid,
        "s_axis_0_tready": first.w_ready,
        "s_axis_0_tdata": first.w_data[:16],
        "clk": both.domains["sync"].clk,
        "s_axis_tvalid[0]": here.s_axis.tvalid,
        "s_axis_tready[0]": here.s_axis.tready,
        "link_valid": here.outputs[0].valid,
        "m_axis_tvalid[1]": there.m_axis.tvalid,
        "axis_1_clk": both.domains["axis_1"].clk,
        "m_axis_1_tvalid": second.r_valid,
        "m_axis_1_tdata": second.r_data[:16],
        "m_axis_1_tlast": second.r_data[16],
    }
    seen = record(both, watch, 116)

    groups = {
        "terminal 0": (*levels(seen, "axis_0_clk"), *stream(seen, "s_axis_0")),
        "network": levels(seen, *list(watch)[4:9]),
        "terminal 1": (*levels(seen, "axis_1_clk"), *stream(seen, "m_axis_1")),
    }
    return Diagram(groups, step=10, dense=True)
