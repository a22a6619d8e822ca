"""OS-Link terminals: in lock-step with the model, and under peers that know the wires alone."""

import re
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.emit.network import around_network
from fingerpost.hdl.lib.ports import part
from fingerpost.testbench.benches.network import NetworkBench, OsLinkTerminalsBench
from fingerpost.testbench.cosim import Result, run
from tests.networks import load
from tests.testbench.faults.networks import TRIANGLE

LONG = pytest.mark.regress
TERMINAL = TRIANGLE["terminal"]
PEERS: dict[str, dict[str, Any]] = {
    "late": {"acknowledge": "late", "fifo": 1},
    "ignored": {"stop": "ignored", "clocks_per_bit": 5, "fifo": 4},
    "slot": {"slot": 12, "timeout": 400},
    "never": {"timeout": 0},
    "any length": {"longest": 65_535},
}
"""Settings of the ports, and of the interfaces."""


def triangle(terminal: dict[str, Any] | None = None, **more: Any) -> Network:
    return build(TRIANGLE | more | {"terminal": TERMINAL | (terminal or {})})


def clean(result: Result, least: int) -> None:
    assert (result.mismatches, result.message) == (0, "")
    assert result.details["delivered"] == result.details["packets"] >= least
    assert result.details["errors"] == 0


def lock_step(network: Network, folder: Path, **more: Any) -> Result:
    given = {"cycles": 2500, "load": 0.05, "malformed": 0.5, "seed": 88, **more}
    return run(NetworkBench(network, **given), simulator="icarus", directory=folder)


@pytest.mark.regress
def test_lock_step(tmp_path: Path) -> None:
    clean(lock_step(triangle({"timeout": 64}), tmp_path), 3)


@LONG
@pytest.mark.parametrize("peer", PEERS)
def test_lock_step_with_other_peers(peer: str, tmp_path: Path) -> None:
    clean(lock_step(triangle(PEERS[peer]), tmp_path, cycles=9000), 8)


@LONG
@pytest.mark.parametrize("width", [16, 24, 56])
def test_lock_step_with_other_beats(width: int, tmp_path: Path) -> None:
    network = triangle({"timeout": 64}, router={"flit_width": width})
    clean(lock_step(network, tmp_path, cycles=9000), 8)


@pytest.mark.regress
def test_all_pairs(tmp_path: Path) -> None:
    """Messages between all; then one gives up, one is deaf, one is cut off, and so on."""
    result = run(OsLinkTerminalsBench(triangle()), simulator="icarus", directory=tmp_path)
    clean(result, 3 * 3)
    assert result.details["refused"] == 3 * 2  # to no terminal, and too long
    assert result.details["expired"] == 3 + 1
    assert result.details["lost"] == 2 + 1 + 2
    assert result.details["flaws"] == 1


@LONG
@pytest.mark.parametrize("peer", PEERS)
def test_all_pairs_with_other_peers(peer: str, tmp_path: Path) -> None:
    bench = OsLinkTerminalsBench(triangle(PEERS[peer]), rounds=2, pause=0.4)
    clean(run(bench, simulator="icarus", directory=tmp_path), 2 * 3 * 3)


@LONG
@pytest.mark.parametrize("width", [16, 40, 56])
def test_all_pairs_with_other_beats(width: int, tmp_path: Path) -> None:
    bench = OsLinkTerminalsBench(triangle(router={"flit_width": width}), seed=width, late=1)
    clean(run(bench, simulator="icarus", directory=tmp_path), 3 * 3)


@LONG
@pytest.mark.parametrize(
    ("name", "terminals", "more"),
    [
        ("petersen-transputers", 10, {}),
        # Nodes without terminal, of several kinds; then headers that depend on the source.
        ("kyklos-2-2-4", 4, {"topology": {"family": "kyklos", "m": 2, "r": 2, "n": 2}}),
        ("star-4", 6, {"topology": {"family": "star", "n": 3}, "router": {"flit_width": 32}}),
        ("rotator-4", 6, {"topology": {"family": "rotator", "n": 3}, "router": {}}),
    ],
)
def test_all_pairs_of_families(
    name: str, terminals: int, more: dict[str, Any], tmp_path: Path
) -> None:
    network = build({**load(name).description, "terminal": TERMINAL, **more})
    bench = OsLinkTerminalsBench(network, most=6, pause=0.1)
    result = run(bench, simulator="icarus", directory=tmp_path)
    clean(result, terminals**2)


@LONG
def test_all_pairs_across_os_links(tmp_path: Path) -> None:
    """Serial links between the nodes, too."""
    network = triangle({"timeout": 4000}, link={"kind": "os-link", "clocks_per_bit": 4})
    bench = OsLinkTerminalsBench(network, patience=100)
    clean(run(bench, simulator="icarus", directory=tmp_path), 3 * 3)


def test_ports_of_their_own() -> None:
    """Nodes without terminal have none."""
    network = build({**load("kyklos-2-2-4").description, "terminal": TERMINAL})
    text = around_network(network)["kyklos_2_2_4_links"]
    terminals = network.topology.terminals.tolist()
    assert re.findall(r"input link_in_(\d+)", text) == [str(v) for v in terminals]
    assert re.findall(r"output link_out_(\d+)", text) == [str(v) for v in terminals]
    for v in range(network.topology.nodes):
        assert (f"assign {part('link_in', v, 1)} = link_in_{v};" in text) == (v in terminals)


def test_needs_os_links() -> None:
    with pytest.raises(ValueError, match=r"^Bench needs OS-Links, as in terminal: \{kind: os-l"):
        OsLinkTerminalsBench(load("borel-21"))
