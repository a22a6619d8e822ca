import re
import subprocess
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest

import fingerpost
from tests.fingerpost.common import NETWORKS, Run


def test_cosim_json(run: Run, borel21: Path, bench: SimpleNamespace) -> None:
    ended = run("cosim", borel21, "--level", "unit", "--json")
    assert ended.status == 0
    told = dict(ended.json)
    del told["provenance"]
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
    asked = ("cosim", NETWORKS / f"{name}.yaml", "--level", "network", "--cycles", 50)
    facts = run(*asked, *options.split(), "--json").json
    assert (facts["simulator"], facts["engine"]) == (simulator, engine)
    assert facts["cycles"] == 441
    assert "decisions" not in facts
    shown = run(*asked, *options.split()).out.splitlines()
    assert f", network in {simulator}, {engine}: 0 mismatches" in shown[0]
    speeds = "cycles per CPU second: model 4,410, hardware 882"
    assert (speeds in shown) == (engine == "compiled")
    assert [(one.cycles, tool) for one, tool, _ in bench.calls] == [(50, simulator)] * 2
    # The interface chooses as the command does.
    chosen = dict(re.findall(r"--(\w+) (\w+)", options))
    found = fingerpost.cosim(fingerpost.load(asked[1]), "network", **chosen)
    assert (found.simulator, found.bench.engine) == (simulator, engine)


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
    run: Run, borel21: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    def run_without(*_: object, **__: object) -> None:
        raise type(kind, (RuntimeError,), {})("Icarus Verilog is missing:\nrun `apt-get ...`")

    monkeypatch.setattr("fingerpost.testbench.cosim.run", run_without)
    ended = run("cosim", borel21, "--json")
    message = "fingerpost: Icarus Verilog is missing: run `apt-get ...`\n"
    assert ended == (2, "", message)


@pytest.mark.parametrize(
    ("name", "level", "found", "shown"),
    [
        (
            "borel-21", "path", {"routes": 441, "mean_hops": 2.5, "max_hops": 4, "decisions": 441},
            "441 routes, mean 2.5000 hops to other nodes, most 4",
        ),
        (
            "borel-21-os-link", "clocks",
            {"frames": 420, "delivered": 420, "flits": 1800, "bit_times": 5321.4},
            "420 of 420 frames, 1800 flits, in 5321 bit times",
        ),
    ],
)  # fmt: skip
def test_what_a_level_counts_is_told(
    run: Run, bench: SimpleNamespace, name: str, level: str, found: dict[str, float], shown: str
) -> None:
    bench.finds = {"details": {**found, "other": 1}}
    asked = "cosim", NETWORKS / f"{name}.yaml", "--level", level
    facts = run(*asked, "--json").json
    assert {key: facts[key] for key in found} == found
    assert "other" not in facts
    assert shown in run(*asked).out
