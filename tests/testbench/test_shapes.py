"""Any shape of traffic: hardware and model stay in lock-step, nothing is lost, and runs end."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from fingerpost.golden.network.network import Network, build
from fingerpost.testbench.benches import make
from fingerpost.testbench.benches.network_script import NetworkTurn
from fingerpost.testbench.compiled import build as building
from tests.golden.service.endless import endless, hot_spot
from tests.testbench.agreement import agree
from tests.testbench.faults.networks import BOREL_21, RING_8, TURNING
from tests.testbench.faults.plant import ROTATOR

TORUS = TURNING | {
    "name": "torus",
    "router": {"virtual_channels": 2, "buffer_depth": 2, "bypass_limit": 3, "turn_bypass_limit": 2},
}

NETWORKS = {each["name"]: build(each) for each in (ROTATOR, BOREL_21, TORUS)}

MOST = 9
"""Flits of a packet."""

EXAMPLES = 40

SILENT = {
    "cycles": 3, "load": 0.5, "lengths": (1, 3), "malformed": 0.5, "stall": 0.0, "surplus": 0,
    "traffic": "uniform", "arrivals": "bernoulli", "seed": 19947,
}  # fmt: skip
"""On the rotator all packets are malformed, so nothing comes out."""


@st.composite
def shapes(draw: Callable[..., Any]) -> dict[str, Any]:
    """Draw what terminals do."""
    least = draw(st.integers(1, MOST))
    arrivals, most = draw(st.sampled_from([("bernoulli", 1.0), ("on-off", 0.5)]))
    return {
        "cycles": draw(st.integers(1, 400)),
        "load": draw(st.floats(0.01, most)),
        "lengths": (least, draw(st.integers(least, MOST))),
        "malformed": draw(st.sampled_from([0.0, 0.02, 0.5])),
        "stall": draw(st.sampled_from([0.0, 0.3, 0.9])),
        "surplus": draw(st.sampled_from([0, 0, 1, 3])),
        "traffic": draw(st.sampled_from(["uniform", "bitcomp", "tornado", "randperm", "neighbor"])),
        "arrivals": arrivals,
        "seed": draw(st.integers(0, 1 << 20)),
    }


@pytest.mark.regress
@pytest.mark.parametrize("network", NETWORKS.values(), ids=[*map(str, NETWORKS)])
def test_any_shape_of_traffic_stays_in_step(network: Network, folder: Path) -> None:
    seen = {"flits": 0, "errors": 0, "overruns": 0}

    @settings(
        max_examples=EXAMPLES, deadline=None, database=None, derandomize=True,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(shapes())
    @example(SILENT)
    def tried(shape: dict[str, Any]) -> None:
        bench = make(network, "network", engine="compiled", **shape)
        result = agree(bench, folder, "verilator")
        for name in seen:
            seen[name] += result.details[name]
        if not (shape["malformed"] or shape["surplus"]):
            assert result.details["delivered"] == result.details["packets"]
            assert result.details["errors"] == result.details["overruns"] == 0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "OPTIMISE", "-O0")
        tried()
    # It has been through traffic, errors and senders without credits.
    assert all(seen.values())


def ended(network: Network, given: dict[str, Any], most: int) -> NetworkTurn:
    """Go through a turn, at most so many cycles at once, as engines do."""
    turn = NetworkTurn(network, given)
    while turn.chunk(most).cycles:
        pass
    assert turn.lacking() == ""
    return turn


@pytest.mark.parametrize("most", [1, 1000])
def test_all_to_one_terminal_have_time_to_end(most: int) -> None:
    """When the senders stop, each has a packet to end, and one terminal takes them all."""
    network = build(RING_8)
    length = 500
    bench: dict[str, Any] = {
        "cycles": 100,
        "load": None,
        "seed": 0,
        "lengths": (length, length),
        "malformed": 0.0,
        "traffic": endless(network, hot_spot(network, 0), length=length, cycles=length),
        "arrivals": "bernoulli",
        "stall": 0.0,
        "surplus": 0,
    }
    turn = ended(network, bench, most)
    facts = turn.report()
    assert facts["delivered"] == facts["packets"] == 7
    assert turn.cycle > bench["cycles"] + 2 * length + 1


@pytest.mark.parametrize("most", [1, 1000])
def test_a_run_without_a_good_packet_ends(most: int) -> None:
    """Routers discard all that was sent, so no terminal receives, and none gives a credit back."""
    facts = ended(build(ROTATOR), SILENT | {"malformed": 1.0}, most).report()
    assert (facts["packets"], facts["flits"]) == (0, 0)
    assert facts["errors"] > 0
