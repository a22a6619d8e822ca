"""Nodes of networks as what is mutated, in lock-step with their models.

All mutants of a router are in one module, which all nodes have; the model runs once. Each mutant
runs in a process of its own, up to the first difference: in the network, then in routers alone.
"""

import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, cast

from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.emit.routers import node, node_names, node_straps
from fingerpost.testbench.benches import make
from fingerpost.testbench.benches.bench import LockStepBench
from fingerpost.testbench.benches.router_script import ALL_TURNS
from fingerpost.testbench.compiled.assembly import Assembly
from fingerpost.testbench.compiled.lock_step import recorded
from fingerpost.testbench.compiled.plan import Words
from fingerpost.testbench.compiled.wiring import CONSTANT, Slice
from fingerpost.testbench.lock_step import Layout
from mutation.campaign import Hunt, Killed, Subject, digest, forked, sources
from mutation.equivalent import equivalent, lemmas, packets
from mutation.mutated import SELECTOR, SPARE, WIDTH, Mutant, Mutated, mutate

Turn = tuple[Words, Words]
"""What is given, and what is expected in each cycle after a reset."""

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


def selectable(sources: Mapping[str, str], module: str, verilog: str) -> dict[str, str]:
    """Return the sources of a bench with a module that has a selector in place of one.

    Raises
    ------
    ValueError
        If the module stands nowhere.
    """
    found = {**sources, f"{module}.v": verilog}
    joined = rf"\g<1>\n    .{SELECTOR}({WIDTH}'d0), "
    stands = re.compile(rf"^(  {module} (?:#\(.*\) )?node_\d+\(.*)\n", re.MULTILINE)
    found["network.v"], nodes = stands.subn(joined, sources["network.v"])
    if not nodes:
        raise ValueError(f"Mutants need nodes of module {module}, and there is none")
    return found


@dataclass(frozen=True)
class Trial:
    """A bench, compiled with all mutants of a module, and all that its model says."""

    name: str
    assembly: Assembly
    turns: Sequence[Turn]

    @classmethod
    def of(
        cls,
        name: str,
        sources: Mapping[str, str],
        turns: Iterable[Turn],
        layout: Layout,
        *,
        cache: Path,
    ) -> "Trial":
        """Compile what `selectable` returns, into a folder that is kept; see `Assembly.of`."""
        with tempfile.TemporaryDirectory() as scratch:
            paths = [Path(scratch) / file for file in sources]
            for path, text in zip(paths, sources.values(), strict=True):
                path.write_text(text)
            assembly = Assembly.of(paths, cache, layout)
        return cls(name, assembly, list(turns))

    def run(self, number: int) -> int | None:
        """Return the cycle of the first difference with a mutant, of all turns; or nothing.

        All nodes of the module have it. Number 0 is the hardware as it is.
        """
        plan = self.assembly.plan
        for place in plan.sources:
            if place[1] == SELECTOR:
                plan.sources[place] = [Slice(CONSTANT, number, WIDTH)]
        hardware, cycles = self.assembly.hardware(), 0
        try:
            for given, expected in self.turns:
                hardware.reset()
                done, _ = hardware.run(given, expected)
                cycles += done
                if done < len(given):
                    return cycles
        finally:
            hardware.close()
        return None


def alone(network: Network, module: str, mutated: Mutated, *, routers: int, cache: Path) -> Trial:
    """Return the bench of routers alone, with all that the model says.

    Parameters
    ----------
    module : str
        What is mutated.
    routers : int
        A network of fewer routers is tried for longer.

    Raises
    ------
    BenchError
        If something does not compile.
    """
    cycles = ALL_TURNS * max(1, routers // network.topology.nodes)
    stimuli = [{"cycles": cycles}]
    return in_level(network, "router", module, mutated, stimuli, cache=cache)


def in_level(
    network: Network,
    level: str,
    module: str,
    mutated: Mutated,
    stimuli: Sequence[Mapping[str, Any]],
    *,
    cache: Path,
) -> Trial:
    """Return the bench of a level, with all that the model says.

    Parameters
    ----------
    module : str
        What is mutated.
    stimuli : sequence of mappings
        The options of the bench, for each run.

    Raises
    ------
    BenchError
        If something does not compile.
    """
    benches = [make(network, level, engine="compiled", **stimulus) for stimulus in stimuli]
    turns = (turn for bench in benches for turn in recorded(cast(LockStepBench, bench)))
    sources = selectable(benches[0].sources(), module, mutated.text)
    layout = cast(LockStepBench, benches[0]).script().layout
    return Trial.of(level, sources, turns, layout, cache=cache)


@dataclass(frozen=True)
class Nodes(Subject):
    """The most frequent kind of nodes of a network, in it and alone."""

    description: Mapping[str, Any]
    """The network, as `fingerpost.golden.network.network.build` takes it."""
    within: str = ""
    """Only cells whose name matches this pattern are mutated."""
    spare: float = SPARE
    """As of `mutation.mutated.mutate`: more where `within` leaves out many."""
    stimuli: tuple[Mapping[str, Any], ...] = (QUIET, FULL, RUDE)
    """The turns of the bench of the network."""
    routers: int = 64
    """How many isolated routers there are at least, one run after the other."""

    @property
    def name(self) -> str:
        """Return the name of the network."""
        return str(self.description["name"])

    def part(self, mutant: Mutant) -> str:
        """Return the name of the component that has a mutant."""
        return mutant.component or "router, around them"

    def hunt(self, *, count: int, seed: int, cache: Path) -> "NodeHunt":
        """Return the mutants before the benches, which are compiled when they are needed."""
        mutated = mutate(
            node(self.network),
            self.module,
            count=count,
            seed=seed,
            within=self.within,
            spare=self.spare,
        )
        return NodeHunt(self, mutated, cache)

    @property
    def module(self) -> str:
        """Return the name of the most frequent kind of nodes."""
        return node_names(self.network)[self.network.topology.node_types[0]]

    @cached_property
    def network(self) -> Network:
        """The network."""
        return build(self.description)

    def trials(self, mutated: Mutated, cache: Path) -> Sequence[Trial]:
        """Return the network, and all routers alone."""
        return [
            in_level(self.network, "network", self.module, mutated, self.stimuli, cache=cache),
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
            mutated.text,
            self.module,
            number,
            depth=network.buffer_depth,
            constants=[dict(zip(("straps", "increments"), pair, strict=True)) for pair in places],
            around=packets(network, list(places.values())),
            lemmas=lemmas(mutated.text, moving=network.lanes.spare),
            cache=cache,
        )


class NodeHunt(Hunt):
    """The benches of a subject before its mutants."""

    def __init__(self, subject: Nodes, mutated: Mutated, cache: Path) -> None:
        self.subject, self.mutated, self.cache = subject, mutated, cache
        self.mutants = mutated.mutants

    @property
    def digest(self) -> str:
        """Of the hardware, the stimuli, and the sources of benches and model."""
        parts = self.mutated.text, repr(self.subject), sources("golden", "hdl", "testbench")
        return digest(parts)

    @cached_property
    def trials(self) -> Sequence[Trial]:
        """The benches."""
        return self.subject.trials(self.mutated, self.cache)

    def kill(self, number: int) -> Killed | None:
        """Return the first bench that differs from its model."""
        return first(self.trials, number)

    def equivalent(self, number: int) -> bool | None:
        """Return whether a mutant is the same as the hardware; nothing if time was up."""
        return self.subject.equivalent(self.mutated, number, self.cache)


def first(trials: Sequence[Trial], number: int) -> Killed | None:
    """Return the first bench that differs from its model with a mutant, or nothing."""
    for trial in trials:
        found = forked(partial(trial.run, number))
        if found is not None:
            return Killed(trial.name, None if found < 0 else found)
    return None
