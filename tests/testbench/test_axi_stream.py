import re
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.emit.network import around_network
from fingerpost.hdl.terminal import headers
from fingerpost.testbench.benches.network import AxiStreamBench, NetworkBench
from tests.networks import CASES, EXAMPLES, load
from tests.testbench.agreement import clean
from tests.testbench.faults.networks import OWN, SQUARE

OTHERS: dict[str, Any] = {
    **{
        family: {"topology": {"family": family, **keys}, "routing": {"algorithm": "table"}}
        for family, keys in EXAMPLES.items()
    },
    **{case["topology"]["family"]: case for case in reversed(CASES.values())},
}
"""A network of every family, with an algorithm of its own if it has one."""

FAMILIES = (*OTHERS, "borel-21-adaptive", "mesh-4x4-axi", "petersen-up-down")

PACES = (0.0, 0.0), (0.5, 0.1), (0.1, 0.7)
"""How often drivers are idle and pause, for the families in turn."""


def axi(name: str) -> Network:
    """Return a network with AXI4-Stream terminals."""
    description = {**OTHERS[name], "name": name} if name in OTHERS else load(name).description
    return build({**description, "terminal": {"kind": "axi-stream", "timeout": 200}})


@pytest.mark.parametrize(
    "more",
    [
        {},
        pytest.param({"router": {"flit_width": 8}}, marks=pytest.mark.regress),
        pytest.param({"router": {"flit_width": 64}}, marks=pytest.mark.regress),
        pytest.param({"terminal": {"kind": "axi-stream"}}, marks=pytest.mark.regress),
        pytest.param({"router": {"buffer_depth": 1}}, marks=pytest.mark.regress),
    ],
    ids=str,
)
def test_lock_step(more: dict[str, Any], tmp_path: Path) -> None:
    bench = NetworkBench(build(SQUARE | more), seed=4, cycles=150, load=0.5, malformed=0.3)
    clean(bench, tmp_path)


@pytest.mark.regress
@pytest.mark.parametrize("name", [*FAMILIES, "borel-21-os-link"])
def test_lock_step_of_families(name: str, tmp_path: Path) -> None:
    stall = 0.6 * ([*FAMILIES, "borel-21-os-link"].index(name) % 2)
    slow = {"load": 0.004, "cycles": 4000} if name == "borel-21-os-link" else {"cycles": 300}
    bench = NetworkBench(axi(name), seed=5, malformed=0.2, stall=stall, **slow)
    clean(bench, tmp_path)


@pytest.mark.regress
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"router": {"flit_width": 8}},
        {"router": {"flit_width": 64}},
    ],
    ids=str,
)
def test_drivers_of_others(more: dict[str, Any], tmp_path: Path) -> None:
    """All pairs exchange packets, and one terminal falls silent."""
    result = clean(AxiStreamBench(build(SQUARE | more)), tmp_path)
    assert result.details["packets"] == 6 * 5
    assert result.details["refused"] == 6
    assert result.details["expired"] == 1


@pytest.mark.parametrize(
    ("idle", "pause"),
    [
        pytest.param(0.3, 0.3, marks=pytest.mark.regress),
        pytest.param(0.0, 0.0, marks=pytest.mark.regress),
        pytest.param(0.1, 0.7, marks=pytest.mark.regress),
        pytest.param(0.6, 0.1, marks=pytest.mark.regress),
    ],
)
def test_terminals_with_clocks_of_their_own(idle: float, pause: float, tmp_path: Path) -> None:
    """Slower and faster ones; nothing is lost, and one falls silent."""
    bench = AxiStreamBench(build(OWN), idle=idle, pause=pause)
    result = clean(bench, tmp_path)
    assert result.details["packets"] == 6 * 5
    assert (result.details["refused"], result.details["expired"]) == (6, 1)


@pytest.mark.regress
def test_terminals_with_clocks_of_their_own_on_large_networks(tmp_path: Path) -> None:
    network = build({**load("borel-21-axi").description, "terminal": OWN["terminal"]})
    clean(AxiStreamBench(network), tmp_path)


@pytest.mark.regress
def test_packed_ports_have_the_clock_of_the_network(tmp_path: Path) -> None:
    bench = NetworkBench(build(OWN), seed=4, cycles=150, load=0.5)
    clean(bench, tmp_path)


@pytest.mark.regress
@pytest.mark.parametrize("name", FAMILIES)
def test_drivers_of_others_with_families(name: str, tmp_path: Path) -> None:
    network, (idle, pause) = axi(name), PACES[FAMILIES.index(name) % len(PACES)]
    result = clean(AxiStreamBench(network, idle=idle, pause=pause), tmp_path)
    terminals = len(network.topology.terminals)
    assert result.details["packets"] == terminals * (terminals - 1)


def test_needs_axi_stream() -> None:
    with pytest.raises(ValueError, match=r"^Bench needs AXI4-Stream, as in terminal: "):
        AxiStreamBench(load("borel-21"))


def test_tables_are_one_where_the_source_does_not_matter() -> None:
    borel = around_network(axi("borel-21-axi"))["borel_21_axi_headers"]
    assert re.findall(r"^module (\w+)", borel, re.MULTILINE) == ["borel_21_axi_headers"]
    star = around_network(axi("star-4"))["star_4_headers"]
    names = re.findall(r"^module (\w+)", star, re.MULTILINE)
    assert names == [f"star_4_headers_{node}" for node in range(24)]
    assert star.count("5'd23: entry") == star.count("5'd23: exists") == 24


def test_refuses_too_many_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headers, "MOST_ENTRIES", 400)
    message = (
        r"^AXI4-Stream terminals need at most 20 terminals where headers depend on the source, "
        r"as in star networks, not 24$"
    )
    with pytest.raises(ValueError, match=message):
        around_network(axi("star-4"))
