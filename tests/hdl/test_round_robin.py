import pytest
from amaranth import Elaboratable, Module, Signal
from amaranth.sim import Simulator

from hdl.round_robin import next_after
from testbench.context import Context


class Turn(Elaboratable):
    """Whose turn it is, on signals that a test can drive."""

    def __init__(self, width: int) -> None:
        self.last, self.requests, self.turn = (Signal(width) for _ in range(3))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.turn.eq(next_after(m, "test", self.last, self.requests))
        return m


def around(width: int, last: int | None, requests: set[int]) -> int | None:
    """Walk around from the one after `last`, or from the first."""
    start = 0 if last is None else last + 1
    for step in range(width):
        if (start + step) % width in requests:
            return (start + step) % width
    return None


@pytest.mark.parametrize("width", range(1, 7))
def test_every_pattern(width: int) -> None:
    turn = Turn(width)

    async def bench(ctx: Context) -> None:
        for last in (None, *range(width)):
            ctx.set(turn.last, 0 if last is None else 1 << last)
            for pattern in range(1 << width):
                ctx.set(turn.requests, pattern)
                await ctx.delay(1e-9)
                expected = around(width, last, {i for i in range(width) if pattern >> i & 1})
                seen = ctx.get(turn.turn)
                assert seen == (0 if expected is None else 1 << expected), (last, pattern)

    simulator = Simulator(turn)
    simulator.add_testbench(bench)
    simulator.run()
