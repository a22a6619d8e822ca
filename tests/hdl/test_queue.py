"""A queue against a list of flits."""

import random
from dataclasses import dataclass, field

import pytest
from amaranth.sim import Simulator

from hdl.queue import Queue
from testbench.context import Context


@dataclass
class Flits:
    """The flits that are in, each with its way and whether it is a tail."""

    depth: int
    inside: list[tuple[int, bool]] = field(default_factory=list)
    came: int = 0
    gone: int = 0
    head: bool = True
    way: int = 0  # of the packet whose head has gone, and whose tail has not

    def seen(self) -> dict[str, int]:
        """Return what can be seen; of a flit only if there is one."""
        seen = {
            "newest": self.came % self.depth,
            "oldest": self.gone % self.depth,
            "full": len(self.inside) == self.depth,
            "waits": len(self.inside) > 0,
        }
        if not self.head:
            seen["wants"] = self.way
        if self.inside:
            way, tail = self.inside[0]
            seen |= {"head": self.head, "last": tail, "wants": way if self.head else self.way}
        return seen

    def step(self, arriving: tuple[int, bool] | None, *, goes: bool) -> None:
        if goes:
            way, tail = self.inside.pop(0)
            self.way, self.head = way if self.head else self.way, tail
            self.gone += 1
        if arriving is not None:
            self.inside.append(arriving)
            self.came += 1


def run(depth: int, outputs: int, choices: list[tuple[float, float]], seed: int) -> int:
    """Push and pop at random, by a probability of each; return the flits that went through."""
    rng, queue, golden = random.Random(seed), Queue(depth=depth, outputs=outputs), Flits(depth)

    async def bench(ctx: Context) -> None:
        for cycle, (push, pop) in enumerate(choices):
            for name, value in golden.seen().items():
                assert ctx.get(getattr(queue, name)) == value, (cycle, name)
            arriving = None
            if len(golden.inside) < depth and rng.random() < push:
                way = rng.choice([0, *(1 << i for i in range(outputs))])
                arriving = way, rng.random() < 0.4
            goes = bool(golden.inside) and rng.random() < pop
            ctx.set(queue.arrives, arriving is not None)
            # What is not written means nothing.
            way, tail = arriving or (rng.getrandbits(outputs), rng.random() < 0.5)
            ctx.set(queue.way, way)
            ctx.set(queue.tail, tail)
            ctx.set(queue.goes, goes)
            golden.step(arriving, goes=goes)
            await ctx.tick()

    simulator = Simulator(queue)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return golden.gone


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 7, 8])
@pytest.mark.parametrize("outputs", [1, 3, 5])  # one-hot in memory, and as a number
def test_keeps_flits_and_ways_like_a_list(depth: int, outputs: int) -> None:
    moods = [(0.9, 0.3), (0.3, 0.9), (0.6, 0.6), (1, 1), (1, 0), (0, 1)]
    choices = [mood for mood in moods for _ in range(150)]
    assert run(depth, outputs, choices, seed=depth * outputs) > 150
