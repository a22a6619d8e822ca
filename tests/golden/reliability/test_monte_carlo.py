import numpy as np
import pytest
from scipy.stats import binomtest

from fingerpost.golden.reliability import monte_carlo as module
from fingerpost.golden.reliability.exact import exact
from fingerpost.golden.reliability.links import links
from fingerpost.golden.reliability.monte_carlo import monte_carlo, wilson
from fingerpost.golden.reliability.sweep import sweep
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.double_loop import DirectedChordalRing, DoubleLoop
from fingerpost.golden.topology.edge_list import EdgeList
from tests.golden.borel_group import EXAMPLE

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


def test_nodes_without_a_terminal_may_be_cut_off() -> None:
    # A path of three: with terminals at its ends, all of it must work; the same by hand.
    path = EdgeList(links=[(0, 1), (1, 2), (1, 3)], nodes=4)
    path.terminals = np.array([0, 2])
    estimate = monte_carlo(path, 0.1, 0.2, samples=50_000, seed=3)
    assert estimate.low <= 0.9**3 * 0.8**2 <= estimate.high


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
