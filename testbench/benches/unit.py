"""Decisions of routing units: every one, or routes made of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from fingerpost.hdl.emit.verilog import module_verilog
from fingerpost.hdl.lib.ports import identifier
from fingerpost.hdl.routing import header_generator, routing_unit
from fingerpost.testbench.benches.bench import OfNetwork
from fingerpost.testbench.sources import no_inline, unit_bench

UNIT_TESTS = "fingerpost.testbench.benches.unit_cocotb"
"""The module with the cocotb tests of these benches."""

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

    def sources(self) -> dict[str, str]:
        """Return header generator, unit, and as many of both as simulators compile soon.

        There is one of each if they are compiled.
        """
        name = identifier(self.network.name)
        makers = {"unit": routing_unit, "header_generator": header_generator}
        texts = {
            f"{what}.v": module_verilog(maker(self.network.routing), f"{name}_{what}")
            for what, maker in makers.items()
        }
        length = sum(map(len, texts.values()))
        copies = next((count for most, count in COPIES.items() if length <= most), FEWEST_COPIES)
        copies = 1 if self.engine == "compiled" else copies
        vlt = {"bench.vlt": no_inline(*(f"{name}_{what}" for what in makers))}
        return texts | vlt | {"bench.v": unit_bench(self.network, copies)}


@dataclass(frozen=True, kw_only=True)
class UnitBench(UnitSources):
    """The decisions of all nodes, or of some of them. Compiled, many units are one vector."""

    level: ClassVar[str] = "unit"
    nodes: int | None = None
    """Ask only so many, drawn by the seed."""

    @property
    def test(self) -> str:
        """Return the module and the name of the cocotb test."""
        return f"{UNIT_TESTS}::decides_like_golden"


@dataclass(frozen=True, kw_only=True)
class PathBench(UnitSources):
    """Routes chained hop by hop."""

    level: ClassVar[str] = "path"
    facts: ClassVar[tuple[str, ...]] = ("routes", "mean_hops", "max_hops")
    start: Sequence[int] | None = None
    end: Sequence[int] | None = None
    """The nodes at which routes start and end; by default they start at all terminals of a small
    network, or the first of each orbit, and end at all."""

    @property
    def test(self) -> str:
        """Return the module and the name of the cocotb test."""
        return f"{UNIT_TESTS}::arrives_as_golden_does"
