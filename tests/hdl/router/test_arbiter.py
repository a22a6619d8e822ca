import random
import re

import pytest

from fingerpost.hdl.router.arbiter import Arbiter
from fingerpost.testbench.context import Context
from tests.hdl.simulators import simulate


class LeastRecentlyGranted:
    """A list of the requesters, the least recently granted in front."""

    def __init__(self, requests: int) -> None:
        self.queue = list(range(requests))

    def grant(self, request: int) -> int:
        for requester in self.queue:
            if request >> requester & 1:
                self.queue.remove(requester)
                self.queue.append(requester)
                return 1 << requester
        return 0


def grants(requests: int, pattern: list[int]) -> list[int]:
    """Return what the arbiter grants, cycle by cycle."""
    arbiter = Arbiter(requests)
    seen: list[int] = []

    async def bench(ctx: Context) -> None:
        for request in pattern:
            ctx.set(arbiter.request, request)
            await ctx.delay(1e-8)  # let the grant settle, well before the edge
            seen.append(ctx.get(arbiter.grant))
            ctx.set(arbiter.update, seen[-1])
            await ctx.delay(9.9e-7)

    simulate(arbiter, bench)
    return seen


@pytest.mark.parametrize("requests", [1, 2, 3, 5, 8])
def test_grants_like_a_list(requests: int) -> None:
    rng = random.Random(requests)
    pattern = [
        sum((rng.random() < density) << i for i in range(requests))
        for density in (0.1, 0.5, 0.9)
        for _ in range(300)
    ]
    golden = LeastRecentlyGranted(requests)
    assert grants(requests, pattern) == [golden.grant(request) for request in pattern]


@pytest.mark.parametrize("requests", [0, -1])
def test_refuses_no_requests(requests: int) -> None:
    message = f"Arbiter needs at least 1 request, not {requests}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Arbiter(requests)
