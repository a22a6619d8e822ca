"""A virtual-channel buffer against a list of flits."""

import random
from dataclasses import dataclass, field

import pytest
from amaranth.sim import Simulator

from fingerpost.hdl.router.vc_buffer import VcBuffer
from fingerpost.testbench.context import Context


@dataclass
class Flits:
    """The flits that are in, each with its route and whether it is a tail."""

    depth: int
    inside: list[tuple[int, bool]] = field(default_factory=list)
    came: int = 0
    gone: int = 0
    head: bool = True
    route: int = 0  # of the packet whose head has gone, and whose tail has not

    def seen(self) -> dict[str, int]:
        """Return what can be seen; of a flit only if there is one."""
        seen = {
            "write_ptr": self.came % self.depth,
            "read_ptr": self.gone % self.depth,
            "full": len(self.inside) == self.depth,
            "valid": len(self.inside) > 0,
        }
        if not self.head:
            seen["request"] = self.route
        if self.inside:
            route, tail = self.inside[0]
            seen |= {"head": self.head, "tail": tail, "request": route if self.head else self.route}
        return seen

    def step(self, arriving: tuple[int, bool] | None, *, goes: bool) -> None:
        if goes:
            route, tail = self.inside.pop(0)
            self.route, self.head = route if self.head else self.route, tail
            self.gone += 1
        if arriving is not None:
            self.inside.append(arriving)
            self.came += 1


def run(depth: int, outputs: int, choices: list[tuple[float, float]], seed: int) -> int:
    """Push and pop at random, by a probability of each; return the flits that went through."""
    rng, buffer, golden = random.Random(seed), VcBuffer(depth=depth, outputs=outputs), Flits(depth)

    async def bench(ctx: Context) -> None:
        for cycle, (push, pop) in enumerate(choices):
            for name, value in golden.seen().items():
                assert ctx.get(getattr(buffer, name)) == value, (cycle, name)
            arriving = None
            if len(golden.inside) < depth and rng.random() < push:
                route = rng.choice([0, *(1 << i for i in range(outputs))])
                arriving = route, rng.random() < 0.4
            goes = bool(golden.inside) and rng.random() < pop
            ctx.set(buffer.push, arriving is not None)
            # What is not written means nothing.
            route, tail = arriving or (rng.getrandbits(outputs), rng.random() < 0.5)
            ctx.set(buffer.push_route, route)
            ctx.set(buffer.push_tail, tail)
            ctx.set(buffer.pop, goes)
            golden.step(arriving, goes=goes)
            await ctx.tick()

    simulator = Simulator(buffer)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return golden.gone


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 7, 8])
@pytest.mark.parametrize("outputs", [1, 3, 5])  # one-hot in memory, and as a number
def test_keeps_flits_and_routes_like_a_list(depth: int, outputs: int) -> None:
    moods = [(0.9, 0.3), (0.3, 0.9), (0.6, 0.6), (1, 1), (1, 0), (0, 1)]
    choices = [mood for mood in moods for _ in range(150)]
    assert run(depth, outputs, choices, seed=depth * outputs) > 150
