"""A component alone beside its model, as what is mutated."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from amaranth.lib import wiring

from fingerpost.testbench.packing import Columns
from fingerpost.testbench.terminals.stimulus import Ports, Stimulus
from mutation.lanes import InLanes, Lanes
from mutation.mutated import Mutant
from mutation.subject import Turn

__all__ = ["Beside"]

LANES = 16


@dataclass(frozen=True)
class Beside(InLanes):
    """A component behind registers, and its model, many times, each in surroundings of its own.

    Attributes
    ----------
    kind : str
        What stands before the names of its components.
    stimulus : callable
        Returns the component, and what goes in and comes out, by a seed.
    turns : tuple of int
        Clocks after each reset.
    """

    name: str
    kind: str
    stimulus: Callable[..., Stimulus]
    turns: tuple[int, ...]
    within: str = r"^inner\.(?!port)"  # contracts have the ports of buses
    module: str = field(default="beside", init=False)
    count = 200
    lanes = LANES

    def part(self, mutant: Mutant) -> str:
        """Return the name of the component that has a mutant."""
        inner = (mutant.component or "").removeprefix("inner").lstrip(".")
        return f"{self.kind}, {inner}" if inner else self.kind

    def component(self) -> wiring.Component:
        """Return the component behind registers."""
        return self.stimulus(seed=0).component()

    def _turns(self, lanes: Lanes) -> Iterator[Turn]:
        for turn, long in enumerate(self.turns):
            several = [self.stimulus(seed=turn * LANES + lane) for lane in range(LANES)]
            clocks = [[each.clock() for each in several] for _ in range(long)]
            given = [_columns([each[0] for each in clock], lanes.inputs) for clock in clocks]
            seen = [_columns([each[1] for each in clock], lanes.outputs) for clock in clocks]
            first = _columns([each.after_reset for each in several], lanes.outputs)
            yield lanes.words(given, [first, *seen[:-1]])  # what goes in comes a clock later


def _columns(lanes: Sequence[Ports], fields: Any) -> Columns:
    """Return the values of ports by lane; those that are not given are 0."""
    return {
        name: np.array([ports.get(name, 0) for ports in lanes], np.uint64).astype(np.int64)
        for name, _ in fields
    }
