"""Terminals with end-to-end flow control in lock-step with the model."""

from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import Network, build
from fingerpost.testbench.benches.network import AxiStreamBench, NetworkBench
from tests.networks import PETERSEN, load
from tests.testbench.agreement import clean
from tests.testbench.faults.networks import FLOW, SMALL_FLOW

SETS: dict[str, dict[str, Any]] = {
    "requests-and-drops": {},
    "one-beat": {"eager": 1, "packet_limit": 1, "receive": 1},
    "no-requests": {"eager": 4, "packet_limit": 4, "receive": 4},
    "much-space": {"eager": 1, "packet_limit": 6, "receive": 40},
}
"""Parameters that are tried in small; lengths go up to 7."""

OTHERS: dict[str, dict[str, Any]] = {
    "petersen": {"topology": PETERSEN, "routing": {"algorithm": "table"}},
    "ring-of-os-links": {
        "topology": {"family": "edge-list", "nodes": 3, "links": [(0, 1), (1, 2), (2, 0)]},
        "routing": {"algorithm": "table"},
        "link": {"kind": "os-link", "clocks_per_bit": 4},
    },
}

FAMILIES = "rotator-4", "kautz-2-4", "borel-21-adaptive", "kyklos-2-2-4", "petersen"
"""Directed ones, one that may change the order of packets, one with nodes without terminals."""


def flow(name: str = "", **terminal: Any) -> Network:
    """Return a network with small windows."""
    network = OTHERS.get(name) or (load(name).description if name else FLOW)
    return build({"name": name or "flow", **network, "terminal": SMALL_FLOW | terminal})


@pytest.mark.parametrize(
    "simulator", ["icarus", pytest.param("verilator", marks=pytest.mark.regress)]
)
@pytest.mark.parametrize(
    "name",
    ["requests-and-drops", *(pytest.param(s, marks=pytest.mark.regress) for s in [*SETS][1:])],
)
def test_lock_step(name: str, simulator: str, tmp_path: Path) -> None:
    network = flow(**SETS[name])
    options: dict[str, Any] = {"load": 0.9, "lengths": (1, 7), "malformed": 0.2}
    clean(NetworkBench(network, seed=4, cycles=200, **options), tmp_path, simulator)


@pytest.mark.regress
@pytest.mark.parametrize(
    "more",
    [
        {"traffic": "hotspot:nodes=0,share=1", "stall": 0.5},
        {"stall": 0.0, "load": 1.0},
        {"stall": 0.9},
    ],
    ids=str,
)
def test_lock_step_under_stress(more: dict[str, Any], tmp_path: Path) -> None:
    options: dict[str, Any] = {"seed": 6, "cycles": 200, "load": 0.6, "lengths": (1, 7)} | more
    bench = NetworkBench(flow(), **options)
    clean(bench, tmp_path)


@pytest.mark.regress
@pytest.mark.parametrize(
    "router", [{"flit_width": 8}, {"flit_width": 64}, {"buffer_depth": 1}], ids=str
)
def test_lock_step_with_routers(router: dict[str, Any], tmp_path: Path) -> None:
    bench = NetworkBench(
        build({**FLOW, "router": router}), seed=4, cycles=200, load=0.6, lengths=(1, 7)
    )
    clean(bench, tmp_path)


@pytest.mark.regress
def test_lock_step_of_classes(tmp_path: Path) -> None:
    """Each message class has flow control of its own, and shares the port of the router."""
    network = build({**FLOW, "router": {"classes": 2}})
    bench = NetworkBench(network, seed=4, cycles=200, load=0.9, lengths=(1, 7), malformed=0.2)
    clean(bench, tmp_path)


@pytest.mark.regress
@pytest.mark.parametrize("name", FAMILIES)
def test_lock_step_of_families(name: str, tmp_path: Path) -> None:
    bench = NetworkBench(flow(name), seed=5, cycles=150, load=0.5, lengths=(1, 7), malformed=0.2)
    clean(bench, tmp_path)


@pytest.mark.regress
def test_lock_step_with_os_links(tmp_path: Path) -> None:
    bench = NetworkBench(
        flow("ring-of-os-links"), seed=5, cycles=4000, load=0.02, lengths=(1, 7), malformed=0.2
    )
    clean(bench, tmp_path)


@pytest.mark.parametrize(
    "terminal", [{}, pytest.param({"clock": "own"}, marks=pytest.mark.regress)], ids=str
)
def test_drivers_of_others(terminal: dict[str, Any], tmp_path: Path) -> None:
    """All pairs exchange packets of up to 5 beats, by drivers that know nothing of the model."""
    bench = AxiStreamBench(flow(**terminal))
    result = clean(bench, tmp_path)
    assert result.details["packets"] == 6 * 5
    assert (result.details["refused"], result.details["expired"]) == (6, 0)
