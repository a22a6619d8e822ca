"""Latency of packets that meet no others, by a formula that is written down here anew."""

import re
from itertools import pairwise
from math import ceil

import numpy as np
import pytest

from fingerpost.golden.analysis.loads import loads
from fingerpost.golden.engine import engine
from fingerpost.golden.measure.latency import zero_load
from fingerpost.golden.network.network import Network
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.traffic import Traffic
from fingerpost.netfile.source import read
from tests.fingerpost.common import NETWORKS
from tests.golden.model.networks import built
from tests.golden.service.endless import endless
from tests.networks import PETERSEN, load
from tests.quick import only

LAUNCH = {
    "borel-21": 2,  # two-phase by table
    "borel-21-shortest": 1,  # vertex-transitive, path hop
    "borel-21-adaptive": 1,
    "metacyclic-84": 2,  # two-phase by table
    "petersen-up-down": 0,
    "kyklos-2-2-4": 2,
    "rotator-4": 0,
    "scc-4": 0,
    "star-4": 0,
    "super-rotator-13": 2,
    "torus-8x8": 0,
}
"""Cycles that making a header takes, by docs/explanation/router.md and docs/howto/integrate.md."""


def journey(network: Network, source: int, goal: int, flits: int) -> tuple[int, int, int]:
    """Send one packet; return its latency, the links it took, and where it came out."""
    destination = np.full(network.topology.nodes, -1)
    destination[source] = goal
    alone = endless(network, destination, length=flits, cycles=0)
    model = engine(network, [Traffic(network, None, 1, pattern=alone)])
    model.run(1000, until_delivered=True)
    run = model.runs[0]
    assert run.faults == []
    assert run.delivered.min() > 0
    hops = run.sent[:, : network.topology.local].sum() // flits
    return int(run.delivered[0]), int(hops), int(run.received.argmax())


def check_latencies(network: Network, hop: int, generate_header: int, flits: int) -> None:
    """Compare the latency of some packets with the formula."""
    rng = np.random.default_rng(3)
    for source, goal in rng.choice(network.topology.terminals, (12, 2)).tolist():
        latency, hops, at = journey(network, source, goal, flits)
        assert at == goal
        if not network.routing.selection:
            assert hops == walk(network.routing, np.array(source), np.array([goal])).hops[0]
        # A flit is on the link, is granted and crosses, perhaps in the next cycle: two cycles or
        # three in each router, of which there is one more than there are links.
        expected = generate_header + hop * (hops + 1) + flits - 1
        assert latency == expected == network.least_latency(hops, flits)
        assert zero_load(network, hops, flits=flits) == expected


@pytest.mark.parametrize("name", only([*LAUNCH][:3] + [*LAUNCH][4:], LAUNCH))
@pytest.mark.parametrize(("hop", "flits"), [(2, 1), (2, 4), (3, 4)])
def test_latency_of_one_packet_to_the_cycle(name: str, hop: int, flits: int) -> None:
    network = read(NETWORKS / f"{name}.yaml").with_router(hop_cycles=hop).network()
    check_latencies(network, hop, LAUNCH[name], flits)


def test_registers_on_links_cost_a_cycle_each() -> None:
    at = [[0, 0], [3, 1], [5, 5], [0, 4], [9, 2], [2, 2], [1, 7], [6, 6], [8, 1], [4, 0]]
    link = {"kind": "flit", "cycles": "auto", "reach": 2}
    network = built(PETERSEN, link=link, positions={"kind": "given", "at": at})
    terminals = np.arange(1, 10)
    routes = walk(network.routing, np.zeros_like(terminals), terminals)
    expected = []
    for goal, nodes, count in zip(terminals.tolist(), routes.nodes, routes.hops, strict=True):
        latency, hops, _ = journey(network, 0, goal, 3)
        tiles = [
            sum(abs(a - b) for a, b in zip(at[one], at[other], strict=True))
            for one, other in pairwise(nodes[: count + 1].tolist())
        ]
        registers = sum(ceil(length / 2) - 1 for length in tiles)
        expected.append(registers)
        assert latency == zero_load(network, hops, flits=3, registers=registers)
        assert latency == 2 * (hops + 1) + 2 + registers
    assert network.registers_on(routes).tolist() == expected
    found, pairs = loads(network.routing), [(a, b) for a in range(10) for b in range(10) if a != b]
    every = network.registers_on(walk(network.routing, *np.array(pairs).T))
    assert network.wire_cycles(found.load) == pytest.approx(every.mean())


@pytest.mark.parametrize("hop", [2, 3])
def test_register_behind_the_routing_unit_costs_a_cycle_in_each_router(hop: int) -> None:
    network = built(PETERSEN, hop_cycles=hop, routing_register=True)
    for goal in range(1, 10):
        latency, hops, at = journey(network, 0, goal, 2)
        assert (latency, at) == ((hop + 1) * (hops + 1) + 1, goal)
        assert zero_load(network, hops, flits=2) == latency


def test_links_that_vary_have_no_formula() -> None:
    network = load("borel-21-os-link")
    assert re.search("serial", network.link.jitter_reason)
    assert zero_load(network, 2) is None
