"""What is drawn from a demand, against its matrix."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from scipy import sparse, stats

from fingerpost.golden.topology import Grid, Topology
from fingerpost.golden.traffic import Demand
from fingerpost.golden.traffic.spelling import arrivals, lengths, pattern
from tests.golden.graphs import Edges

DRAWN = 60_000


def matrix_file(folder: Path) -> str:
    path = folder / "matrix.csv"
    path.write_text("source,destination,weight\n0,1,3\n0,5,1\n1,0,2\n4,4,0.5\n4,2,0\n5,0,1.5\n")
    return f"matrix:{path}"


NAMES = (
    "uniform",
    "transpose",
    "bitrev",
    "tornado",
    "hotspot:nodes=0;3,share=0.3",
    "hotspot:nodes=2",
)


def chosen(name: str, folder: Path) -> str:
    return matrix_file(folder) if name == "matrix" else name


@pytest.mark.parametrize("topology", [Grid(sizes=[3, 2]), Edges(nx.cycle_graph(9))], ids=["6", "9"])
@pytest.mark.parametrize("name", [*NAMES, "matrix"])
def test_draws_are_as_frequent_as_the_matrix_says(
    name: str, topology: Topology, tmp_path: Path
) -> None:
    demand = pattern(chosen(name, tmp_path)).demand(topology)
    n = demand.terminals
    rows = demand.rows(np.arange(n))
    for source in np.flatnonzero(demand.sends):
        rng = np.random.default_rng(int(source))
        found = demand.draw(rng, np.full(DRAWN, source))
        counts = np.bincount(found, minlength=n)
        expected = rows[source] / rows[source].sum() * DRAWN
        assert counts[expected == 0].sum() == 0
        some = expected > 0
        assert some.sum() == 1 or stats.chisquare(counts[some], expected[some]).pvalue > 1e-4


@pytest.mark.parametrize("name", [*NAMES, "randperm", "all-to-all", "matrix"])
def test_terminals_send_one_flit_a_cycle_in_the_mean(name: str, tmp_path: Path) -> None:
    demand = pattern(chosen(name, tmp_path)).demand(Grid(sizes=[4, 5]))
    rows = demand.rows(np.arange(20))
    assert rows.min() >= 0
    assert rows.sum() == pytest.approx(20)
    assert rows.sum(axis=1) == pytest.approx(demand.sends)
    assert rows.sum(axis=0) == pytest.approx(demand.received())


@pytest.mark.parametrize("name", ["bitcomp", "hotspot:nodes=1;7,share=0.4", "matrix", "all-to-all"])
def test_packets_are_as_frequent_as_the_matrix_says(name: str, tmp_path: Path) -> None:
    topology, load, cycles = Grid(sizes=[3, 3]), 0.3, 20_000
    chosen_pattern = pattern(chosen(name, tmp_path))
    made = chosen_pattern.packets(
        topology,
        load,
        cycles,
        arrivals=arrivals("bernoulli"),
        lengths=lengths(2),
        rng=np.random.default_rng(1),
    )
    flits = sparse.coo_array((made.length, (made.source, made.destination)), (9, 9)).toarray()
    rows = chosen_pattern.demand(topology).rows(np.arange(9)) * load
    # A packet has 2 flits: four deviations of a binomial count.
    assert flits / cycles == pytest.approx(rows, abs=4 * 2 * (0.5 / 2 / cycles) ** 0.5)
    assert (flits[rows == 0] == 0).all()


def test_weights_are_shares_of_the_mean() -> None:
    weight = sparse.csr_array(np.array([[0, 3.0, 1], [0, 0, 0], [2, 0, 0]]))
    demand = Demand.weighted(weight)
    assert demand.sends.tolist() == [2, 0, 1]
    assert demand.rows(np.arange(3)).tolist() == [[0, 1.5, 0.5], [0, 0, 0], [1, 0, 0]]
