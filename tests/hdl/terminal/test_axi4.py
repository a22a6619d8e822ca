"""AXI4 terminals under managers and memories that nobody here wrote."""

from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import build
from fingerpost.testbench.benches.network import Axi4Bench, Axi4TimingBench
from fingerpost.testbench.cosim import run

MESH: dict[str, Any] = {
    "name": "mesh",
    "topology": {"family": "grid", "sizes": [2, 2]},
    "routing": {"algorithm": "dimension-order"},
    "memory_map": [
        {"base": 0, "size": 0x10000, "nodes": "all"},
        {"base": 0x80000000, "size": 0x10000, "node": 3},
    ],
}
ALL = [{"base": 0, "size": 0x10000, "nodes": "all"}]
SEVERAL = {"family": "grid", "sizes": [2, 2], "terminals": {0: 2, 1: 1, 2: 3}}
BOREL = {"topology": {"family": "borel", "p": 7, "a": 2, "A": [0, 1], "B": [1, 1]}}


def passes(folder: Path, description: dict[str, Any], **settings: Any) -> dict[str, Any]:
    """Run the bench; return what it tells."""
    result = run(Axi4Bench(build(description), **settings), simulator="icarus", directory=folder)
    assert not result.message
    return result.details


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Shared: a network is compiled once."""
    return tmp_path_factory.mktemp("axi4")


LONG = pytest.mark.regress


@pytest.mark.parametrize(
    "terminal",
    [
        pytest.param({}, id="axi4", marks=LONG),
        pytest.param(
            {"lite": [1, 2], "managers": [0, 1, 3], "subordinates": [0, 2, 3]},
            id="some lite",
            marks=LONG,
        ),
        pytest.param({"lite": "all", "data_width": 64}, id="half as wide, all lite"),
        pytest.param(
            {"clock": "own", "lite": [1], "managers": [0, 1], "subordinates": [1, 3]},
            id="own clocks, some lite",
        ),
    ],
)
def test_what_was_written_is_what_is_read(folder: Path, terminal: dict[str, Any]) -> None:
    description = MESH | {"terminal": {"kind": "axi4", **terminal}}
    details = passes(folder, description, transactions=10)
    assert details["transactions"] == 10 * len(terminal.get("managers", range(4)))


LINE = {
    "name": "line",
    "topology": {"family": "grid", "sizes": [3]},
    "memory_map": ALL,
}
"""One that misbehaves, and two others."""


@pytest.mark.parametrize("how", ["deaf", "halt"])
def test_managers_that_misbehave_harm_nobody_else(folder: Path, how: Any) -> None:
    """The others take no response, or stop in the middle of data; the first is answered."""
    description = MESH | LINE | {"terminal": {"kind": "axi4"}}
    details = passes(folder, description, transactions=20, misbehave=how)
    assert details["transactions"] == 20


@pytest.mark.parametrize("how", ["mute", "shut", "errs"])
def test_subordinates_that_do_not_answer_are_cut_off(folder: Path, how: Any) -> None:
    """Requests of the first are answered with SLVERR, those of all others as ever."""
    terminal = {"kind": "axi4", "answer_timeout": 200, "lite": [2]}
    description = MESH | LINE | {"terminal": terminal}
    details = passes(folder, description, transactions=8, pause=0.1, misbehave=how)
    assert details["transactions"] == 24


@pytest.mark.regress
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("mesh-4x4", {"topology": {"family": "grid", "sizes": [4, 4]}, "terminal": {}}),
        ("half", {"terminal": {"data_width": 64}}),
        ("wide", {"router": {"flit_width": 128}, "terminal": {"data_width": 128}}),
        ("several", {"topology": SEVERAL, "terminal": {"lite": [3]}}),
        ("few", {"terminal": {"outstanding": 2, "id_width": 1, "managers": [0, 1]}}),
        ("borel-21", BOREL | {"routing": {"algorithm": "two-phase"}, "terminal": {}}),
        (
            "adaptive",
            BOREL
            | {
                "routing": {"algorithm": "adaptive"},
                "router": {"virtual_channels": 3},
                "terminal": {"flow_control": "end-to-end"},
            },
        ),
    ],
)
def test_networks(tmp_path: Path, name: str, more: dict[str, Any]) -> None:
    description = MESH | more | {"name": name, "terminal": {"kind": "axi4", **more["terminal"]}}
    if "topology" in more:
        description |= {"memory_map": ALL}
    for pause in (0.0, 0.3):
        assert passes(tmp_path, description, transactions=25, pause=pause)["beats"] > 100


HOT = "hotspot:nodes=0,share=0.7"
STORED = {"flow_control": "end-to-end"}


def agrees(folder: Path, description: dict[str, Any], **settings: Any) -> int:
    """Run the bench; return how many events it compared."""
    network = build(MESH | {"memory_map": ALL} | description)
    result = run(Axi4TimingBench(network, **settings), simulator="icarus", directory=folder)
    assert (result.mismatches, result.message) == (0, "")
    return int(result.details["events"])


def test_reads_and_writes_with_contention(tmp_path: Path) -> None:
    description = {"terminal": {"kind": "axi4"}}
    assert agrees(tmp_path, description, cycles=120, load=1.0, traffic=HOT) > 150


@pytest.mark.regress
@pytest.mark.parametrize(
    ("more", "settings"),
    [
        ({}, {"load": 0.03, "cycles": 600, "lengths": (1, 1), "reads": 1.0}),
        ({}, {"memory_cycles": 5, "traffic": HOT}),
        ({}, {"lengths": (100, 256), "reads": 0.9, "cycles": 600}),
        ({"terminal": {"data_width": 64}}, {"memory_cycles": 3}),
        ({"terminal": {"outstanding": 2}}, {"lengths": (1, 3)}),
        ({"terminal": {"managers": [0, 2], "subordinates": [1, 2, 3]}}, {}),
        ({"router": {"flit_width": 64}, "terminal": {"data_width": 64}}, {"lengths": (1, 2)}),
        ({"terminal": STORED}, {}),
        ({"terminal": {"lite": "all"}}, {"lengths": (1, 1)}),
        (
            {"terminal": {"managers": [0, 2], "subordinates": [1, 3], "lite": [1, 3]}},
            {"memory_cycles": 4},
        ),
        ({"router": {"flit_width": 64}, "terminal": STORED | {"data_width": 128}}, {}),
        (BOREL | {"name": "borel", "routing": {"algorithm": "two-phase"}}, {"cycles": 60}),
        ({"topology": SEVERAL}, {"traffic": HOT}),
    ],
    ids=[
        *("alone", "hot", "long", "halves", "few", "some", "wide", "stored"),
        *("lite", "lite memories", "wide halves", "borel-21", "several at a router"),
    ],
)
def test_cycles_of_networks(tmp_path: Path, more: dict[str, Any], settings: dict[str, Any]) -> None:
    terminal = {"kind": "axi4"} | more.get("terminal", {})
    usual = {"cycles": 300, "load": 0.9, "seed": 7}
    assert agrees(tmp_path, more | {"terminal": terminal}, **usual | settings) > 5
