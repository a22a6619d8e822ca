"""Patterns against their definitions, and what is drawn from them against their matrix."""

from collections.abc import Callable
from math import ceil
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from scipy import stats

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.faults import faulty
from fingerpost.golden.topology import Borel, Grid, Kyklos, Topology
from fingerpost.golden.traffic.patterns.base import AllToAll, Hotspot, RandomPermutation
from fingerpost.golden.traffic.spelling import pattern
from tests.golden.graphs import Edges


def ring(n: int) -> Topology:
    return Edges(nx.cycle_graph(n))


def to(text: str, topology: Topology) -> list[int]:
    """The destination of each terminal, -1 where it is any other."""
    demand = pattern(text).demand(topology)
    rows = demand.rows(np.arange(demand.terminals))
    single = (rows > 0).sum(axis=1) == 1
    return np.where(single, rows.argmax(axis=1), -1).tolist()


STRINGS: dict[str, Callable[[str], str]] = {
    "bitcomp": lambda bits: bits.translate(str.maketrans("01", "10")),
    "bitrev": lambda bits: bits[::-1],
    "shuffle": lambda bits: bits[1:] + bits[:1],
    "bitrot": lambda bits: bits[-1:] + bits[:-1],
    "butterfly": lambda bits: bits if len(bits) < 2 else bits[-1] + bits[1:-1] + bits[0],
    "transpose": lambda bits: bits[len(bits) // 2 :] + bits[: len(bits) // 2],
}


@pytest.mark.parametrize("name", STRINGS)
@pytest.mark.parametrize("n", [3, 4, 7, 16, 21, 33, 64])
def test_bits_of_a_number_change_places(name: str, n: int) -> None:
    width = len(f"{n:b}") - 1
    if name == "transpose":
        width -= width % 2
    expected = [int(STRINGS[name](f"{i:0{width}b}"), 2) if i < 2**width else -1 for i in range(n)]
    assert to(name, ring(n)) == expected


@pytest.mark.parametrize("sizes", [[8], [5, 8], [3, 2, 7]])
@pytest.mark.parametrize(
    ("name", "step"), [("tornado", lambda k: ceil(k / 2) - 1), ("neighbor", lambda _: 1)]
)
def test_steps_in_every_dimension(sizes: list[int], name: str, step: Callable[[int], int]) -> None:
    grid = Grid(sizes=sizes, wrap=len(sizes) != 2)
    found = to(name, grid)
    for node in range(grid.nodes):
        label = [
            (int(x) + step(k)) % k for x, k in zip(grid.name(node).split(","), sizes, strict=True)
        ]
        assert grid.name(found[node]) == ",".join(map(str, label))


def test_a_grid_without_some_links_is_a_grid() -> None:
    grid = Grid(sizes=[4, 4], wrap=False)
    left = faulty(grid, "link:0-1,link:10-14")
    assert to("tornado", left) == to("tornado", grid) != to("tornado", ring(16))
    assert to("tornado", faulty(grid, "node:5")) == to("tornado", ring(15))


def test_what_is_no_grid_is_one_ring() -> None:
    borel = Borel(p=7, a=2, A=(0, 1), B=(1, 1))
    assert to("tornado", borel) == [(i + 10) % 21 for i in range(21)]  # ceil(21/2) - 1
    assert to("neighbor", borel) == [(i + 1) % 21 for i in range(21)]


def test_terminals_are_counted_not_nodes() -> None:
    # Every other node of a ring of 16 has a terminal: there are 8, with numbers of three bits.
    topology = Edges(nx.cycle_graph(16), terminals=range(1, 16, 2))
    assert to("bitcomp", topology) == [7, 6, 5, 4, 3, 2, 1, 0]


def test_random_permutation() -> None:
    one = RandomPermutation().to(ring(50)).tolist()
    assert sorted(one) == list(range(50))
    assert one == to("randperm:seed=0", ring(50)) != to("randperm:seed=1", ring(50))


def test_uniform_is_all_others() -> None:
    rows = pattern("uniform").demand(ring(5)).rows(np.arange(5))
    assert rows == pytest.approx((1 - np.eye(5)) / 4)


def test_hot_spots_by_hand() -> None:
    # 5 terminals, 2 and 4 are hot with a share of 0.6; the other 0.4 goes to all 4 others. In
    # HotSpotTrafficPattern of BookSim, too, the destination does not depend on the source.
    rows = Hotspot(nodes=("2", "4"), share=0.6).demand(ring(5)).rows(np.arange(5))
    assert rows.tolist() == [
        pytest.approx([0.0, 0.1, 0.4, 0.1, 0.4]),
        pytest.approx([0.1, 0.0, 0.4, 0.1, 0.4]),
        pytest.approx([0.1, 0.1, 0.3, 0.1, 0.4]),
        pytest.approx([0.1, 0.1, 0.4, 0.0, 0.4]),
        pytest.approx([0.1, 0.1, 0.4, 0.1, 0.3]),
    ]


def test_hot_spots_by_label() -> None:
    borel = Borel(p=7, a=2, A=(0, 1), B=(1, 1))
    found = pattern("hotspot:nodes=0,1;2,3,share=0.5").demand(borel)
    node = [borel.node("0,1"), borel.node("2,3")]
    assert sorted(np.argsort(found.received())[-2:].tolist()) == sorted(node)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hotspot:nodes=21", "Traffic hotspot: nodes: Node needs a number in 0..15, not 21"),
        ("hotspot:nodes=2", "Traffic hotspot: nodes: Node needs a terminal, which 2 has not"),
        ("hotspot:nodes=1;3;1", "Traffic hotspot needs nodes once each, not 1;3;1"),
    ],
)
def test_refuses_hot_spots_that_are_none(text: str, message: str) -> None:
    topology = Edges(nx.cycle_graph(16), terminals=range(1, 16, 2))
    with pytest.raises(ValueError, match=f"^{message}$"):
        pattern(text).demand(topology)


def test_fragments_go_to_all_in_turn() -> None:
    leaves = Kyklos(m=2, r=2, n=2)
    demand = AllToAll().demand(leaves)
    source: IntArray = np.repeat([0, 2, 3], [7, 2, 3])
    rng = np.random.default_rng(0)
    found = AllToAll().destinations(rng, demand, source).tolist()
    assert found == [1, 2, 3, 1, 2, 3, 1, 3, 0, 0, 1, 2]


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
