"""Routers in lock-step with the model, each joined with a bench and with no other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np
from amaranth.hdl import Shape
from amaranth.lib.wiring import In

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.counters import COUNTERS
from fingerpost.golden.engine.isolated import IsolatedRouters
from fingerpost.golden.link import Link
from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.printer import module_verilog
from fingerpost.hdl.emit.routers import (
    node_constants,
    router,
    router_names,
    routers,
    table_instance,
)
from fingerpost.hdl.lib.ports import Port, identifier, local_name
from fingerpost.testbench.benches.bench import LockStepBench, OfNetwork
from fingerpost.testbench.benches.coverage import Coverage
from fingerpost.testbench.benches.port_stimulus import FaultProfile, Headers, PortStimulus
from fingerpost.testbench.lock_step import END, Chunk, Group, Layout, Script, Turn, stacked
from fingerpost.testbench.packing import Columns
from fingerpost.testbench.sources import Isolated, isolated_bench, link_fields

TURNS = (
    (FaultProfile(), 400),
    (FaultProfile(raw=0.02), 400),
    (FaultProfile(raw=0.1, odd=0.02, surplus=0.02), 300),
    (FaultProfile(), 800),
    (FaultProfile(raw=0.3, odd=0.2, surplus=1.0), 1500),
)
"""What goes in after each reset, and for how many cycles; then the same with other seeds. There
are no errors, or a few, of which each is seen in the count, or more than can be counted."""

ALL_TURNS = sum(cycles for _, cycles in TURNS)


def router_layout(network: Network, nodes: IntArray) -> Layout:
    """Return what is given and seen of some nodes: links by node and port, then counters."""
    ports, fields = network.topology.all_ports, link_fields(network)
    links = Group(fields, nodes.tolist(), ports, Link.payload)
    counters = Group(tuple((c.name, c.width) for c in COUNTERS), nodes.tolist())
    return Layout(links.rows, fields, (links, counters))


class RouterTurn(Turn):
    """Routers after a reset, for so many cycles.

    Parameters
    ----------
    script : RouterScript
    stimulus : PortStimulus
        After the same reset.
    cycles : int
    """

    def __init__(self, script: "RouterScript", stimulus: PortStimulus, cycles: int) -> None:
        self.script, self.stimulus, self.cycles = script, stimulus, cycles
        self.routers, self.flits = IsolatedRouters(script.network), 0

    def chunk(self, most: int) -> Chunk:
        some = min(most, self.cycles - self.cycle)
        return stacked([self._cycle() for _ in range(some)]) if some else END

    def _cycle(self) -> tuple[Columns, Sequence[Columns]]:
        routers, script = self.routers, self.script
        seen, counts = routers.seen(), routers.counts()
        sent, returned = (_channels(seen[name], routers.channels) for name in ("valid", "credit"))
        given = self.stimulus.cycle(self.cycle, sent, returned)
        routers.give(given)
        script.coverage.step(routers, seen)
        self.cycle += 1
        given, shown = (
            {name: columns[name][script.rows] for name, _ in script.layout.given}
            for columns in (given, seen)
        )
        self.flits += int(np.count_nonzero(given["valid"]))
        return given, (shown, {name: column[script.nodes] for name, column in counts.items()})

    def report(self) -> dict[str, Any]:
        counts = self.routers.counts()
        errors = {name: int(column[self.script.nodes].sum()) for name, column in counts.items()}
        return {"flits": self.flits, **errors}


def _channels(masks: IntArray, channels: int) -> IntArray:
    """Return the bits of masks, as place * channels + channel."""
    place, channel = np.nonzero(masks[:, None] >> np.arange(channels) & 1)
    return place * channels + channel


class RouterScript(Script):
    """Routers after one reset after the other.

    What comes over their links is made up: any header, malformed packets too, on all channels, with
    back-pressure. Everything that comes out is compared in every cycle, and every counter. Every
    few hundred cycles there is a reset, in the middle of it all.

    Parameters
    ----------
    network : Network
    nodes : array
        Those whose routers there are; the model has all.
    cycles, seed : int

    Attributes
    ----------
    coverage : Coverage
        Of all turns so far.
    """

    def __init__(self, network: Network, nodes: IntArray, *, cycles: int, seed: int) -> None:
        self.network, self.nodes, self.cycles, self.seed = network, nodes, cycles, seed
        ports = network.topology.all_ports
        self.rows = (nodes[:, None] * ports + np.arange(ports)).ravel()
        self.layout = router_layout(network, nodes)
        self.headers = Headers(network, nodes, seed)
        asked = self.headers.node, self.headers.port, self.headers.pool
        self.coverage = Coverage(network, asked, nodes)

    def turns(self) -> Iterator[RouterTurn]:
        number = done = 0
        while done < self.cycles:
            profile, long = TURNS[number % len(TURNS)]
            stimulus = PortStimulus(self.network, self.headers, profile, 1000 * self.seed + number)
            yield RouterTurn(self, stimulus, min(long, self.cycles - done))
            number, done = number + 1, done + long

    def facts(self) -> dict[str, Any]:
        possible, missing = self.coverage.possible, self.coverage.missing
        return {
            "covered": len(possible) - len(missing),
            "coverable": len(possible),
            "missing": [str(key) for key in missing],
        }


@dataclass(frozen=True, kw_only=True)
class RouterBench(LockStepBench, OfNetwork):
    """The routers of all nodes if they are compiled, else that of one, which the seed chooses."""

    level: ClassVar[str] = "router"
    facts: ClassVar[tuple[str, ...]] = (
        *("flits", "errors", "overruns", "covered", "coverable", "missing"),
        *LockStepBench.facts,
    )
    cycles: int = 3000
    """In which packets are sent."""

    @property
    def nodes(self) -> IntArray:
        """Return the nodes whose routers there are."""
        nodes = np.arange(self.network.topology.nodes)
        return nodes if self.engine == "compiled" else nodes[[self.seed % len(nodes)]]

    def script(self) -> RouterScript:
        """Return what goes in at all ports of the routers, and what must come out."""
        return RouterScript(self.network, self.nodes, cycles=self.cycles, seed=self.seed)

    def sources(self) -> dict[str, str]:
        """Return the routers side by side."""
        network, nodes = self.network, self.nodes.tolist()
        topology, names, files = network.topology, router_names(network), dict[str, str]()
        local, found = topology.local, {}
        for node_type in {topology.node_type[node]: None for node in nodes}:
            component = router(network, node_type)
            files[f"{names[node_type]}.v"] = module_verilog(component, names[node_type])
            found[node_type] = [
                Port(
                    "__".join(map(str, path)),
                    "input" if member.flow is In else "output",
                    Shape.cast(member.shape).width,
                    "",
                )
                for path, member, _ in component.signature.flatten(component)
                if Shape.cast(member.shape).width
            ]
        isolated = []
        for place, node in enumerate(nodes):
            node_type, first = topology.node_type[node], place * topology.all_ports
            rows = {f"inputs__{port}": first + port for port in node_type.inputs}
            rows |= {f"outputs__{port}": first + port for port in node_type.outputs}
            for terminal, way in product(range(node_type.terminals), ("inject", "eject")):
                rows[local_name(way, terminal)] = first + local + terminal
            others, beside = node_constants(network, node), table_instance(network, node)
            isolated.append(
                Isolated(node, names[node_type], found[node_type], rows, others, beside)
            )
        tables = {f"{name}.v": text for name, text in routers(network).texts({}).items()}
        return (
            files
            | tables
            | isolated_bench(
                f"{identifier(network.name)}_isolated", isolated, router_layout(network, self.nodes)
            )
        )
