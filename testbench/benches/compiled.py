"""Compiled: a whole network, its routers each alone, or its routing units."""

from dataclasses import dataclass
from typing import ClassVar

from fingerpost.hdl.emit.network import router_names
from fingerpost.hdl.emit.verilog import module_verilog, router
from fingerpost.testbench.benches.deflection_unit import DeflectionUnitBench
from fingerpost.testbench.benches.network import NetworkBench
from fingerpost.testbench.benches.router import RouterBench, alone_bench, alone_network
from fingerpost.testbench.benches.unit import UnitBench
from fingerpost.testbench.sources import unit_bench

__all__ = [
    "AnyCompiledBench",
    "CompiledBench",
    "CompiledDeflectionUnitBench",
    "CompiledRouterBench",
    "CompiledUnitBench",
]


@dataclass(frozen=True, kw_only=True)
class CompiledUnitBench(UnitBench):
    """The same as `UnitBench`, question by question, without cocotb; many units are one vector."""

    engine: ClassVar[str] = "compiled"

    def sources(self) -> dict[str, str]:
        """Return header generator and unit, one of each."""
        return {name: text for name, text in self.modules().items() if name.endswith(".v")} | {
            "bench.v": unit_bench(self.network, 1)
        }


@dataclass(frozen=True, kw_only=True)
class CompiledDeflectionUnitBench(DeflectionUnitBench):
    """The same as `DeflectionUnitBench`, cycle by cycle, without cocotb; all nodes are tried."""

    engine: ClassVar[str] = "compiled"
    most: ClassVar[int | None] = None


@dataclass(frozen=True, kw_only=True)
class CompiledBench(NetworkBench):
    """The same as `NetworkBench`, cycle by cycle and packet by packet, without cocotb.

    Each kind of node is compiled once. `testbench.compiled` steps the nodes, copies the links
    between them, and compares.

    Attributes
    ----------
    lines : bool
        Whether to tell which lines of the Verilog are gone through, and which bits change.
    """

    lines: bool = False
    engine: ClassVar[str] = "compiled"
    facts: ClassVar[tuple[str, ...]] = (
        *NetworkBench.facts,
        "model_cpu_seconds",
        "hardware_cpu_seconds",
        "lines",
    )


@dataclass(frozen=True, kw_only=True)
class CompiledRouterBench(RouterBench):
    """The routers of all nodes, each alone, in lock-step with the model.

    What comes over their links is made up: any header, malformed packets too, on all channels, with
    back-pressure. Everything that comes out is compared in every cycle, and every counter. Every
    few hundred cycles there is a reset, in the middle of it all.

    Attributes
    ----------
    lines : bool
        As of `CompiledBench`.
    """

    lines: bool = False
    engine: ClassVar[str] = "compiled"
    facts: ClassVar[tuple[str, ...]] = (
        *("flits", "errors", "overruns", "covered", "coverable", "missing"),
        *("model_cpu_seconds", "hardware_cpu_seconds", "lines"),
    )

    def sources(self) -> dict[str, str]:
        """Return the routers side by side."""
        modules = router_names(self.network)
        return {
            **{
                f"{name}.v": module_verilog(router(self.network, node_type), name)
                for node_type, name in modules.items()
            },
            "network.v": alone_network(self.network),
            "bench.v": alone_bench(self.network),
        }


AnyCompiledBench = (
    CompiledBench | CompiledRouterBench | CompiledUnitBench | CompiledDeflectionUnitBench
)
"""All that `fingerpost.testbench.compiled` runs."""
