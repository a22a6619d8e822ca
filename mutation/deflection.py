"""Deflection routers as what is mutated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from amaranth.lib import wiring

from fingerpost.golden.network.deflection import DeflectionNetwork, build_deflection
from fingerpost.hdl.deflection.router import DeflectionRouter
from fingerpost.hdl.emit.network import node_names, router_names
from mutation.equivalent import equivalent
from mutation.mutated import SPARE, Mutated
from mutation.subject import Subject, Trial
from mutation.surroundings import neighbours
from mutation.whole import whole

__all__ = ["DeflectionRouters"]

QUIET: dict[str, Any] = {"cycles": 600, "load": 0.3, "malformed": 0.05, "stall": 0.1}
FULL: dict[str, Any] = {"cycles": 1200, "load": 1.0, "malformed": 0.02, "stall": 0.1, "seed": 1}
HOT: dict[str, Any] = {
    "cycles": 1200,
    "load": 0.9,
    "traffic": "hotspot:nodes=0;1,share=0.6",
    "stall": 0.5,
    "seed": 2,
}
"""So that terminals wait, and stop others."""

WRONG: dict[str, Any] = {"cycles": 800, "load": 0.8, "malformed": 0.9, "seed": 3}
"""So that counters of errors are full."""


@dataclass(frozen=True)
class DeflectionRouters(Subject):
    """The routers of a network in it; their tables are as they are.

    Attributes
    ----------
    description : mapping
        The network, as `fingerpost.golden.network.deflection.build_deflection` takes it.
    stimuli : tuple of mappings
        The turns of the bench.
    """

    of: ClassVar[str] = "deflection "
    around: ClassVar[str] = "deflection router"
    description: Mapping[str, Any]
    within: str = ""
    stimuli: tuple[Mapping[str, Any], ...] = (QUIET, FULL, HOT, WRONG)
    spare: float = SPARE

    @property
    def name(self) -> str:  # type: ignore[override]
        """Return the name of the network."""
        return str(self.description["name"])

    @property
    def module(self) -> str:  # type: ignore[override]
        """Return the name of the router of the first kind of nodes."""
        return router_names(self.network)[self.network.topology.node_types[0]]

    @cached_property
    def network(self) -> DeflectionNetwork:
        """The network."""
        return build_deflection(self.description)

    def component(self) -> wiring.Component:
        """Return a router."""
        return DeflectionRouter(self.network, self.network.topology.node_types[0])

    def trials(self, mutated: Mutated, cache: Path) -> Sequence[Trial]:
        """Return the network."""
        node = node_names(self.network)[self.network.topology.node_types[0]]
        return [whole(self.network, self.module, mutated, self.stimuli, cache=cache, node=node)]

    def equivalent(self, mutated: Mutated, number: int, cache: Path) -> bool | None:
        """Return whether a mutant is the same: whatever arrives and the table says, or in it."""
        verilog, module = mutated.verilog, self.module
        if equivalent(verilog, module, number, cache=cache):
            return True
        around = neighbours(self.network, self.network.topology.node_types[0])
        return equivalent(verilog, module, number, cache=cache, around=around)
