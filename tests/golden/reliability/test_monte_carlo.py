"""Survival by samples: sampled nodes, links and networks."""

import networkx as nx
import numpy as np
import pytest
from scipy.stats import binomtest

from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.reliability import monte_carlo as module
from fingerpost.golden.reliability.exact import exact, sweep
from fingerpost.golden.reliability.links import links
from fingerpost.golden.reliability.monte_carlo import link_numbers, monte_carlo, survives, wilson
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.digraphs import DirectedChordalRing, DoubleLoop
from fingerpost.golden.topology.edge_list import EdgeList
from tests.golden.borel_group import EXAMPLE
from tests.golden.graphs import Edges

LADDER = [(i, i + 2) for i in range(18)] + [(i, i + 1) for i in range(0, 20, 2)]

NETWORKS: dict[str, Topology] = {
    "braided ring": DoubleLoop(nodes=30, a=1, b=2),
    "daisy chain": DoubleLoop(nodes=30, a=1, b=28),
    "DDLCN": DoubleLoop(nodes=12, a=1, b=11),
    "chordal ring": DirectedChordalRing(nodes=16, w=3),
    "ladder": EdgeList(links=LADDER, nodes=20),
}


@pytest.mark.parametrize("topology", NETWORKS.values(), ids=NETWORKS)
def test_95_percent_of_intervals_hold_the_exact_value(topology: Topology) -> None:
    # 100 intervals: 87 or fewer would hold it with probability 1 in 700.
    found = exact(topology, (0.97, 0.03), [(0.98, 0.02)] * topology.degree)
    assert found is not None
    estimates = [monte_carlo(topology, 0.03, 0.02, samples=640, seed=seed) for seed in range(100)]
    assert sum(each.low <= found[1] <= each.high for each in estimates) >= 88
    survivors = sum(each.survivors for each in estimates)
    assert binomtest(survivors, 64_000, float(found[1])).pvalue > 0.001


def test_same_seed_same_estimate() -> None:
    topology = EXAMPLE.topology()
    first = monte_carlo(topology, 0.1, 0.1, samples=1000, seed=7)
    assert first == monte_carlo(topology, 0.1, 0.1, samples=1000, seed=7)
    assert first != monte_carlo(topology, 0.1, 0.1, samples=1000, seed=8)


@pytest.mark.parametrize("samples", [1, 63, 64, 65, 1000])
def test_counts_just_the_samples_asked_for(samples: int) -> None:
    sure = monte_carlo(EXAMPLE.topology(), 0, 0, samples=samples)
    assert (sure.survivors, sure.samples, sure.survival) == (samples, samples, 1)
    assert monte_carlo(EXAMPLE.topology(), 1, 0, samples=samples).survivors == 0
    assert monte_carlo(EXAMPLE.topology(), 0, 1, samples=samples).survivors == 0


def test_batches_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = DoubleLoop(nodes=30, a=1, b=2)
    monkeypatch.setattr(module, "BATCH", 30 * 6 * 2)  # 128 samples at a time
    estimate = monte_carlo(loop, 0.03, 0.02, samples=20_000, seed=1)
    value = sweep(links(loop), (0.97, 0.03), [(0.98, 0.02)] * 2)
    assert estimate.samples == 20_000
    assert binomtest(estimate.survivors, 20_000, float(value)).pvalue > 0.001


@pytest.mark.parametrize(("successes", "samples"), [(0, 1), (1, 1), (0, 50), (50, 50), (7, 900)])
def test_interval_is_wilsons(successes: int, samples: int) -> None:
    theirs = binomtest(successes, samples).proportion_ci(0.95, method="wilson")
    assert wilson(successes, samples) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


class Leaves(EdgeList):
    """A binary tree of 7 nodes, with terminals at its leaves and a ring of links around them."""

    def __init__(self) -> None:
        tree = [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)]
        super().__init__(links=[*tree, (3, 6)], nodes=7)
        self._place(np.array([3, 4, 5, 6]))


SURVIVORS: dict[str, Topology] = {
    "borel": EXAMPLE.topology(),
    "double loop": DoubleLoop(nodes=9, a=1, b=3),
    "chordal ring": DirectedChordalRing(nodes=8, w=5),
    "leaves": Leaves(),
    "petersen": Edges(nx.petersen_graph()),
    "one link": EdgeList(links=[(0, 1)], nodes=2),
}


def independent(topology: Topology, alive: BoolArray, works: BoolArray) -> bool:
    """Whether one copy survives; works is (nodes, out-ports)."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(np.flatnonzero(alive).tolist())
    for node, port in np.argwhere(works & (topology.neighbour >= 0)).tolist():
        other = int(topology.neighbour[node, port])
        if alive[node] and alive[other]:
            graph.add_edge(node, other)
    living = [node for node in topology.terminals.tolist() if alive[node]]
    return len(living) > 1 and all(nx.has_path(graph, a, b) for a in living for b in living)


@pytest.mark.parametrize("topology", SURVIVORS.values(), ids=SURVIVORS)
@pytest.mark.parametrize("failure", [0.15, 0.3])
def test_is_what_networkx_says_of_every_copy(topology: Topology, failure: float) -> None:
    rng = np.random.default_rng(1)
    count, number = link_numbers(topology)
    alive = rng.random((topology.nodes, 128)) >= failure
    works = rng.random((count, 128)) >= failure
    words = [np.packbits(bits, axis=1).view(np.uint64) for bits in (alive, works)]
    survived = np.unpackbits(survives(topology, *words).view(np.uint8)).astype(bool)
    # In terms of out-ports: the link there is the one at the in-port where it ends.
    end = topology.neighbour, topology.arrival_port
    at_out_port = np.where(topology.neighbour >= 0, number[end], -1)
    expected = [
        independent(topology, alive[:, copy], works[:, copy][at_out_port]) for copy in range(128)
    ]
    assert survived.tolist() == expected
    if topology.nodes > 2:
        assert 0 < sum(expected) < 128
