"""Bytes through a component of hdl.link.frame, with stalls, and the same through its twin."""

import random
from collections.abc import Callable, Iterable
from typing import Any

from amaranth.sim import Simulator

from fingerpost.golden.link.frame import Token
from fingerpost.testbench.context import Context

PERIOD = 1e-6
LIMIT = 20000
"""Clocks after which a bench gives up: nothing comes out any more."""


def as_token(payload: Any) -> Token:
    """Return a token of the hardware; the data of an end mean nothing."""
    last = bool(payload.last)
    return Token(0 if last else payload.data, last, bool(payload.bad))


def transfers(
    component: Any,
    items: Iterable[Any],
    *,
    expected: int,
    stalls: tuple[float, float] = (0.0, 0.0),
    seed: int = 0,
    resets: Callable[[Context, int], None] = lambda _ctx, _clock: None,
) -> tuple[list[Any], int]:
    """Return what comes out of `o` when the items go into `i`, and the clocks it took.

    Parameters
    ----------
    expected : int
        Stop this many items later, after a few more clocks to see that nothing else comes.
    stalls : (giver, taker)
        The probability of a clock in which either does nothing.
    resets : callable
        Called before each clock edge, to drive other inputs.
    """
    seen: list[Any] = []
    used = 0

    async def bench(ctx: Context) -> None:
        nonlocal used
        rng, waiting, valid, settle = random.Random(seed), list(items)[::-1], False, 0
        for clock in range(LIMIT):
            valid = bool(waiting) and (valid or rng.random() >= stalls[0])
            ctx.set(component.i.valid, valid)
            if valid:
                ctx.set(component.i.payload, waiting[-1])
            ctx.set(component.o.ready, rng.random() >= stalls[1])
            resets(ctx, clock)
            *_, took, gave, payload = (
                await ctx.tick()
                .sample(component.i.ready)
                .sample(component.o.valid & component.o.ready)
                .sample(component.o.payload)
            )
            if valid and took:
                waiting.pop()
                valid = False
            if gave:
                seen.append(payload)
                used = clock + 1
            settle += len(seen) >= expected and not waiting
            if settle > 10:
                return
        raise TimeoutError(f"{len(seen)} of {expected} items in {LIMIT} clocks")

    simulator = Simulator(component)
    simulator.add_clock(PERIOD)
    simulator.add_testbench(bench)
    simulator.run()
    return seen, used
