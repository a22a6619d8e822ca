"""Nodes and what joins them, compiled, ready to be run; what goes in and is seen, as words."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from fingerpost.golden.link import Link
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.testbench.compiled.build import Builder, Libraries
from fingerpost.testbench.compiled.gates import check
from fingerpost.testbench.compiled.hardware import Hardware
from fingerpost.testbench.compiled.node import words
from fingerpost.testbench.compiled.plan import Plan, Words
from fingerpost.testbench.compiled.wiring import Wiring, ports
from fingerpost.testbench.packing import Columns, Fields, empty
from fingerpost.testbench.runner import Progress
from fingerpost.testbench.sources import terminal_fields, wire_fields

TOPS = "network.v", "bench.v"


def bits(fields: Fields) -> int:
    """Return the bits of a row of fields."""
    return sum(width for _, width in fields)


class Rows:
    """The rows of a cycle; each begins with a word of its own.

    Attributes
    ----------
    sent : Fields
        Of a row that is given.
    groups : list of (rows, fields)
        Of what is seen: two of them.
    """

    def __init__(self, sent: Fields, groups: list[tuple[int, Fields]]) -> None:
        self.sent, self.groups = sent, groups

    def parts(self, seen: Words) -> list[Words]:
        """Return what is seen in some cycles by groups and rows; both share their memory."""
        first = self.groups[0][0] * words(bits(self.groups[0][1]))
        pairs = zip((seen[..., :first], seen[..., first:]), self.groups, strict=True)
        return [part.reshape(*part.shape[:-1], rows, -1) for part, (rows, _) in pairs]

    def columns(self, seen: Words) -> list[Columns]:
        """Return the fields of what is seen in a cycle."""
        pairs = zip(self.parts(seen), self.groups, strict=True)
        return [empty(fields, part) for part, (_, fields) in pairs]


class Layout(Rows):
    """The rows of a network: what terminals give; links by node and port, then terminals.

    Attributes
    ----------
    given_words, seen_words : int
        In a cycle.
    """

    def __init__(self, network: AnyNetwork) -> None:
        self.nodes, local = network.topology.nodes, network.topology.local
        terminal = terminal_fields(network)
        links = self.nodes * local, wire_fields(network)
        super().__init__(terminal["sent"], [links, (self.nodes, terminal["received"])])
        self.given_words = self.nodes * words(bits(self.sent))
        self.seen_words = sum(rows * words(bits(fields)) for rows, fields in self.groups)

    def make(self, cycles: int) -> tuple[Words, Words]:
        """Return room for what is given and seen in some cycles."""
        return (
            np.zeros((cycles, self.given_words), np.uint64),
            np.zeros((cycles, self.seen_words), np.uint64),
        )

    def rows(self, given: Words) -> Words:
        """Return what is given in some cycles by rows."""
        return given.reshape(*given.shape[:-1], self.nodes, -1)


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
            Whether nodes count lines and toggles (`fingerpost.testbench.compiled.coverage`).

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
