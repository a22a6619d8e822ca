"""One small change of a netlist, as Yosys describes it."""

import re
from dataclasses import dataclass
from typing import Self

__all__ = ["Mutant"]

OPTION = re.compile(r"-(\w+) (\S+)")

SOURCE = re.compile(r"-src \S*?\b(hdl/\S+\.py:\d+)")

HIERARCHY = re.compile(r"\$flatten|\\")
"""What Yosys puts into a name where modules were."""


@dataclass(frozen=True)
class Mutant:
    """A bit of a port of one cell that is inverted or constant, or inverted by another bit.

    Attributes
    ----------
    number : int
        The value of the selector that lets it be; from 1 on.
    mode : str
        inv; const0, const1; cnot0, cnot1: inverted where another bit is 0 or 1.
    cell : str
    port : str
        Of the cell, with the bit, and that which inverts it.
    lines : tuple of str
        Lines of hdl/ that it comes from, that of the cell last.
    """

    number: int
    mode: str
    cell: str
    port: str
    lines: tuple[str, ...]

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
