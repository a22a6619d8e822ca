from amaranth.sim import Simulator

from fingerpost.golden.algebra import chance
from fingerpost.hdl.lib.chance import Chance


def test_state_is_that_of_golden_in_every_cycle() -> None:
    dut = Chance()

    async def bench(ctx):  # type: ignore[no-untyped-def]
        state = chance.SEED
        for _ in range(100):
            assert ctx.get(dut.state) == state
            state = chance.advance(state)
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
