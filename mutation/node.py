"""Nodes of a network, and deflection routers, as what is mutated."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from amaranth.lib import wiring

from fingerpost.golden.network.deflection import DeflectionNetwork, build_deflection
from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.deflection.router import DeflectionRouter
from fingerpost.hdl.emit.routers import node, node_names, node_straps, router_names
from mutation.equivalent import equivalent
from mutation.mutated import SPARE, Mutated
from mutation.subject import Subject, Trial
from mutation.surroundings import lemmas, neighbours, packets
from mutation.whole import alone, whole

QUIET: dict[str, Any] = {"cycles": 800, "load": 0.4, "malformed": 0.05, "lengths": (1, 3)}
FULL: dict[str, Any] = {"cycles": 800, "load": 0.95, "lengths": (1, 6), "stall": 0.1, "seed": 1}
RUDE: dict[str, Any] = {"cycles": 300, "load": 0.5, "surplus": 2, "seed": 2}

SPARSE: dict[str, Any] = {"cycles": 600, "load": 0.3, "malformed": 0.05, "stall": 0.1}
CROWDED: dict[str, Any] = {"cycles": 1200, "load": 1.0, "malformed": 0.02, "stall": 0.1, "seed": 1}
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
class Nodes(Subject):
    """The nodes of a network, in it and alone.

    Attributes
    ----------
    description : mapping
        The network, as `fingerpost.golden.network.network.build` takes it.
    stimuli : tuple of mappings
        The turns of the bench of the network.
    routers : int
        How many isolated routers there are at least, one run after the other.
    spare : float
    """

    description: Mapping[str, Any]
    within: str = ""
    stimuli: tuple[Mapping[str, Any], ...] = (QUIET, FULL, RUDE)
    routers: int = 64
    spare: float = SPARE

    @property
    def name(self) -> str:  # type: ignore[override]
        """Return the name of the network."""
        return str(self.description["name"])

    @property
    def module(self) -> str:  # type: ignore[override]
        """Return the name of the most frequent kind of nodes."""
        return node_names(self.network)[self.network.topology.node_types[0]]

    @cached_property
    def network(self) -> Network:
        """The network."""
        return build(self.description)

    def component(self) -> wiring.Component:
        """Return a node."""
        return node(self.network)

    def trials(self, mutated: Mutated, cache: Path) -> Sequence[Trial]:
        """Return the network, and all routers alone."""
        return [
            whole(self.network, self.module, mutated, self.stimuli, cache=cache),
            alone(self.network, self.module, mutated, routers=self.routers, cache=cache),
        ]

    def equivalent(self, mutated: Mutated, number: int, cache: Path) -> bool | None:
        """Return whether a mutant is the same at each of the nodes, between its neighbours."""
        network, names = self.network, node_names(self.network)
        places = defaultdict[tuple[int, int], list[int]](list)
        for place, node_type in enumerate(network.topology.node_type):
            if names[node_type] == self.module:
                places[node_straps(network, place)].append(place)
        return equivalent(
            mutated.verilog,
            self.module,
            number,
            depth=network.buffer_depth,
            constants=[dict(zip(("straps", "increments"), pair, strict=True)) for pair in places],
            around=packets(network, list(places.values())),
            lemmas=lemmas(mutated.verilog, moving=network.lanes.spare),
            cache=cache,
        )


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
    stimuli: tuple[Mapping[str, Any], ...] = (SPARSE, CROWDED, HOT, WRONG)
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
