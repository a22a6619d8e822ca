"""Nodes and what joins them, compiled, ready to be run."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from fingerpost.golden.link import Link
from fingerpost.testbench.compiled.build import Builder, Libraries
from fingerpost.testbench.compiled.hardware import Hardware
from fingerpost.testbench.compiled.layout import bits
from fingerpost.testbench.compiled.plan import Plan
from fingerpost.testbench.compiled.soundness import check
from fingerpost.testbench.compiled.wiring import Wiring, ports
from fingerpost.testbench.packing import Fields
from fingerpost.testbench.runner import Progress

__all__ = ["Assembly"]

TOPS = "network.v", "bench.v"


@dataclass(frozen=True)
class Assembly:
    """What was compiled.

    Attributes
    ----------
    plan : Plan
    libraries : Libraries
    groups : sequence of (rows, fields)
        What is seen.
    idle : sequence of str
        Fields of it that may be anything where nothing is valid.
    sources : dict
        The Verilog of each module that stands at nodes, and of what is in it.
    """

    plan: Plan
    libraries: Libraries
    groups: Sequence[tuple[int, Fields]]
    idle: Sequence[str]
    sources: dict[str, str]

    @classmethod
    def of(
        cls,
        sources: Sequence[Path],
        folder: Path,
        *,
        sent: Fields,
        groups: Sequence[tuple[int, Fields]],
        idle: Sequence[str] = Link.payload,
        lines: bool = False,
        progress: Progress | None = None,
    ) -> Self:
        """Compile sources: the modules of nodes, network.v, which joins them if bench.v does not.

        Parameters
        ----------
        folder : Path
            Where what is compiled is kept.
        sent : Fields
            Of each row of what is given.
        idle : sequence of str
            Fields of what is seen that may be anything where nothing is valid.
        lines : bool
            Whether nodes count lines and toggles (`fingerpost.testbench.compiled.lines`).

        Raises
        ------
        BenchError
            If something does not compile, or an input of a node reaches an output within a cycle.
        """
        texts = {path.name: path.read_text() for path in sources if path.suffix == ".v"}
        *inside, bench = (texts.pop(name) for name in TOPS if name in texts)
        modules = {file: ports(text) for file, text in texts.items()}
        verilog = {name: texts[file] for file, found in modules.items() for name in found}
        known = {name: several for found in modules.values() for name, several in found.items()}
        rows = [(rows, bits(fields)) for rows, fields in groups]
        plan = Plan(Wiring(bench, inside, known), sent=bits(sent), rows=rows)
        kinds = [kind.module for kind in plan.kinds]
        others = [text for name, text in verilog.items() if name not in kinds]
        verilog = {name: "\n".join([verilog[name], *others]) for name in kinds}
        for kind in plan.kinds:
            kind.late = check(kind, verilog[kind.module], folder)
        libraries = Builder(folder, lines=lines).build(verilog, plan.kinds, progress)
        return cls(plan, libraries, groups, idle, verilog)

    def hardware(self) -> Hardware:
        """Return the nodes, as at power-up."""
        return Hardware(self.plan, self.libraries, self.groups, self.idle)
