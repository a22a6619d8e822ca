"""The compiled deflection routers equal the reference in every register of every cycle."""

from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.compiled import unfit
from fingerpost.golden.network.deflection import DeflectionNetwork, build_deflection
from fingerpost.netfile.source import load_any
from tests.golden.compiled.lockstep import lock_step
from tests.golden.deflection.examples import ROUTERS, TOPOLOGIES, deflection
from tests.golden.test_flow_control_deflection import streams

MALFORMED: dict[str, Any] = {"load": 0.8, "malformed": 0.1, "seed": 3}

LARGE = "borel-1081", "torus-32x32"
"""Networks with which the reference takes a second for some tens of cycles."""


def large(name: str) -> DeflectionNetwork:
    description = load_any(Path("networks") / f"{name}.yaml").description
    return build_deflection(
        {"name": name, "topology": description["topology"], "router": {"kind": "deflection"}}
    )


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_every_register_in_every_cycle(name: str) -> None:
    network = deflection(name, **ROUTERS[name])
    assert unfit(network) == ""
    assert lock_step(network, 160, stop=120, traffic=MALFORMED, stall=0.3) == ""


@pytest.mark.parametrize("name", ["mesh", "digraph"])
def test_terminals_that_wait_stop_the_others(name: str) -> None:
    network = deflection(name, wait_limit=4, injection="half", ejections=1)
    assert lock_step(network, 300, traffic=MALFORMED | {"load": 1.0}, stall=0.7) == ""


TERMINALS: dict[str, tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "interior nodes": (
        "kyklos", {"eager": 2, "packet_limit": 7, "receive": 9}, {"load": 0.6, "lengths": (1, 9)},
        {"stall": 0.2, "reads_until": {3: 290}, "reads_again": {3: 420}},
    ),
    "one beat": ("borel", {}, {"load": 1.0}, {}),
    "long": ("mesh", {}, {"load": 1.0, "lengths": (1, 40), "malformed": 0.05}, {"stall": 0.1}),
    "directed": ("digraph", {"eager": 1, "receive": 70}, {"load": 0.9, "lengths": 4}, {}),
    "never reads": ("torus", {}, {"load": 0.5, "lengths": 16}, {"reads_until": {5: 0}}),
    "three cycles": ("star", {}, {"load": 0.9, "lengths": (1, 30)}, {"stall": 0.3}),
}  # fmt: skip
"""Topology, terminals, traffic and options."""


def axi_lock_step(case: str, cycles: int, *, stop: int) -> str:
    name, terminal, traffic, options = TERMINALS[case]
    router = {key: ROUTERS[name][key] for key in {*ROUTERS[name]} - {"ejections"}}
    network = streams(name, router, **terminal)
    assert unfit(network) == ""
    return lock_step(network, cycles, stop=stop, traffic={"seed": 3, **traffic}, **options)


@pytest.mark.regress
def test_every_register_of_axi_terminals_in_every_cycle() -> None:
    assert axi_lock_step("interior nodes", 600, stop=520) == ""


@pytest.mark.regress
@pytest.mark.exact
@pytest.mark.parametrize("case", TERMINALS)
def test_all_axi_terminals_for_long(case: str) -> None:
    assert axi_lock_step(case, 4000, stop=3500) == ""


def test_flits_wider_than_the_model() -> None:
    network = deflection("petersen", flit_width=128)
    assert lock_step(network, 60, traffic=MALFORMED) == ""


@pytest.mark.regress
@pytest.mark.exact
@pytest.mark.parametrize("share", [0.1, 0.4, 1.0])
@pytest.mark.parametrize("name", TOPOLOGIES)
def test_all_examples_for_long(name: str, share: float) -> None:
    for router in ({}, ROUTERS[name]):
        network, traffic = deflection(name, **router), MALFORMED | {"load": share}
        assert lock_step(network, 3000, stop=2500, traffic=traffic, stall=0.1) == ""


@pytest.mark.regress
@pytest.mark.exact
@pytest.mark.parametrize("share", [0.1, 1.0])
@pytest.mark.parametrize("name", LARGE)
def test_large_networks(name: str, share: float) -> None:
    traffic = MALFORMED | {"load": share}
    assert lock_step(large(name), 200, stop=160, traffic=traffic, stall=0.1) == ""
