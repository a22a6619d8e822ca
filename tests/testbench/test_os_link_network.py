"""Networks across OS-Links: in lock-step on one clock, and every node on its own."""

from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import Network, build
from fingerpost.testbench.benches.network import ClocksBench, NetworkBench
from fingerpost.testbench.cosim import run
from fingerpost.testbench.toolchain import SIMULATORS
from tests.networks import PETERSEN, load
from tests.testbench.agreement import agree, deliver
from tests.testbench.faults.networks import RING


@pytest.fixture
def borel21() -> Network:
    return load("borel-21-os-link")


@pytest.mark.regress
@pytest.mark.parametrize(
    "link", [{"clocks_per_bit": 4, "timeout": 12}, {"clocks_per_bit": 8, "acknowledge": "late"}]
)
def test_lock_step_in_icarus(link: dict[str, Any], tmp_path: Path) -> None:
    net = build(RING | {"link": {"kind": "os-link", **link}})
    bench = NetworkBench(net, cycles=600, load=0.01, lengths=(1, 4), malformed=0.1)
    deliver(bench, tmp_path, more_than=5)


@pytest.mark.regress
@pytest.mark.parametrize("simulator", SIMULATORS)
def test_lock_step_of_21_nodes(simulator: str, borel21: Network, tmp_path: Path) -> None:
    loads = (0.001, 0.02) if simulator == "verilator" else (0.003,)
    for load_ in loads:
        deliver(
            NetworkBench(
                borel21,
                cycles=10_000 if simulator == "verilator" else 3000,
                load=load_,
                lengths=(1, 5),
                malformed=0.05,
            ),
            tmp_path,
            simulator,
            more_than=40,
        )


@pytest.mark.verilator
@pytest.mark.regress
def test_lock_step_of_other_degrees(tmp_path: Path) -> None:
    net = build(RING | {"name": "petersen", "topology": PETERSEN})
    bench = NetworkBench(net, cycles=10_000, load=0.01, lengths=(1, 5), malformed=0.05)
    deliver(bench, tmp_path, "verilator", more_than=100)


@pytest.mark.regress
def test_nodes_of_several_kinds_and_without_terminal(tmp_path: Path) -> None:
    net = build(
        RING
        | {
            "name": "kyklos",
            "topology": {"family": "kyklos", "m": 2, "r": 2, "n": 2},
            "routing": {"algorithm": "m"},
            "link": {"kind": "os-link"},
        }
    )
    assert len(net.topology.node_types) == 3
    bench = NetworkBench(net, cycles=1500, load=0.01, lengths=(1, 4), malformed=0.05)
    deliver(bench, tmp_path, more_than=5)
    result = agree(ClocksBench(net), tmp_path)
    assert result.details["delivered"] == 4 * 3


@pytest.mark.regress
@pytest.mark.parametrize(
    ("nodes", "links", "router"),
    [
        (5, RING["topology"]["links"], {}),
        # Ports without a link, the shortest buffers, the widest flits.
        (3, [(0, 1), (1, 2)], {"buffer_depth": 1, "flit_width": 56}),
        (2, [(0, 1)], {"flit_width": 24}),
    ],
)
def test_every_node_on_its_own_clock(
    nodes: int, links: list[tuple[int, int]], router: dict[str, int], tmp_path: Path
) -> None:
    topology = {"family": "edge-list", "nodes": nodes, "links": links}
    more = {"topology": topology, "router": router, "link": {"kind": "os-link"}}
    result = agree(ClocksBench(build(RING | more), rounds=2), tmp_path)
    assert result.details["delivered"] == 2 * nodes * (nodes - 1)


@pytest.mark.regress
@pytest.mark.parametrize(("simulator", "rounds"), [("icarus", 1), ("verilator", 4)])
def test_21_nodes_each_on_its_own_clock(
    simulator: str, rounds: int, borel21: Network, tmp_path: Path
) -> None:
    result = agree(ClocksBench(borel21, rounds=rounds), tmp_path, simulator)
    assert result.details["delivered"] == result.details["frames"] == rounds * 21 * 20


@pytest.mark.regress
def test_clocks_too_far_apart_are_found_out(tmp_path: Path) -> None:
    topology = {"family": "edge-list", "nodes": 2, "links": [(0, 1)]}
    net = build(RING | {"topology": topology, "link": {"kind": "os-link", "clocks_per_bit": 4}})
    bench = ClocksBench(net, offset=0.06, patience=3)
    result = run(bench, simulator="icarus", directory=tmp_path)
    assert result.mismatches
    assert result.message


def test_level_clocks_is_for_os_links() -> None:
    net = build(RING | {"link": {"kind": "flit"}})
    message = r"^Level clocks needs OS-Links, as in link: \{kind: os-link\}$"
    with pytest.raises(ValueError, match=message):
        ClocksBench(net)
