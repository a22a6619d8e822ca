"""AXI4-Stream over deflection routers in the model: many flits, any order, one at a time."""

from typing import Any

import numpy as np
import pytest

from fingerpost.golden.engine import Run
from fingerpost.golden.engine.deflection import Deflection
from fingerpost.golden.network.deflection import DeflectionNetwork, build_deflection
from fingerpost.golden.terminal.flow_layout import FlowControl
from fingerpost.golden.traffic import Traffic
from tests.golden.deflection.examples import deflection
from tests.golden.test_flow_control import healthy, packets


def streams(name: str, router: dict[str, Any] | None = None, **terminal: Any) -> DeflectionNetwork:
    kind = {"kind": "axi-stream", "flow_control": "end-to-end", **terminal}
    return build_deflection({**deflection(name, **(router or {})).description, "terminal": kind})


def started(network: DeflectionNetwork, traffic: Traffic, **options: Any) -> Deflection:
    """Return an engine behind the cycles in which memories are cleared."""
    terminal: Any = network.terminal
    flow: FlowControl = terminal.flow(network)
    traffic.time += flow.clearing
    found = Deflection(network, [traffic], **options)
    found.run(flow.clearing)
    return found


def drained(engine: Deflection, limit: int) -> Run:
    """Return the run behind all packets, and their credits."""
    run = engine.runs[0]
    for _ in range(limit):
        engine.run(1)
        if run.empty:
            break
    assert run.empty, f"{(run.delivered[run.expected] < 0).sum()} packets are missing"
    return run


@pytest.mark.parametrize(
    ("name", "terminal"),
    [
        ("uneven", {"eager": 2, "packet_limit": 5, "receive": 6}),
        pytest.param("kyklos", {"packet_limit": 6, "receive": 6}, marks=pytest.mark.regress),
        pytest.param("digraph", {"eager": 1, "receive": 70}, marks=pytest.mark.regress),
        pytest.param("borel", {"eager": 16}, marks=pytest.mark.regress),
    ],
)
def test_packets_come_whole_and_in_order(name: str, terminal: dict[str, Any]) -> None:
    network = streams(name, **terminal)
    traffic = Traffic(network, 0.9, 80, seed=3, lengths=(1, 7), malformed=0.2)
    run = drained(started(network, traffic, stall=0.3, plain=name == "uneven"), 4000)
    healthy(run)
    assert (run.delivered[run.expected] >= 0).sum() > 50


@pytest.mark.regress
@pytest.mark.parametrize("hop_cycles", [3, 4])
def test_latency_of_a_packet_alone(hop_cycles: int) -> None:
    """By hand: 5 cycles as with other routers, 1 in the queue for a place, 2 to be put in order.

    A longer packet waits for its request to go there, and for the grant to come back: 7 cycles as
    with other routers, 1 in each queue, 3 to put the request in order.
    """
    network = streams("uneven", {"hop_cycles": hop_cycles}, eager=4, packet_limit=8, receive=8)
    rows = [(i % 6, (5 * i + 1 + i // 6) % 6, 120 * i, 1 + i % 8) for i in range(16)]
    run = drained(started(network, packets(network, *(r for r in rows if r[0] != r[1]))), 2500)
    t = run.traffic
    hops = network.destinations.distance[t.source, t.destination].astype(int)
    alone = hop_cycles * hops + 1
    cycles = alone + 8 + 2 * (t.length - 1) + (t.length > 4) * (2 * alone + 12)
    assert np.array_equal(run.delivered - t.time, cycles)
    given = zip(hops.tolist(), t.length.tolist(), strict=True)
    assert [network.least_latency(*one) for one in given] == cycles.tolist()
