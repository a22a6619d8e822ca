import os
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import fingerpost
from fingerpost.testbench.benches.bench import Bench
from tests.fingerpost.common import NETWORKS, Run


@dataclass
class Result:
    """What `fingerpost.testbench.cosim.run` returns, as far as the command line uses it."""

    bench: Bench
    simulator: str
    mismatches: int = 0
    message: str = ""
    count: int = 441
    seconds: float = 1.25
    build_seconds: float = 2.5
    waveform: str | None = None
    results_xml: str = "results.xml"
    details: dict[str, Any] = field(default_factory=dict)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A stand-in for `testbench.cosim`: `calls` is what it was asked, `finds` what it answers."""
    bench = SimpleNamespace(calls=[], finds={})

    def run(asked: Bench, *, simulator: str, **rest: Any) -> Result:
        rest.pop("progress")(1, 2)
        bench.calls.append((asked, simulator, rest))
        print("a tool in Python is talking")
        os.write(1, b"a tool in C is talking\n")
        return Result(asked, simulator, **bench.finds)

    bench.run = run
    monkeypatch.setitem(sys.modules, "fingerpost.testbench.cosim", bench)
    return bench


def test_cosim_json(run: Run, borel21: Path, bench: SimpleNamespace) -> None:
    ended = run("cosim", borel21, "--level", "unit", "--json")
    assert ended.status == 0
    told = dict(ended.json)
    age = datetime.now(UTC) - datetime.fromisoformat(told.pop("date"))
    assert timedelta(0) <= age < timedelta(minutes=1)
    versions = told.pop("versions")
    assert versions["cocotb"] == version("cocotb")
    assert versions["icarus"].split(".")[0] in subprocess.getoutput("iverilog -V").split()[3]
    assert told == {
        "schema": 1,
        "network": "borel-21",
        "level": "unit",
        "simulator": "icarus",
        "engine": "cocotb",
        "decisions": 441,
        "mismatches": 0,
        "seconds": 1.25,
        "build_seconds": 2.5,
        "message": "",
        "waveform": None,
        "picture": None,
        "view": None,
        "results_xml": "results.xml",
    }
    assert sorted(ended.err.splitlines()) == [
        "a tool in C is talking",
        "a tool in Python is talking",
    ]


@pytest.mark.parametrize("level", ["router", "network"])
def test_cosim_counts_cycles_above_the_unit(
    run: Run, borel21: Path, bench: SimpleNamespace, level: str
) -> None:
    facts = run("cosim", borel21, "--level", level, "--json").json
    assert facts["cycles"] == 441
    assert "decisions" not in facts


def test_cosim_passes_everything_on(
    run: Run, borel21: Path, bench: SimpleNamespace, tmp_path: Path
) -> None:
    options = "--level network --simulator verilator --waves --cycles 50 --seed 7 --load 0.5"
    assert run("cosim", borel21, *options.split(), "--directory", tmp_path).status == 0
    assert run("cosim", borel21).status == 0
    (one, simulator, rest), (two, other, others) = bench.calls
    assert (one.name, one.level, one.cycles, one.seed, one.load) == (
        "borel-21", "network", 50, 7, 0.5,
    )  # fmt: skip
    assert (simulator, rest) == ("verilator", {"waves": True, "directory": tmp_path})
    assert (two.name, two.level, two.nodes, two.seed) == ("borel-21", "unit", None, 0)
    assert (other, others) == ("icarus", {"waves": False, "directory": Path("sim_build")})


@pytest.mark.parametrize(
    ("name", "options", "simulator", "engine"),
    [
        ("hypercube-6", "--simulator verilator", "verilator", "compiled"),
        ("hypercube-6", "--simulator verilator --engine cocotb", "verilator", "cocotb"),
        ("hypercube-6", "--simulator icarus", "icarus", "cocotb"),
        ("hypercube-6", "", "verilator", "compiled"),
        ("hypercube-6", "--engine cocotb", "icarus", "cocotb"),
        ("petersen", "--simulator verilator", "verilator", "cocotb"),
        ("petersen", "--engine compiled", "verilator", "compiled"),
        ("petersen", "", "icarus", "cocotb"),
    ],
)
def test_cosim_tells_what_runs_a_network(
    run: Run, bench: SimpleNamespace, name: str, options: str, simulator: str, engine: str
) -> None:
    seconds = {"model_cpu_seconds": 0.1, "hardware_cpu_seconds": 0.5}
    bench.finds = {"details": seconds if engine == "compiled" else {}}
    asked = "cosim", NETWORKS / f"{name}.yaml", "--level", "network", "--cycles", 50
    facts = run(*asked, *options.split(), "--json").json
    assert (facts["simulator"], facts["engine"]) == (simulator, engine)
    shown = run(*asked, *options.split()).out.splitlines()
    assert f", network in {simulator}, {engine}: 0 mismatches" in shown[0]
    speeds = "cycles per CPU second: model 4,410, hardware 882"
    assert (speeds in shown) == (engine == "compiled")
    assert [(one.cycles, tool) for one, tool, _ in bench.calls] == [(50, simulator)] * 2


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("hypercube-6", {}, ("verilator", "compiled")),
        ("hypercube-6", {"simulator": "icarus"}, ("icarus", "cocotb")),
        ("petersen", {}, ("icarus", "cocotb")),
        ("petersen", {"engine": "compiled", "lines": True}, ("verilator", "compiled")),
    ],
)
def test_interface_chooses_as_the_command_does(
    monkeypatch: pytest.MonkeyPatch, name: str, options: dict[str, Any], expected: tuple[str, str]
) -> None:
    stand_in = SimpleNamespace(run=lambda asked, simulator, **_: Result(asked, simulator))
    monkeypatch.setitem(sys.modules, "fingerpost.testbench.cosim", stand_in)
    network = fingerpost.load(NETWORKS / f"{name}.yaml")
    found = fingerpost.cosim(network, "network", **options)
    assert (found.simulator, found.bench.engine) == expected


def test_cosim_counts_lines_where_nodes_are_compiled(
    run: Run, borel21: Path, bench: SimpleNamespace
) -> None:
    rows = [{"lines": 10, "lines_seen": 9, "toggles": 1000, "toggles_seen": 7}] * 2
    seconds = {"model_cpu_seconds": 0.1, "hardware_cpu_seconds": 0.5}
    bench.finds = {"details": {**seconds, "lines": rows}}
    shown = run("cosim", borel21, "--level", "network", "--lines").out
    assert "Verilog   18 of 20 lines, 14 of 2,000 toggles in 2 modules" in shown
    assert bench.calls[0][0].lines


def test_cosim_mismatch_is_status_1(run: Run, borel21: Path, bench: SimpleNamespace) -> None:
    bench.finds = {"mismatches": 3, "message": "node 4: port 1, not 2", "waveform": "x.fst"}
    ended = run("cosim", borel21)
    assert ended.status == 1
    assert ended.out.splitlines() == [
        "borel-21, unit in icarus: 3 mismatches in 441 decisions; built in 2.5 s, run in 1.2 s",
        "node 4: port 1, not 2",
        "waveform  x.fst",
        "results   results.xml",
    ]
    assert run("cosim", borel21, "--json").status == 1


@pytest.mark.parametrize("kind", ["ToolError", "BenchError"])
def test_missing_tool_is_one_line(
    run: Run, borel21: Path, bench: SimpleNamespace, kind: str
) -> None:
    def run_without(*_: object, **__: object) -> None:
        raise type(kind, (RuntimeError,), {})("Icarus Verilog is missing:\nrun `apt-get ...`")

    bench.run = run_without
    ended = run("cosim", borel21, "--json")
    message = "fingerpost: Icarus Verilog is missing: run `apt-get ...`\n"
    assert ended == (2, "", message)


def test_generate_prints_what_it_wrote(
    run: Run, borel21: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def generate(network: Any, directory: Path, *, costs: Any, progress: Any) -> list[Path]:
        progress("router")
        return [directory / f"{network.name}.v", directory / "x.json"]

    monkeypatch.setitem(
        sys.modules, "fingerpost.hdl.export.generate", SimpleNamespace(generate=generate)
    )
    ended = run("generate", borel21, "-o", tmp_path)
    assert ended == (0, f"{tmp_path / 'borel-21.v'}\n{tmp_path / 'x.json'}\n", "")


def test_walk_tells_the_lengths_of_its_routes(
    run: Run, borel21: Path, bench: SimpleNamespace
) -> None:
    bench.finds = {"details": {"routes": 441, "mean_hops": 2.5, "max_hops": 4, "other": 1}}
    facts = run("cosim", borel21, "--level", "path", "--json").json
    assert (facts["routes"], facts["mean_hops"], facts["max_hops"]) == (441, 2.5, 4)
    assert facts["decisions"] == 441
    assert "other" not in facts
    shown = run("cosim", borel21, "--level", "path").out
    assert "441 routes, mean 2.5000 hops to other nodes, most 4" in shown


def test_clocks_tells_the_frames_and_the_time(
    run: Run, borel21: Path, bench: SimpleNamespace
) -> None:
    found = {"frames": 420, "delivered": 420, "flits": 1800, "bit_times": 5321.4}
    bench.finds = {"details": found}
    facts = run("cosim", NETWORKS / "borel-21-os-link.yaml", "--level", "clocks", "--json").json
    assert {key: facts[key] for key in found} == found
    shown = run("cosim", NETWORKS / "borel-21-os-link.yaml", "--level", "clocks").out
    assert "420 of 420 frames, 1800 flits, in 5321 bit times" in shown
