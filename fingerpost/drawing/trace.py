"""Simulate hardware and what stands around it, and note what signals are, cycle by cycle."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from amaranth import Elaboratable, Value
from amaranth.hdl import ValueLike
from amaranth.sim import Simulator

from fingerpost.testbench.context import Context

Get = Callable[[ValueLike], Any]
"""Returns the value of a signal."""


class Drive(Protocol):
    """What stands around the hardware."""

    def __call__(self, cycle: int, get: Get) -> Iterator[tuple[Any, Any]]:
        """Return the inputs of a cycle; `get` returns the value of any other signal."""


class Sender:
    """Sends flits into a port, on its first channel, as soon as there is a credit."""

    def __init__(self, end: Any, flits: Sequence[tuple[int, int, int]], credits: int) -> None:
        self.end, self.flits, self.credits = end, list(flits), credits
        self.counted: list[int] = []

    @property
    def sends(self) -> bool:
        """Return whether a flit goes in this cycle; none does in the first."""
        return bool(self.flits) and self.counted[-1] > 0 and len(self.counted) > 1

    def drive(self, get: Get) -> Iterator[tuple[Any, Any]]:
        """Send a flit, or none."""
        self.counted.append(self.credits)
        self.credits += get(self.end.credit)
        yield self.end.valid, int(sends := self.sends)
        if sends:
            self.credits -= 1
            yield self.end.flit, dict(zip(("head", "tail", "data"), self.flits.pop(0), strict=True))


class Receiver:
    """Takes flits from a port, and returns the credit of each some cycles after it arrived.

    Parameters
    ----------
    end : Any
        The port.
    wait : int
        The cycles.
    pace : int, optional
        Cycles from a place to the next at least; by default as many, so one flit at a time.
    """

    def __init__(self, end: Any, wait: int = 0, pace: int | None = None) -> None:
        self.end, self.wait, self.pace = end, wait, wait if pace is None else pace
        self.due: list[tuple[int, int]] = []

    def drive(self, cycle: int, get: Get) -> Iterator[tuple[Any, Any]]:
        """Take what comes, and give a credit back."""
        if channel := get(self.end.valid):
            after = [when + self.pace for when, _ in self.due[-1:]]
            self.due.append((max([cycle + self.wait, *after]), channel))
        back = bool(self.due) and self.due[0][0] <= cycle
        yield self.end.credit, self.due.pop(0)[1] if back else 0


def record(
    hardware: Elaboratable,
    drive: Drive,
    watch: Mapping[str, ValueLike],
    cycles: int,
    domain: str = "sync",
) -> dict[str, list[int]]:
    """Simulate the hardware, and return what each signal was in each cycle, after a reset.

    The cycles are those of one of its clock domains.
    """
    seen: dict[str, list[int]] = {name: [] for name in watch}

    async def bench(ctx: Context) -> None:
        for cycle in range(cycles):
            for signal, value in drive(cycle, ctx.get):
                ctx.set(signal, value)
            for name, signal in watch.items():
                seen[name].append(ctx.get(Value.cast(signal)))
            await ctx.tick(domain)

    simulator: Any = Simulator(hardware)
    simulator.add_clock(1e-6, domain=domain)
    simulator.add_testbench(bench)
    simulator.run()
    return seen
