"""Decisions of the routing unit: every one, or routes made of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from fingerpost.hdl.emit.verilog import module_verilog
from fingerpost.hdl.lib.ports import identifier
from fingerpost.hdl.routing import header_generator, routing_unit
from fingerpost.testbench.benches.bench import OfNetwork
from fingerpost.testbench.sources import no_inline, unit_bench

COPIES = {20_000: 128, 100_000: 32}
"""Decisions in one access, by the greatest length of a unit's Verilog: cocotb's cost is
per access, hardly per bit, but simulators compile each copy by itself."""

FEWEST_COPIES = 8
"""For units that are longer still."""


@dataclass(frozen=True)
class UnitSources(OfNetwork):
    """Routing units side by side, each behind its header generator."""

    top: ClassVar[str] = "unit_bench"
    counted: ClassVar[str] = "decisions"

    def modules(self) -> dict[str, str]:
        """Return header generator and unit."""
        name = identifier(self.network.name)
        return {
            "unit.v": module_verilog(routing_unit(self.network.routing), f"{name}_unit"),
            "header_generator.v": module_verilog(
                header_generator(self.network.routing), f"{name}_header_generator"
            ),
            "bench.vlt": no_inline(f"{name}_unit", f"{name}_header_generator"),
        }

    def sources(self) -> dict[str, str]:
        """Return header generator, unit, and as many of both as simulators compile soon."""
        texts = self.modules()
        length = sum(map(len, texts.values()))
        copies = next((count for most, count in COPIES.items() if length <= most), FEWEST_COPIES)
        return texts | {"bench.v": unit_bench(self.network, copies)}


@dataclass(frozen=True, kw_only=True)
class UnitBench(UnitSources):
    """The decisions of all nodes, or of some of them.

    Attributes
    ----------
    nodes : int, optional
        Ask only so many, drawn by the seed.
    """

    level: ClassVar[str] = "unit"
    nodes: int | None = None


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
class PathBench(UnitSources):
    """Routes chained hop by hop.

    Attributes
    ----------
    start, end : sequences of int, optional
        The nodes at which routes start and end; by default they start at all terminals of a small
        network, or the first of each orbit, and end at all.
    """

    level: ClassVar[str] = "path"
    facts: ClassVar[tuple[str, ...]] = ("routes", "mean_hops", "max_hops")
    start: Sequence[int] | None = None
    end: Sequence[int] | None = None
