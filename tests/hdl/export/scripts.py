"""Constraints and project files, read by a real Tcl; and what is in the Verilog that they name."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fingerpost.checker.deadlock import run_yosys
from fingerpost.testbench.compiled import wiring

Command = tuple[str, ...]

TOOLS = (
    *("create_clock", "set_false_path", "set_property", "get_ports", "get_cells", "get_pins"),
    *("set_clock_groups", "set_max_delay", "set_net_delay", "get_clocks", "get_property"),
    *("get_registers", "get_files"),
    *("read_verilog", "read_xdc", "set_global_assignment", "set_instance_assignment"),
)
"""Commands of the tools. Any other is an error, as it would be there."""


def commands(script: Path) -> list[Command]:
    """Return the commands of the tools that a script gives, each with its arguments."""
    tcl = pytest.importorskip("tkinter").Tcl()
    given: list[Command] = []

    def take(name: str, *arguments: Any) -> str:
        given.append((name, *map(str, arguments)))
        # What stands for a set of objects says which, so that a command tells of what it is.
        return f"{name}:{arguments[-1]}" if name.startswith("get_") else ""

    for name in TOOLS:
        tcl.createcommand(name, lambda *arguments, name=name: take(name, *arguments))
    tcl.eval("set TimeQuestInfo(nameofexecutable) quartus_fit")
    tcl.eval(f"source {{{script}}}")
    return given


def ports(verilog: str, module: str) -> dict[str, tuple[str, int]]:
    """Return direction and bits of the ports of a module."""
    text = verilog[re.search(rf"^module {module}\b", verilog, re.M).start() :]  # type: ignore[union-attr]
    several = wiring.ports(text)[module]
    return {port.name: ("output" if port.output else "input", port.width) for port in several}


def bits(verilog: str, module: str, name: str) -> list[str]:
    """Return the names of the bits of a port, as tools have them."""
    width = ports(verilog, module)[name][1]
    return [name] if width == 1 else [f"{name}[{bit}]" for bit in range(width)]


def registers(verilog: str, module: str) -> list[tuple[str, ...]]:
    """Return the names of all flip-flops inside a module: the instances on the way, and its own."""
    modules = {
        found[1].strip(): found[0]
        for found in re.finditer(
            r"^module (\\\S+ |\w+) ?\(.*?^endmodule$", verilog, flags=re.M | re.S
        )
    }

    def inside(name: str) -> Iterator[tuple[str, ...]]:
        initial = re.search(r"^  initial begin\n(.*?)^  end\n", modules[name], flags=re.M | re.S)
        for reg in re.findall(r"^    (\w+) = ", initial[1] if initial else "", flags=re.M):
            yield (reg,)
        instances = re.findall(r"^  (\\\S+ |\w+) +(\w+) ?\(\n", modules[name], flags=re.M)
        for child, instance in instances:
            if child.strip() in modules:
                for path in inside(child.strip()):
                    yield instance, *path

    return list(inside(module))


class TimingPath(NamedTuple):
    """A path between flip-flops: their names, the clocks of both, and whether it ends at a PRE."""

    start: frozenset[str]
    end: frozenset[str]
    clocks: tuple[str, str]
    presets: bool


CLOCKS = {"ca", "cb", "cc", "cd", "ce"}
"""The clocks of a design."""


def timing_paths(texts: Mapping[str, str], top: str, *, boxes: str) -> set[TimingPath]:
    """Return all paths between flip-flops of a design, by a netlist of Yosys.

    Modules that fit `boxes` are taken for flip-flops of their clock `clk`. A flip-flop has the
    names of all registers that are equal to it in its instance: ``a/b/name`` or ``a/b/memory[3]``.
    """
    script = f"blackbox {boxes}; hierarchy -top {top}; proc; flatten; memory_map; opt_clean"
    [netlist] = run_yosys(texts, f"{script}; write_json n.json", "n.json")
    module = json.loads(netlist)["modules"][top]
    lists = re.findall(r"\breg +(?:\[.*?\] *)?([\w, ]+)", "\n".join(texts.values()))
    declared = {*re.findall(r"\w+", " ".join(lists))}
    nets: dict[int, set[str]] = {}
    for name, net in module["netnames"].items():
        for bit in () if net["hide_name"] else net["bits"]:
            nets.setdefault(bit, set()).add(name.replace(".", "/"))
    driver: dict[int, list[int]] = {}
    launches: dict[int, tuple[frozenset[str], str]] = {}
    ends: list[tuple[frozenset[str], str, bool, list[int]]] = []
    for cell_name, cell in module["cells"].items():
        pins, ways = cell["connections"], cell["port_directions"]
        clock = pins.get("CLK") or pins.get("clk")
        inputs = {pin: bits for pin, bits in pins.items() if ways[pin] == "input" and bits != clock}
        outputs = [bit for pin, bits in pins.items() if ways[pin] == "output" for bit in bits]
        if not clock:
            read = [bit for bits in inputs.values() for bit in bits]
            driver.update((bit, read) for bit in outputs)
            continue
        known = {name for bit in outputs for name in nets.get(bit, ())}
        regs = {name for name in known if re.split(r"[/[]", name.partition("[")[0])[-1] in declared}
        names, [edge] = frozenset(regs or {cell_name}), nets[clock[0]] & CLOCKS
        launches.update((bit, (names, edge)) for bit in outputs)
        ends += [(names, edge, pin == "ARST", bits) for pin, bits in inputs.items()]
    found = set()
    for names, edge, presets, bits in ends:
        seen: set[int] = set()
        left = [*bits]
        while left:
            bit = left.pop()
            if bit in seen:
                continue
            seen.add(bit)
            if bit in launches:
                start, launch = launches[bit]
                found.add(TimingPath(start, names, (launch, edge), presets))
            left += driver.get(bit, ())
    return found
