"""Stand-ins for the tools of `cost`: what they are asked, and what they would write."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fingerpost.hdl.emit.printer import module_verilog
from tests.fingerpost.common import Run

RING = """name: ring
topology: {family: grid, sizes: [4], wrap: true}
routing: {algorithm: dimension-order}
router: {flit_width: 8, buffer_depth: 2}
"""

CELLS = {
    "router.input0.a": "LUT4",
    "router.input0.b": "LUT4",
    "router.output0.c": "TRELLIS_FF",
    "router.input0.data.0": "TRELLIS_DPR16X4",
}


def netlist(top: str, more: int = 0) -> dict[str, Any]:
    found = {name: {"type": kind} for name, kind in CELLS.items()}
    found |= {f"more{number}": {"type": "LUT4"} for number in range(more)}
    around = {"driven": {"type": "TRELLIS_FF"}, "inside": {"type": top}}
    return {"modules": {top: {"cells": found}, "harness": {"cells": around}}}


FIRST, LAST = "inside.router.input1.level1_TRELLIS_FF_Q", "inside.flit$122.head_TRELLIS_FF_Q_3"
LUT = "inside.router.input1.asks_LUT4_Z_D_LUT4_Z_1"
CARRY = "inside.router.input1.sum_CCU2C_S0$CCU2_COMB0"


def step(kind: str, delay: float, start: str, end: str) -> dict[str, Any]:
    cells = ({"cell": cell, "loc": [len(cell), 7]} for cell in (start, end))
    return {"type": kind, "delay": delay} | dict(zip(("from", "to"), cells, strict=True))


BELS = {
    "inside.node_0.a_TRELLIS_FF_Q": "X3/Y2/SLICEA.FF0",
    "inside.node_1.b_LUT4_Z": "X10/Y4/SLICEB.LUT1",
    "driven_TRELLIS_FF_Q": "X3/Y2/SLICED.FF0",
    "clk$tr_io": "",
}
PLACED = {
    "modules": {
        "harness": {
            "cells": {
                name: {"attributes": {"NEXTPNR_BEL": bel} if bel else {}}
                for name, bel in BELS.items()
            }
        }
    }
}
"""What nextpnr writes of some cells."""


def net(driver: str, **delays: float) -> dict[str, Any]:
    """Return what nextpnr reports of a net: the delay to cells."""
    sinks = [{"cell": cell, "delay": [delay / 2, delay]} for cell, delay in delays.items()]
    return {"driver": driver, "endpoints": sinks}


NETS = [net("inside.node_0.a_TRELLIS_FF_Q", **{"inside.node_1.b_LUT4_Z": 2.5})]
"""One wire, from node 0 to node 1."""


def path(start: str, end: str, *steps: dict[str, Any]) -> dict[str, Any]:
    return {"from": start, "to": end, "path": [*steps]}


def paths(delay: float = 1.25) -> dict[str, Any]:
    """Return the slowest paths, of which one is from register to register."""
    steps = [
        *(step("clk-to-q", 0.5, FIRST, FIRST), step("routing", delay, FIRST, LUT)),
        *(step("logic", 0.25, LUT, LUT), step("routing", 2.0, LUT, CARRY)),
        *(step("logic", 0.5, CARRY, CARRY), step("routing", 0.5, CARRY, LAST)),
        step("setup", 0.0, LAST, LAST),
    ]
    found = [
        path("<async>", "posedge clk", step("logic", 99.0, "a", "b")),
        path("posedge clk", "posedge clk", *steps),
        path("posedge clk", "<async>", step("logic", 99.0, "c", "d")),
    ]
    return {"critical_paths": found}


def report(mhz: float, sites: int) -> dict[str, Any]:
    names = "TRELLIS_COMB", "ICESTORM_LC"
    return paths(100 / mhz) | {
        "utilization": {name: {"available": 9999, "used": sites} for name in names},
        "fmax": {"clk": {"achieved": mhz, "constraint": 200}},
        "detailed_net_timings": NETS,
    }


GENERATED: dict[str, str] = {}
"""By name: the same for all that only ask what becomes of it."""


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Stand-ins for the tools: `calls` is what was run, `mhz` what the seeds reach.

    `sizes` are the LUTs more of the routing unit behind a port, `luts` those of all else.
    """
    tools = SimpleNamespace(
        calls=[], mhz=[120.0, 90.0, 100.0, 110.0], status=0, written=None, sites=1779, sizes={},
        luts=0,
    )  # fmt: skip

    genuine = subprocess.run

    def run(command: list[str], *, cwd: Path | None = None, **others: Any) -> Any:
        if command[-1] == "--version":
            return SimpleNamespace(returncode=0, stdout="1.0")
        if cwd is None:  # not by us: a library looks for fonts
            return genuine(command, **others)
        tools.calls.append(command)
        if "nextpnr" in command[0]:
            bare = "--pack-only" in command
            contents = (
                report(1.0, tools.sites)
                if bare
                else report(tools.mhz[int(command[command.index("--seed") + 1]) - 1], 9000)
            )
            file = command[command.index("--report") + 1]
            if "--write" in command:
                (cwd / command[command.index("--write") + 1]).write_text(json.dumps(PLACED))
        else:
            (file,) = re.findall(r"-json (\S+)", command[-1])
            marked = r"keep_hierarchy 1 (\S+);", r"hierarchy -top (\S+);", r"-top (\S+) -json"
            top = next(found for each in marked for found in re.findall(each, command[-1]))
            port = re.findall(r"port(\d+)", file)
            contents = netlist(top, tools.sizes[int(port[0])] if port else tools.luts)
        (cwd / file).write_text(tools.written or json.dumps(contents))
        return SimpleNamespace(returncode=tools.status, stdout="one\nERROR: it broke\n")

    def once(component: Any, name: str) -> str:
        if name not in GENERATED:
            GENERATED[name] = module_verilog(component, name)
        return GENERATED[name]

    monkeypatch.setattr("fingerpost.cost.designs.module_verilog", once)
    monkeypatch.setattr(
        "fingerpost.hdl.emit.tools.shutil.which", lambda name, path: f"/tools/{name}"
    )
    monkeypatch.setattr("fingerpost.hdl.emit.tools.subprocess.run", run)
    return tools


NO_LUT_RAM = "fingerpost: this FPGA has no LUT-RAM: buffers are flip-flops; try --hop-cycles 3\n"


@pytest.fixture
def cost(run: Run, borel21: Path, tmp_path: Path, tools: SimpleNamespace) -> Callable[..., Any]:
    """Run the command with stand-ins for the tools; return its facts, or the lines it shows."""

    def cost(*more: object, nets: tuple[Path, ...] = (borel21,), seeds: int = 1) -> Any:
        ended = run("cost", *nets, "--directory", tmp_path, "--seeds", seeds, *more)
        without = any(str(each).startswith("ice40") for each in more)  # two cycles a hop
        assert (ended.status, ended.err) == (0, NO_LUT_RAM * without)
        return ended.json if "--json" in more else ended.out.splitlines()

    return cost
