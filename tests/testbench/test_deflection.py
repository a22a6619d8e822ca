"""Deflection routers in lock-step: every link and terminal in every cycle, beside the model."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.hdl.deflection.node import node_parameters
from fingerpost.testbench.benches import make
from fingerpost.testbench.compiled import build as building
from fingerpost.testbench.cosim import run
from fingerpost.testbench.toolchain import SIMULATORS
from fingerpost.testbench.write import write
from tests.golden.deflection.examples import TOPOLOGIES, deflection
from tests.quick import only
from tests.testbench.agreement import agree, deliver

HOT = "hotspot:nodes=0;1,share=0.5"

CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "borel": ("borel", {}, {"load": 1.0, "malformed": 0.05}),
    "uneven, block RAM": (
        "uneven",
        {"table": "ram", "hop_cycles": 3, "ejections": 1, "injection": "half", "epoch": 5,
         "wait_limit": 4},
        {"load": 0.6, "malformed": 0.2, "stall": 0.7},
    ),
    "links that fail": ("petersen", {"link_up": True}, {"load": 0.9}),
    "digraph": (
        "digraph",
        {"flit_width": 8, "epoch": 4, "wait_limit": 4},
        {"load": 1.0, "traffic": HOT},
    ),
}  # fmt: skip
"""Both numbers of cycles a hop, both of ejections, both tables, undirected and directed."""


def lock_step(
    network: DeflectionNetwork, folder: Path, *, simulator: str = "icarus", **stimulus: Any
) -> None:
    bench = make(network, "network", seed=1, **stimulus)
    deliver(bench, folder, simulator, more_than=50)


@pytest.mark.parametrize("case", only(["digraph", "links that fail"], CASES))
def test_lock_step(case: str, tmp_path: Path) -> None:
    name, router, stimulus = CASES[case]
    lock_step(deflection(name, **router), tmp_path, cycles=120, **stimulus)


ENGINES = {"cocotb": "icarus", "compiled": "verilator"}


@pytest.mark.regress
@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("name", "router"),
    [
        ("uneven", {"table": "ram", "hop_cycles": 3}),
        ("kyklos", {"ejections": 1}),
        ("digraph", {"flit_width": 8}),
        ("star", {"link_up": True}),
    ],
)
def test_every_decision(name: str, router: dict[str, Any], engine: str, tmp_path: Path) -> None:
    """Numbers that are no terminal are asked, too."""
    network = deflection(name, **router)
    bench = make(network, "unit", engine=engine, contended=80)
    result = agree(bench, tmp_path, ENGINES[engine])
    links, asked = network.links, 1 << network.destination_width
    assert result.count > links * (asked - 1)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("several", [1, pytest.param(1 << 20, marks=pytest.mark.regress)])
def test_a_wrong_decision_is_found(
    several: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table of one node has another port for one destination; all engines say the same."""
    monkeypatch.setattr(building, "SEVERAL", several)
    network, messages = deflection("uneven"), set()
    for engine, simulator in ENGINES.items():
        bench = make(network, "unit", engine=engine, contended=1)
        files = write(bench, tmp_path / engine)
        (top,) = (file for file in files if file.name == "bench.v")
        text = top.read_text()
        right = node_parameters(network, 3)
        wrong = right[:-3] + f"{int(right[-3], 16) ^ 1:x}" + right[-2:]
        assert text.count(right) == 1
        top.write_text(text.replace(right, wrong))
        result = run(bench, simulator=simulator, directory=tmp_path, sources=files)
        assert result.mismatches == 1
        messages.add((result.message, result.count))
    ((message, _),) = messages
    assert re.fullmatch(r"cycle \d+, node 3, port \d: expected \w+ 0x\w+, seen 0x\w+", message)


EVERY = [
    pytest.param(
        name,
        {
            "hop_cycles": 3 + i % 2,
            "ejections": 1 + i // 2 % 2,
            "table": table,
            "epoch": 6,
            "wait_limit": 4 + i % 3,
            "link_up": (table == "luts") == bool(i % 2) and name not in ("kautz", "digraph"),
        },
        id=f"{name}-{table}",
    )
    for i, name in enumerate(TOPOLOGIES)
    for table in ("ram", "luts")
]


COMPILED: dict[str, Any] = {"engine": "compiled", "seed": 1, "cycles": 600}


@pytest.mark.regress
@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("case", CASES)
def test_lock_step_of_compiled_nodes(case: str, tmp_path: Path) -> None:
    """Each kind of nodes is compiled once; what differs is in the memories of their tables."""
    name, router, stimulus = CASES[case]
    bench = make(deflection(name, **router), "network", **COMPILED, **stimulus)
    result = deliver(bench, tmp_path, "verilator", more_than=500)
    in_cocotb = make(deflection(name, **router), "network", seed=1, cycles=600, **stimulus)
    other = run(in_cocotb, simulator="icarus", directory=tmp_path)
    for field in ("cycles", "packets", "flits", "errors"):
        assert result.details[field] == other.details[field]


def wrong_entry(sources: dict[str, str]) -> None:
    """Let one node think that all directions lead to a destination."""
    entries = re.compile(r"(?<=ENTRIES\()(\d+)'h([0-9a-f]+)(?=\)\) node_3\()")
    found = entries.search(sources["network.v"])
    assert found
    value = int(found[2], 16) | 0xF
    sources["network.v"] = entries.sub(f"{found[1]}'h{value:x}", sources["network.v"])


def never_ready(sources: dict[str, str]) -> None:
    """Let routers tell terminals that nothing goes in where something does."""
    router = sources["borel_router.v"]
    assert "assign inject__ready = " in router
    sources["borel_router.v"] = re.sub(
        r"assign inject__ready = (.*);", r"assign inject__ready = 1'h0 & (\1);", router
    )


@pytest.mark.regress
@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (wrong_entry, r"^cycle \d+, node 3, port \d: expected \w+ 0x\w+, seen 0x\w+$"),
        (never_ready, r"^cycle 0, node 0, terminal: expected ready 0x1, seen 0x0$"),
    ],
)
def test_a_fault_in_compiled_nodes_is_found(
    change: Callable[[dict[str, str]], None], message: str, tmp_path: Path
) -> None:
    bench = make(deflection("borel"), "network", load=0.8, **COMPILED)
    paths = write(bench, tmp_path / "planted")
    sources = {path.name: path.read_text() for path in paths}
    change(sources)
    for path in paths:
        path.write_text(sources[path.name])
    result = run(bench, simulator="verilator", directory=tmp_path, sources=paths)
    assert result.mismatches == 1
    assert re.match(message, result.message)


@pytest.mark.regress
@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize(("name", "router"), EVERY)
def test_lock_step_of_every_kind_of_node(
    name: str, router: dict[str, Any], simulator: str, tmp_path: Path
) -> None:
    for load in (0.2, 1.0):
        stimulus = {"load": load, "malformed": 0.05, "stall": 0.3, "traffic": HOT}
        lock_step(
            deflection(name, **router), tmp_path, simulator=simulator, cycles=1000, **stimulus
        )
