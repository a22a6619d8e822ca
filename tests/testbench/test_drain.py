"""A run ends when its network is empty, or when it ought to be."""

from typing import Any

import pytest

from fingerpost.golden.network.network import build
from fingerpost.golden.service.endless import endless
from fingerpost.golden.service.flows import hot_spot
from fingerpost.testbench.compiled.assembly import Layout
from fingerpost.testbench.compiled.script import EngineScript, RunScript, Script
from tests.testbench.faults.networks import RING_8
from tests.testbench.planted import ROTATOR
from tests.testbench.test_shapes import SILENT


@pytest.mark.parametrize("kind", [EngineScript, RunScript])
def test_all_to_one_terminal_have_time_to_end(kind: type[Script]) -> None:
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
    script = kind(network, bench, Layout(network))
    while script.chunk(1000).cycles:
        pass
    assert script.lacking() == ""
    facts = script.report("")
    assert facts["delivered"] == facts["packets"] == 7
    assert facts["cycles"] > bench["cycles"] + 2 * length + 1


@pytest.mark.parametrize("kind", [EngineScript, RunScript])
def test_a_run_without_a_good_packet_ends(kind: type[Script]) -> None:
    """Routers discard all that was sent, so no terminal receives, and none gives a credit back."""
    bench = SILENT | {"malformed": 1.0}
    network = build(ROTATOR)
    script = kind(network, bench, Layout(network))
    while script.chunk(1000).cycles:
        pass
    assert script.lacking() == ""
    facts = script.report("")
    assert (facts["packets"], facts["flits"]) == (0, 0)
    assert facts["errors"] > 0
