import random

import pytest
from amaranth.sim import Simulator

from fingerpost.hdl.router.batch_arbiter import BatchArbiter
from fingerpost.testbench.context import Context


class Batch:
    """The rule of a batch: which sources are served; it ends when no other source waits."""

    def __init__(self) -> None:
        self.served: set[int] = set()

    def step(self, valid: set[int], granted: int | None, *, head: bool) -> None:
        pending = valid - self.served - {granted}
        if not pending:
            self.served = set()
        elif head and granted is not None:
            self.served.add(granted)


def run(sources: int, *, busy: float, credit: float, cycles: int, seed: int) -> dict[int, int]:
    """Compare with the rule; return how many packets each source has sent."""
    rng = random.Random(seed)
    dut, golden = BatchArbiter(sources), Batch()
    left = [0] * sources  # flits of the packet at the front
    inside: int | None = None
    begun = dict.fromkeys(range(sources), 0)

    async def bench(ctx: Context) -> None:
        nonlocal inside
        for cycle in range(cycles):
            for k in range(sources):
                if not left[k] and rng.random() < busy:
                    left[k] = rng.choice((1, 1, 2, 5))
            heads = {k for k in range(sources) if left[k] and k != inside}
            served = ctx.get(dut.served)
            assert served == sum(1 << k for k in golden.served), cycle
            may = heads - golden.served if inside is None else {inside} if left[inside] else set()
            goes = rng.choice(sorted(may)) if may and rng.random() < credit else None
            head = goes is not None and goes != inside
            ctx.set(dut.valid, sum(1 << k for k in heads))
            ctx.set(dut.granted, 1 << goes if head and goes is not None else 0)
            ctx.set(dut.starts, head)
            golden.step(heads, goes, head=head)
            if goes is not None:
                begun[goes] += head
                left[goes] -= 1
                inside = goes if left[goes] else None
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return begun


@pytest.mark.parametrize("sources", [1, 2, 3, 5, 9])
@pytest.mark.parametrize(("busy", "credit"), [(1, 1), (1, 0.3), (0.3, 0.9), (0.6, 0.5)])
def test_follows_the_rule(sources: int, busy: float, credit: float) -> None:
    begun = run(sources, busy=busy, credit=credit, cycles=800, seed=sources)
    if busy == 1:  # all wait all the time: each once a batch
        assert max(begun.values()) - min(begun.values()) <= 1


def test_refuses_no_sources() -> None:
    with pytest.raises(ValueError, match=r"^BatchArbiter needs at least 1 source, not 0$"):
        BatchArbiter(0)
