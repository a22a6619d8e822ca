"""What all algorithms for star graphs and star-connected cycles must do."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.routing.scc import Minimal, NearMinimal
from fingerpost.golden.routing.star import Greedy, Random, StarRouting
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology.base import distances
from fingerpost.golden.topology.star import Scc, Star
from tests.golden.star_group import relative

MAKERS: dict[str, Callable[[Star | Scc], StarRouting]] = {
    "greedy": Greedy,
    "greedy, no memory": lambda topology: Greedy(topology, memory="none"),
    "random": Random,
    "near-minimal": NearMinimal,
    "minimal": Minimal,
}
TOPOLOGIES = {f"{T.family}-{n}": T(n=n) for T in (Star, Scc) for n in (3, 4, 5)}
BOTH = pytest.mark.parametrize(
    ("maker", "network"), [(maker, network) for maker in MAKERS for network in TOPOLOGIES]
)


def make(maker: str, network: str) -> StarRouting:
    return MAKERS[maker](TOPOLOGIES[network])


@BOTH
def test_every_pair_is_joined(maker: str, network: str) -> None:
    routing = make(maker, network)
    nodes = routing.topology.nodes
    sources = np.arange(nodes) if nodes <= 120 else np.arange(7, nodes, 16)  # of every orbit
    away = np.stack([distances(routing.topology.neighbour, source) for source in sources.tolist()])
    source, goal = np.repeat(sources, nodes), np.tile(np.arange(nodes), len(sources))
    routes = walk(routing, source, goal, seed=1)  # walk() refuses wrong ends
    extra = routes.hops - away.ravel()
    assert extra.min() == 0
    if maker == "minimal" or network.startswith("star"):
        assert extra.max() == 0
    lateral = routes.ports == routing.topology.degree - 1
    if network.startswith("scc"):  # the fewest lateral links, Eq. (4), for any choice
        star = Star(n=routing.topology.n)
        across = np.stack([distances(star.neighbour, node) for node in range(star.nodes)])
        ring = routing.topology.n - 1
        assert (lateral.sum(axis=1) == across[source // ring, goal // ring]).all()


@BOTH
def test_decisions_depend_on_the_orbit_only(maker: str, network: str) -> None:
    routing = make(maker, network)
    topology = routing.topology
    assert routing.relative
    rng = np.random.default_rng(2)
    node, goal = rng.integers(topology.nodes, size=(2, 500))
    header, selection = routing.encode(node, goal), rng.integers(1 << 16, size=500)
    alike = np.array(
        [rng.choice(np.flatnonzero(topology.orbit == o)) for o in topology.orbit[node]]
    )
    here = routing.decide(node, np.zeros_like(node), header, selection)
    there = routing.decide(alike, np.zeros_like(node), header, selection)
    for one, other in zip(here, there, strict=True):
        assert (one == other).all()


@given(st.integers(3, 6), st.data())
def test_header_is_the_relative_permutation(n: int, data: st.DataObject) -> None:
    scc = Scc(n=n)
    routing = NearMinimal(scc)
    source, goal = (data.draw(st.integers(0, scc.nodes - 1)) for _ in range(2))
    header = routing.encode(np.array(source), np.array(goal))
    pi = [tuple(map(int, scc.name(node)[2:])) for node in (source, goal)]
    found = tuple(int(routing.header.cut(f"p{k}", header)) + 1 for k in range(1, n + 1))
    assert found == relative(*pi)
    assert routing.header.cut("i_d", header) + 1 == int(scc.name(goal)[0])


@pytest.mark.parametrize(("n", "width"), [(4, 8), (5, 15), (6, 18), (7, 21), (8, 24)])
def test_width_of_the_permutation(n: int, width: int) -> None:
    # As the paper of corrections has it, and as many bits again as a symbol has for each of the
    # position and the memory.
    assert Greedy(Star(n=n), memory="none").header.width == width
    assert Greedy(Scc(n=n)).header.width == width + 2 * width // n
    assert Random(Scc(n=n)).header.width == width + 2 * width // n


def test_memory_is_part_of_the_header_where_it_is_needed() -> None:
    memories = {
        name: [field for field in make(name, "scc-4").header if field in ("anchor", "target")]
        for name in MAKERS
    }
    assert memories == {
        "greedy": ["anchor"],
        "greedy, no memory": [],
        "random": ["target"],
        "near-minimal": [],
        "minimal": [],
    }
    assert list(make("random", "star-4").header) == ["p1", "p2", "p3", "p4"]
