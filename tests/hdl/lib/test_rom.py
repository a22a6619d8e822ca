import pytest
from amaranth import Module, Signal
from amaranth.sim import Simulator

from fingerpost.hdl.lib.rom import look_up
from fingerpost.testbench.context import Context
from tests.hdl.lib.test_logic import evaluate


@pytest.mark.parametrize("entries", [[5], [0, 0], [1, 2, 3], [i * i % 7 for i in range(23)]])
def test_at_once(entries: list[int]) -> None:
    m, index = Module(), Signal(5)
    output = look_up(m, "entries", index, entries)
    assert evaluate(m, output, [index], [(i,) for i in range(len(entries))]) == entries


def test_after_a_clock_edge() -> None:
    m, index, output = Module(), Signal(2), Signal(8)
    m.d.comb += output.eq(look_up(m, "entries", index, [7, 1, 200], domain="sync"))
    seen: list[int] = []

    async def bench(ctx: Context) -> None:
        for i in (2, 0, 1):
            ctx.set(index, i)
            await ctx.tick()
            seen.append(ctx.get(output))

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert seen == [200, 7, 1]
