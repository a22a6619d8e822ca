"""Constraints and project files, read by a real Tcl; and what is in the Verilog that they name."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

Command = tuple[str, ...]

TOOLS = (
    *("create_clock", "set_false_path", "set_property", "get_ports", "get_cells"),
    *("set_clock_groups", "set_max_delay", "get_clocks"),
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
    tcl.eval(f"source {{{script}}}")
    return given


def ports(verilog: str, module: str) -> dict[str, tuple[str, int]]:
    """Return direction and bits of the ports of a module."""
    text = re.findall(rf"^module {module}\(.*?^endmodule$", verilog, flags=re.M | re.S)[0]
    found = re.findall(r"^  (input|output) (?:\[(\d+):0\] )?(\w+)\b", text, flags=re.M)
    return {name: (direction, int(top or 0) + 1) for direction, top, name in found}


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
