import random

import pytest
from amaranth.sim import Simulator

from hdl.rounds import Rounds
from testbench.context import Context


class Round:
    """A round told as a rule: who has gone in it; it is over when nobody that waits has not."""

    def __init__(self) -> None:
        self.gone: set[int] = set()

    def step(self, waits: set[int], goes: int | None, *, head: bool) -> None:
        due = waits - self.gone - {goes}
        if not due:
            self.gone = set()
        elif head and goes is not None:
            self.gone.add(goes)


def run(sources: int, *, busy: float, credit: float, cycles: int, seed: int) -> dict[int, int]:
    """Compare with the rule; return how many packets each source has sent."""
    rng = random.Random(seed)
    dut, golden = Rounds(sources), Round()
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
            had = ctx.get(dut.had)
            assert had == sum(1 << k for k in golden.gone), cycle
            may = heads - golden.gone if inside is None else {inside} if left[inside] else set()
            goes = rng.choice(sorted(may)) if may and rng.random() < credit else None
            head = goes is not None and goes != inside
            ctx.set(dut.waits, sum(1 << k for k in heads))
            ctx.set(dut.goes, 1 << goes if head and goes is not None else 0)
            ctx.set(dut.begins, head)
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
    if busy == 1:  # all wait all the time: each once a round
        assert max(begun.values()) - min(begun.values()) <= 1


def test_refuses_no_sources() -> None:
    with pytest.raises(ValueError, match=r"^Rounds needs at least 1 source, not 0$"):
        Rounds(0)
