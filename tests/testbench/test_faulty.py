"""Networks with faults in hardware: as the model, and with nothing where a node is lost."""

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.emit.network import network_ports, router_names
from fingerpost.hdl.export.generate import generate
from fingerpost.testbench.benches.network import NetworkBench
from fingerpost.testbench.benches.unit import UnitBench
from fingerpost.testbench.toolchain import SIMULATORS
from tests.networks import PETERSEN
from tests.quick import only
from tests.testbench.agreement import agree
from tests.testbench.test_families import BOREL, KYKLOS
from tests.testbench.test_lint import lint, says_nothing

CASES: dict[str, tuple[dict[str, Any], str, str]] = {
    "ring": ({"family": "grid", "sizes": [8], "wrap": True}, "table", "link:0-1,node:3"),
    "petersen": (PETERSEN, "table", "link:0-1,node:7"),
    "petersen-up-down": (PETERSEN, "up-down", "links=4,nodes=1,seed=2"),
    "petersen-adaptive": (PETERSEN, "adaptive-table", "link:0-1,node:7"),
    "borel-adaptive": (BOREL, "adaptive-table", "links=10%,nodes=2,seed=1"),
    "borel-table": (BOREL, "table", "links=10%,nodes=2,seed=1"),
    "borel-up-down": (BOREL, "up-down", "links=10%,nodes=2,seed=1"),
    "kyklos": (KYKLOS, "table", "links=6,seed=1"),
    "rotator": ({"family": "rotator", "n": 4}, "table", "links=4,nodes=1,seed=2"),
    "mesh": ({"family": "grid", "sizes": [3, 3]}, "up-down", "link:0,0-1,0,link:0,0-0,1"),
}
"""Topology, algorithm and faults."""

SHORT = "ring"
"""What `make test` tries too; all others are for `make regress`."""


def network(case: str) -> Network:
    topology, algorithm, faults = CASES[case]
    routing = {"algorithm": algorithm}
    return build({"name": case, "topology": topology, "routing": routing, "faults": faults})


@pytest.mark.parametrize(
    ("case", "simulator"), only([(SHORT, "icarus")], product(CASES, SIMULATORS))
)
def test_lock_step(case: str, simulator: str, tmp_path: Path) -> None:
    damaged = network(case)
    assert len(damaged.topology.lost)
    bench = NetworkBench(damaged, cycles=150, load=0.4, malformed=0.1)
    result = agree(bench, tmp_path, simulator)
    assert result.details["delivered"] > 5 * len(damaged.topology.terminals)


@pytest.mark.regress
@pytest.mark.parametrize("case", CASES)
def test_every_decision(case: str, tmp_path: Path) -> None:
    agree(UnitBench(network(case)), tmp_path)


def test_nothing_stands_where_a_node_is_lost(tmp_path: Path) -> None:
    damaged = network(SHORT)  # the ring falls apart: 4 to 0 stay, 1 and 2 are cut off
    assert damaged.topology.lost.tolist() == [1, 2, 3]
    generate(damaged, tmp_path)
    names, kinds = router_names(damaged), damaged.topology.node_type
    texts = [(tmp_path / f"{names[kinds[v]]}.v").read_text(encoding="utf-8") for v in (3, 4, 5)]
    assert ["vc_buffer" in text for text in texts] == [False, True, True]
    assert lint("ring", names[kinds[3]], tmp_path).returncode == 0
    ports = {port.name: port for port in network_ports(damaged)}
    assert ports["inject_valid"].bits == 8  # nodes keep their numbers


@pytest.mark.regress
def test_lint_has_nothing_to_say(tmp_path: Path) -> None:
    generate(network("petersen"), tmp_path)
    says_nothing("petersen", "petersen_network", tmp_path)
