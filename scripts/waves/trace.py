"""Simulate hardware, and note what its signals are, cycle by cycle."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from amaranth import Elaboratable, Value
from amaranth.hdl import ValueLike
from amaranth.sim import Simulator

from testbench.context import Context

__all__ = ["Drive", "record"]


class Drive(Protocol):
    """What stands around the hardware."""

    def __call__(self, cycle: int, get: Callable[[ValueLike], Any]) -> Iterator[tuple[Any, Any]]:
        """Return what inputs are in a cycle; `get` tells what other signals are in it."""


def record(
    hardware: Elaboratable, drive: Drive, watch: Mapping[str, ValueLike], cycles: int
) -> dict[str, list[int]]:
    """Simulate the hardware, and return what each signal was in each cycle, after a reset."""
    seen: dict[str, list[int]] = {name: [] for name in watch}

    async def bench(ctx: Context) -> None:
        for cycle in range(cycles):
            for signal, value in drive(cycle, ctx.get):
                ctx.set(signal, value)
            for name, signal in watch.items():
                seen[name].append(ctx.get(Value.cast(signal)))
            await ctx.tick()

    simulator = Simulator(hardware)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return seen
