"""What was seen of signals, cycle by cycle."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from amaranth import Elaboratable, Value
from amaranth.hdl import ValueLike
from amaranth.sim import Simulator

from testbench.context import Context

__all__ = ["Diagram", "Drive", "Lane", "record"]


@dataclass(frozen=True)
class Lane:
    """A row of a diagram.

    Attributes
    ----------
    name : str
    seen : tuple of int or str
        The level of a wire, 0 or 1, or what is written into a box; "" where nothing is said.
    """

    name: str
    seen: tuple[int | str, ...]


@dataclass(frozen=True)
class Diagram:
    """What is drawn.

    Attributes
    ----------
    groups : mapping of str to tuple of Lane
        The rows, by what they belong to.
    first : int
        The number of the first cycle.
    step : int
        A number stands at each cycle that it divides.
    dense : bool
        Whether cycles are drawn narrow, and no clock.
    """

    groups: Mapping[str, tuple[Lane, ...]]
    first: int = 0
    step: int = 1
    dense: bool = False

    def lane(self, name: str) -> tuple[int | str, ...]:
        """Return what was seen in the row of a name."""
        return next(
            lane.seen for lanes in self.groups.values() for lane in lanes if lane.name == name
        )


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
