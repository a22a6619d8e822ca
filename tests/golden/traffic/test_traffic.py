"""Packets of a seed, the same as ever; windows of a long run; patterns."""

from collections.abc import Callable
from math import ceil
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy import stats

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.faults import faulty
from fingerpost.golden.topology import Borel, Grid, Kyklos, Topology
from fingerpost.golden.traffic import Traffic, Windows, spelling
from fingerpost.golden.traffic.patterns.base import AllToAll, Hotspot, RandomPermutation
from fingerpost.golden.traffic.spelling import pattern
from tests.golden.graphs import Edges
from tests.networks import borel21

COLUMNS = "source", "destination", "time", "length", "kind", "salt"


def columns(traffic: Traffic) -> dict[str, list[int]]:
    return {name: getattr(traffic, name).tolist() for name in COLUMNS}


def as_ever(load: float, cycles: int, seed: int, low: int, high: int) -> list[IntArray]:
    """Source, destination, time and length, drawn as they were before there were patterns."""
    rng = np.random.default_rng(seed)
    count = rng.binomial(cycles, load / ((low + high) / 2), size=21)
    source = np.repeat(np.arange(21), count)
    time = np.concatenate([np.sort(rng.choice(cycles, c, replace=False)) for c in count])
    other = rng.integers(20, size=len(source))
    return [source, other + (other >= source), time, rng.integers(low, high + 1, size=len(source))]


@pytest.mark.parametrize("given", [(0.2, 300, 0, 1, 1), (0.9, 200, 7, 1, 5), (0.5, 100, 3, 4, 4)])
def test_uniform_packets_of_a_seed_are_what_they_were(
    given: tuple[float, int, int, int, int],
) -> None:
    load, cycles, seed, low, high = given
    made = Traffic(borel21(), load, cycles, seed=seed, lengths=(low, high))
    found = made.source, made.destination, made.time, made.length
    for new, old in zip(found, as_ever(*given), strict=True):
        assert new.tolist() == old.tolist()


def test_offered_load() -> None:
    for words in (
        {},
        {"pattern": "transpose"},
        {"arrivals": "on-off"},
        {"lengths": "bimodal:1,9,0.5"},
    ):
        made = Traffic(borel21(), 0.3, 5000, **words)  # type: ignore[arg-type]
        assert made.length.sum() / 5000 / 21 == pytest.approx(0.3, rel=0.05)


@pytest.mark.parametrize(
    ("words", "most"),
    [
        ({"arrivals": "on-off:alpha=0.25,beta=0.75"}, "0.25"),
        ({"arrivals": "on-off:alpha=0.25,beta=0.75", "lengths": "2"}, "0.5"),
    ],
)
def test_refuses_more_than_bursts_can_bring(words: dict[str, str], most: str) -> None:
    Traffic(borel21(), float(most), 100, **words)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=rf"^Traffic needs a load above 0 and up to {most} flits "):
        Traffic(borel21(), float(most) + 0.01, 100, **words)  # type: ignore[arg-type]


def long(packets: int = 400, **options: Any) -> Windows:
    return Windows(borel21(), 0.2, 2000, seed=3, lengths=(1, 3), packets=packets, **options)


def test_a_run_that_fits_in_a_window_is_its_traffic() -> None:
    (window,) = long(packets=10**6)
    traffic = Traffic(borel21(), 0.2, 2000, seed=3, lengths=(1, 3))
    for name in COLUMNS:
        assert getattr(window, name).tolist() == getattr(traffic, name).tolist()


def test_windows_follow_each_other() -> None:
    windows = long()
    # 0.2 flits a cycle of 21 terminals are 2.1 packets of 2 flits: 190 cycles for 400.
    assert (windows.step, len(windows)) == (190, 11)
    for number, window in enumerate(windows):
        begin = 190 * number
        assert begin <= window.time.min() <= window.time.max() < min(begin + 190, 2000)
        assert len(window.time) == pytest.approx(2.1 * min(190, 2000 - begin), abs=80)
        assert (np.diff(window.source) >= 0).all()
        assert (np.diff(window.time)[np.diff(window.source) == 0] > 0).all()
    times = [set((window.time - 190 * i).tolist()) for i, window in enumerate(windows)]
    assert times[1] != times[2]  # each is drawn anew


def test_joined_they_are_one_traffic() -> None:
    windows, joined = long(), long().joined()
    assert joined.cycles == 2000
    assert (np.diff(joined.source * 2000 + joined.time) > 0).all()
    for name in ("time", "salt", "length"):
        parts = np.concatenate([getattr(window, name) for window in windows])
        assert sorted(parts.tolist()) == sorted(getattr(joined, name).tolist())
    for window in windows:
        inside = np.isin(joined.salt, window.salt)
        assert joined.destination[inside].tolist() == window.destination.tolist()


@pytest.mark.parametrize(
    "options", [{"arrivals": "on-off"}, {"arrivals": "self-similar"}, {"pattern": "all-to-all"}]
)
def test_what_has_a_memory_is_drawn_at_once(options: dict[str, Any]) -> None:
    assert len(long(**options)) == 1


def gaps(rate: float) -> IntArray:
    """Cycles from a packet of a terminal to its next one, in a later window."""
    source, time = spelling.arrivals("bernoulli").more_times(
        np.random.default_rng(1), np.full(50, rate), 4000
    )
    assert (np.bincount(source) > 0).all()
    assert time.max() < 4000
    found: IntArray = np.diff(time)[np.diff(source) == 0]
    return found


@pytest.mark.parametrize("rate", [0.02, 0.3, 0.9])
def test_gaps_of_later_windows_are_geometric(rate: float) -> None:
    found = gaps(rate)
    assert found.min() == 1
    error = 4 / len(found) ** 0.5
    assert found.mean() == pytest.approx(1 / rate, rel=2 * error)
    assert (found == 1).mean() == pytest.approx(rate, abs=error)
    assert (found == 2).mean() == pytest.approx(rate * (1 - rate), abs=error)


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
