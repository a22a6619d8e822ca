"""Routers, each joined with a bench and with no other."""

from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np
from amaranth.hdl import Shape
from amaranth.lib.wiring import In

from fingerpost.golden.arrays import IntArray
from fingerpost.hdl.emit.routers import (
    node_constants,
    router,
    router_names,
    routers,
    table_instance,
)
from fingerpost.hdl.emit.verilog import module_verilog
from fingerpost.hdl.lib.ports import Port, identifier, local_name
from fingerpost.testbench.benches.bench import LockStepBench, OfNetwork
from fingerpost.testbench.benches.router_script import RouterScript, router_layout
from fingerpost.testbench.sources import Isolated, isolated_bench


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
