"""What all algorithms for star graphs and star-connected cycles must do."""

from collections.abc import Callable
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.header import Field
from fingerpost.golden.routing.scc_greedy import Greedy
from fingerpost.golden.routing.scc_minimal import Minimal
from fingerpost.golden.routing.scc_near_minimal import NearMinimal
from fingerpost.golden.routing.scc_random import Random
from fingerpost.golden.routing.star import StarRouting
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology.distance import distances
from fingerpost.golden.topology.scc import Scc
from fingerpost.golden.topology.star import Star
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
def test_any_header_is_decided_on(maker: str, network: str) -> None:
    routing = make(maker, network)
    topology = routing.topology
    rng = np.random.default_rng(0)
    count = 20_000
    node = rng.integers(topology.nodes, size=count)
    arrival = rng.integers(topology.degree + 1, size=count)
    selection = rng.integers(1 << 16, size=count)
    header = rng.integers(1 << 62, size=count)
    # A few bits changed in a good header: not all of these are refused.
    good = routing.encode(node, rng.integers(topology.nodes, size=count))
    header = np.where(rng.random(count) < 0.5, header, good ^ (1 << rng.integers(62, size=count)))
    for chance in (selection, None):
        port, onward, error = routing.decide(node, arrival, header, chance)
        names = list(routing.header)
        values = {name: routing.header.cut(name, header) for name in names}
        wrong = np.zeros(count, np.bool_)
        if "i_d" in values:
            wrong |= (values["i_d"] == 0) | (values["i_d"] >= topology.n)
        if maker == "minimal":
            wrong |= values["number"] >= factorial(topology.n)
        else:
            p = np.stack([values[f"p{k}"] for k in range(1, topology.n + 1)], axis=1)
            wrong |= (np.sort(p, axis=1) != np.arange(topology.n)).any(axis=1)
        # A header that came by a link was made by a router, and is not looked over.
        assert (error == (wrong & (arrival == topology.local))).all()
        right = ~wrong
        assert 0 < right.sum() < count
        assert port.min() >= 0
        assert port.max() <= topology.local
        assert onward[right].min() >= 0
        assert onward[right].max() < 1 << routing.header.width
        again = routing.decide(node, np.full(count, topology.local), onward, chance)
        assert not again.error[right].any()  # nothing that is accepted becomes wrong later


@BOTH
def test_nothing_that_is_accepted_wanders_for_ever(maker: str, network: str) -> None:
    routing = make(maker, network)
    topology = routing.topology
    rng = np.random.default_rng(1)
    node = rng.integers(topology.nodes, size=2000)
    header = routing.encode(node, rng.integers(topology.nodes, size=2000))
    if routing.memory:  # whatever is there, on a route or not
        header = (
            header | rng.integers(topology.n, size=2000) << routing.header[routing.memory].offset
        )
    for _ in range(80):
        selection = rng.integers(1 << 16, size=len(node))
        port, header, error = routing.decide(node, np.zeros_like(node), header, selection)
        assert not error.any()
        away = port != topology.local
        node, header = topology.neighbour[node[away], port[away]], header[away]
    assert not len(node)


@pytest.mark.parametrize("network", TOPOLOGIES)
@pytest.mark.parametrize("maker", ["greedy", "random"])
def test_what_a_terminal_puts_into_the_memory_is_forgotten(maker: str, network: str) -> None:
    routing = make(maker, network)
    topology, rng = routing.topology, np.random.default_rng(3)
    node = rng.integers(topology.nodes, size=1000)
    local, selection = np.full(1000, topology.local), rng.integers(1 << 16, size=1000)
    good = routing.encode(node, rng.integers(topology.nodes, size=1000))
    assert routing.sent == tuple(name for name in routing.header if name != routing.memory)
    if not routing.memory:
        assert (maker, topology.family) == ("random", "star")  # where every link is taken at once
        return
    field = routing.header[routing.memory]
    spoilt = good | rng.integers(1 << field.width, size=1000) << field.offset
    assert (spoilt != good).mean() > 0.5
    assert (routing.generate_header(node, spoilt)[0] == good).all()
    decided = [routing.decide(node, local, header, selection) for header in (spoilt, good)]
    for one, other in zip(*decided, strict=True):
        assert (one == other).all()
    (some, one_way), (others, other_way) = (
        routing.alternatives(node, local, header) for header in (spoilt, good)
    )
    assert (some == others).all()
    assert (one_way.header == other_way.header).all()


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


@BOTH
def test_straps_tell_the_position_on_the_ring(maker: str, network: str) -> None:
    routing = make(maker, network)
    topology = routing.topology
    chance = ["salt"] if routing.selection else []
    if isinstance(topology, Scc):
        assert list(routing.straps) == ["i", *chance]
        expected = [int(topology.name(node)[0]) - 1 for node in range(topology.nodes)]
        assert routing.straps.value("i").tolist() == expected
    else:
        assert list(routing.straps) == ["label", *chance]
        assert routing.straps.value("label").tolist() == list(range(topology.nodes))


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


def test_example_of_section_4_1() -> None:
    # <3, 34125> to <2, 12345>: by laterals 3, 2, 4, 2 in 9 hops; 4 are 2-3-4 and back, 2-4-2.
    scc = Scc(n=5)
    routes = walk(Minimal(scc), np.array(scc.node("3:34125")), np.array(scc.node("2:12345")))
    assert routes.hops.tolist() == [9]
    names = [scc.name(node) for node in routes.nodes[0].tolist()]
    assert names == [
        "3:34125", "3:14325", "2:14325", "2:41325", "3:41325", "4:41325", "4:21345", "3:21345",
        "2:21345", "2:12345",
    ]  # fmt: skip


def test_header_layout() -> None:
    assert dict(Greedy(Scc(n=4)).header) == {
        **{f"p{k}": Field(2 * k - 2, 2, f"symbol at position {k}, less 1") for k in range(1, 5)},
        "i_d": Field(8, 2, "ring position of the destination, less 1"),
        "anchor": Field(
            10, 2, "lateral link that completes the r-cycle under way, less 1; 0: none"
        ),
    }


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
