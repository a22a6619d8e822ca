import numpy as np
import pytest
from amaranth.sim import Simulator

from fingerpost.golden.algebra.circulant import circulant_distances, computed_phase1
from fingerpost.hdl.lib.circulant import TableII
from fingerpost.testbench.context import Context


@pytest.mark.parametrize(
    ("k", "t1", "t2"),
    [
        (3, 1, 1),
        (3, 2, 1),
        (11, 3, 4),
        (23, 1, 7),
        (23, 7, 8),
        (51, 16, 2),
        (51, 4, 13),
        (53, 1, 2),
    ],
)
def test_all_class_differences(k: int, t1: int, t2: int) -> None:
    d1 = int(circulant_distances(k, np.array([t1, t2, -t1, -t2])).max())
    pairs, steps = computed_phase1(k, t1, t2, d1)
    dut = TableII(k, t1, t2, steps=steps, width=d1.bit_length() + 1)
    seen: list[tuple[int, int]] = []

    async def bench(ctx: Context) -> None:
        # A new one every cycle; each comes out two cycles later.
        for r in [*range(k), 0, 0]:
            ctx.set(dut.r, r)
            await ctx.tick()
            seen.append((ctx.get(dut.m1), ctx.get(dut.m2)))

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert seen[1 : k + 1] == [tuple(pair) for pair in pairs.tolist()]
