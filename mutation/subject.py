"""Something that is mutated, and the benches that stand before its mutants."""

import re
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from amaranth.lib import wiring

from fingerpost.golden.link import Link
from fingerpost.testbench.compiled.assembly import Assembly
from fingerpost.testbench.compiled.plan import Words
from fingerpost.testbench.compiled.wiring import CONSTANT, Slice
from fingerpost.testbench.packing import Fields
from mutation.mutated import SELECTOR, SPARE, WIDTH, Mutant, Mutated

__all__ = ["Subject", "Trial", "selectable"]

Turn = tuple[Words, Words | None]
"""What is given, and what is expected in each cycle after a reset, or nothing: none looks at it."""


def selectable(
    sources: Mapping[str, str], module: str, verilog: str, node: str = ""
) -> dict[str, str]:
    """Return the sources of a bench with a module that has a selector in place of one.

    Parameters
    ----------
    node : str
        The module at nodes in which it is `router`, if it does not stand there itself.

    Raises
    ------
    ValueError
        If the module stands nowhere.
    """
    found = {**sources, f"{module}.v": verilog}
    joined, port = f"\n    .{SELECTOR}({WIDTH}'d0), ", f"input [{WIDTH - 1}:0] {SELECTOR}"
    stands = re.compile(rf"^(  {node or module} (?:#\(.*\) )?node_\d+\(.*)\n", re.MULTILINE)
    found["network.v"], nodes = stands.subn(rf"\g<1>{joined}", sources["network.v"])
    if not nodes:
        raise ValueError(f"Mutants need nodes of module {node or module}, and there is none")
    if node:
        text = sources[f"{node}.v"].replace("  input clk,", f"  {port},\n  input clk,", 1)
        inner = f"  {module} router("
        found[f"{node}.v"] = text.replace(inner, f"{inner}.{SELECTOR}({SELECTOR}),", 1)
    return found


@dataclass(frozen=True)
class Trial:
    """A bench, compiled with all mutants of a module, and all that its model says.

    Attributes
    ----------
    name : str
    assembly : Assembly
    turns : list of Turn
    """

    name: str
    assembly: Assembly
    turns: Sequence[Turn]

    @classmethod
    def of(
        cls,
        name: str,
        sources: Mapping[str, str],
        turns: Iterable[Turn],
        *,
        sent: Fields,
        groups: Sequence[tuple[int, Fields]],
        cache: Path,
        idle: Sequence[str] = Link.payload,
    ) -> "Trial":
        """Compile what `selectable` returns, into a folder that is kept; see `Assembly.of`."""
        with tempfile.TemporaryDirectory() as scratch:
            paths = [Path(scratch) / file for file in sources]
            for path, text in zip(paths, sources.values(), strict=True):
                path.write_text(text)
            assembly = Assembly.of(paths, cache, sent=sent, groups=groups, idle=idle)
        return cls(name, assembly, list(turns))

    def run(self, number: int) -> int | None:
        """Return the cycle of the first difference with a mutant, of all turns; or nothing.

        All nodes of the module have it. Number 0 is the hardware as it is.
        """
        plan = self.assembly.plan
        for node, port in plan.sources:
            if port == SELECTOR:
                plan.sources[node, port] = [Slice(CONSTANT, number, WIDTH)]
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


class Subject(ABC):
    """Hardware, the part of it that is mutated, and the benches.

    Attributes
    ----------
    name : str
    module : str
        The name of the module that is mutated.
    within : str
        Only cells whose name matches this pattern are mutated.
    of : str
        What stands before the names of its components, where others have the same.
    around : str
        What it is called that is in none of them.
    count : int, optional
        The mutants that are made of it, if not as many as of others.
    spare : float
        As of `mutation.mutated.mutate`: more where `within` leaves out many.
    """

    name: str
    module: str
    within: str
    of: ClassVar[str] = ""
    around: ClassVar[str] = "router, around them"
    count: ClassVar[int | None] = None
    spare: float = SPARE

    def part(self, mutant: Mutant) -> str:
        """Return the name of the component that has a mutant."""
        return f"{self.of}{mutant.component}" if mutant.component else self.around

    @abstractmethod
    def component(self) -> wiring.Component:
        """Return the hardware."""

    @abstractmethod
    def trials(self, mutated: Mutated, cache: Path) -> Sequence[Trial]:
        """Return the benches, compiled, with all mutants.

        Raises
        ------
        BenchError
            If something does not compile.
        """

    @abstractmethod
    def equivalent(self, mutated: Mutated, number: int, cache: Path) -> bool | None:
        """Return whether a mutant is the same as the hardware; nothing if time was up.

        Raises
        ------
        ProofError
            If a tool is missing or breaks down.
        """
