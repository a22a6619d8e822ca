"""Sums of counters beyond what contracts and short runs reach."""

from random import Random
from typing import Any

from amaranth.sim import Simulator

from fingerpost.golden.network.network import build
from fingerpost.hdl.counting.counters import Counters
from fingerpost.hdl.counting.registers import RegisterMap, register_map
from fingerpost.hdl.lib.registers import WORD

PAIR = {
    "name": "pair",
    "topology": {"family": "grid", "sizes": [2]},
    "routing": {"algorithm": "dimension-order"},
    "counters": {"kind": "axi-lite", "of": "terminals"},
}

ROUNDS = 40


class Wide(RegisterMap):
    """With counts as wide as sums, so that a few of them carry into every bit."""

    @property
    def width(self) -> int:
        """Return the bits of a sum."""
        return 32


def test_sums_carry_into_every_bit() -> None:
    full = register_map(build(PAIR))
    map = Wide(full.fixed, full.cycles, full.node[:1], 1)
    dut, random = Counters(map), Random(1)
    assert (map.counters, len(dut.chain)) == (2, 32)

    async def bench(ctx: Any) -> None:
        total, since = 0, 9  # cycles since a tick

        async def cycle() -> None:
            nonlocal total, since
            since = 0 if ctx.get(dut.tick) else since + 1
            chain = random.getrandbits(32)
            ctx.set(dut.chain, chain)
            total += chain * (since == 2)  # when a tap gives its first count
            await ctx.tick()

        sums.extend([await read(ctx, cycle, lambda: total) for _ in range(ROUNDS)])

    async def read(ctx: Any, cycle: Any, total: Any) -> tuple[int, int]:
        bus = dut.bus
        ctx.set(bus.bready, 1)
        ctx.set(bus.rready, 1)
        for port, value in (("awaddr", map.named("control").address), ("wdata", 1), ("wstrb", 1)):
            ctx.set(getattr(bus, port), value)
        ctx.set(bus.awvalid, 1)
        ctx.set(bus.wvalid, 1)
        while ctx.get(bus.awvalid) or ctx.get(bus.wvalid):
            taken = {name: ctx.get(getattr(bus, f"{name}ready")) for name in ("aw", "w")}
            await cycle()
            for name, ready in taken.items():
                if ready:
                    ctx.set(getattr(bus, f"{name}valid"), 0)
        while not ctx.get(bus.bvalid):
            await cycle()
        while not ctx.get(dut.tick):
            await cycle()
        for _ in range(4):  # the counts of this tick come
            await cycle()
        expected = total() % (1 << 32)
        for _ in range(map.round):
            await cycle()
        ctx.set(bus.araddr, map.base + WORD)
        ctx.set(bus.arvalid, 1)
        while not ctx.get(bus.arready):
            await cycle()
        await cycle()
        ctx.set(bus.arvalid, 0)
        while not ctx.get(bus.rvalid):
            await cycle()
        found = ctx.get(bus.rdata)
        await cycle()
        return found, expected

    sums: list[tuple[int, int]] = []
    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert len(sums) == ROUNDS
    assert [found for found, _ in sums] == [expected for _, expected in sums]
