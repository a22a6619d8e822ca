"""The counters of a network against the model, read by a third party's driver of AXI4-Lite."""

from pathlib import Path
from typing import Any, cast

import pytest

from fingerpost.golden.network.kinds import build_any
from fingerpost.golden.network.network import Network, build
from fingerpost.testbench.benches.network import CountersBench, NetworkBench
from tests.networks import load
from tests.testbench.agreement import agree, deliver
from tests.testbench.faults.networks import COUNTED

AXI: dict[str, Any] = {"terminal": {"kind": "axi-stream", "timeout": 20}}
FEW: dict[str, Any] = {"counters": {"kind": "axi-lite", "of": "terminals"}}
FLOW: dict[str, Any] = {
    "terminal": {
        "kind": "axi-stream",
        "flow_control": "end-to-end",
        "eager": 1,
        "packet_limit": 6,
        "receive": 6,
    }
}
LINKS = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3)]
SETTINGS: dict[str, Any] = {"seed": 3, "cycles": 150, "load": 0.7, "malformed": 0.2}


@pytest.mark.parametrize(
    ("more", "each"),
    [
        pytest.param({}, 2 + 3 + 4 + 2, marks=pytest.mark.regress),
        pytest.param(AXI, 2 + 3 + 4 + 4, marks=pytest.mark.regress),
        pytest.param(FEW, 2 + 2, marks=pytest.mark.regress),
        pytest.param(AXI | FEW, 2 + 4, marks=pytest.mark.regress),
    ],
    ids=["ports", "axi", "terminals", "axi-terminals"],
)
def test_counts_are_those_of_the_model(more: dict[str, Any], each: int, tmp_path: Path) -> None:
    """Exact, of one cycle, from the last clear on."""
    bench = CountersBench(build(COUNTED | more), **SETTINGS)
    result = deliver(bench, tmp_path)
    assert result.details["compared"] == 4 * 6 * each
    assert result.details["errors"] > 0 or more


@pytest.mark.parametrize(
    ("more", "each"),
    [({}, 1 + 2 + 3 + 1), pytest.param(FEW | FLOW, 2 + 3, marks=pytest.mark.regress)],
    ids=["ports", "axi"],
)
def test_counts_of_deflection_routers(more: dict[str, Any], each: int, tmp_path: Path) -> None:
    """Received are counted by ejection port; nothing waits, so nothing is stalled."""
    network = build_any(
        {
            "name": "deflects",
            "topology": {"family": "edge-list", "nodes": 4, "links": LINKS},
            "router": {"kind": "deflection"},
            "counters": {"kind": "axi-lite"},
            **more,
        }
    )
    lengths: dict[str, Any] = {} if "terminal" in more else {"lengths": (1, 1)}
    bench = CountersBench(cast(Network, network), **(SETTINGS | lengths))
    result = deliver(bench, tmp_path)
    assert result.details["compared"] == 4 * 4 * each


@pytest.mark.regress
def test_counts_flits_without_a_credit(tmp_path: Path) -> None:
    bench = CountersBench(build(COUNTED), surplus=1, **SETTINGS)
    result = agree(bench, tmp_path)
    assert result.details["overruns"] > 0


@pytest.mark.regress
def test_counts_flits_of_all_message_classes(tmp_path: Path) -> None:
    network = build(COUNTED | FEW | {"router": {"classes": 2, "buffer_depth": 2}})
    result = deliver(CountersBench(network, **SETTINGS), tmp_path)
    assert result.details["compared"] == 4 * 6 * (2 + 2)


@pytest.mark.regress
@pytest.mark.parametrize("name", ["borel-21", "kyklos-2-2-4", "mesh-4x4-axi"])
def test_counts_of_families(name: str, tmp_path: Path) -> None:
    network = build({**load(name).description, "counters": {"kind": "axi-lite"}})
    bench = CountersBench(network, snapshots=2, most=40, **SETTINGS)
    deliver(bench, tmp_path)


@pytest.mark.regress
@pytest.mark.verilator
def test_counts_in_verilator(tmp_path: Path) -> None:
    bench = CountersBench(build(COUNTED), **SETTINGS)
    deliver(bench, tmp_path, "verilator")


@pytest.mark.regress
def test_other_benches_leave_the_bus_alone(tmp_path: Path) -> None:
    deliver(NetworkBench(build(COUNTED), cycles=150), tmp_path)


def test_needs_counters() -> None:
    with pytest.raises(ValueError, match=r"^Bench needs counters, as in counters: \{kind: axi-l"):
        CountersBench(load("borel-21"))
