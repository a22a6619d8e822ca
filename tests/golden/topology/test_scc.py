from math import factorial

import numpy as np
import pytest

from fingerpost.golden.algebra.permutation import number
from fingerpost.golden.topology.distance import distances
from fingerpost.golden.topology.scc import Scc
from tests.golden.star_group import Node, direction, labels, scc_neighbours


def name(node: Node) -> str:
    i, p = node
    return f"{i}:" + "".join(map(str, p))


def nodes(n: int) -> list[Node]:
    return [(i, p) for p in labels(n) for i in range(2, n + 1)]


@pytest.fixture(scope="module")
def example() -> Scc:
    return Scc(n=5)


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_links_are_those_of_section_2_2(n: int) -> None:
    scc = Scc(n=n)
    assert scc.nodes == (n - 1) * factorial(n)
    assert scc.port_names == (("+", "lateral") if n == 3 else ("+", "-", "lateral"))
    for node in nodes(n):
        here = scc.node(name(node))
        assert scc.name(here) == name(node)
        behind = [scc.name(other) for other in scc.neighbour[here].tolist()]
        assert behind == [name(other) for other in scc_neighbours(node)]


@pytest.mark.parametrize("n", [3, 4, 5])
def test_numbers_are_those_of_the_supernodes_and_then_of_the_ring(n: int) -> None:
    scc = Scc(n=n)
    for i, p in nodes(n):
        assert scc.node(name((i, p))) == int(number(np.array(p))) * (n - 1) + i - 2
    assert scc.position(np.arange(scc.nodes)).tolist() == [*range(2, n + 1)] * factorial(n)


@pytest.mark.parametrize("n", [3, 4, 5])
def test_is_vertex_symmetric(n: int) -> None:
    scc = Scc(n=n)
    assert scc.vertex_transitive
    spheres = {tuple(np.bincount(distances(scc.neighbour, v)).tolist()) for v in range(scc.nodes)}
    assert len(spheres) == 1


@pytest.mark.parametrize("n", [3, 4, 5])
def test_orbits_are_ring_positions_and_parities(n: int) -> None:
    scc = Scc(n=n)
    assert sorted(set(scc.orbit.tolist())) == list(range(2 * (n - 1)))
    assert (scc.orbit[scc.neighbour] != scc.orbit[:, None]).all()
    supernode, i = np.divmod(np.arange(scc.nodes), n - 1)
    for label in labels(n):  # left multiplication
        image = number(np.array(label)[scc.labels - 1])[supernode] * (n - 1) + i
        assert (scc.neighbour[image] == image[scc.neighbour]).all()
        same = scc.orbit[image] == scc.orbit
        inversions = sum(a > b for k, b in enumerate(label) for a in label[:k])
        assert same.all() if inversions % 2 == 0 else not same.any()


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 8])
def test_local_moves_go_the_shorter_way(n: int) -> None:
    scc = Scc(n=n)
    for i in range(2, n + 1):
        for t in set(range(2, n + 1)) - {i}:
            expected = 0 if n == 3 or direction(i, t, n) > 0 else 1
            assert scc.towards(np.array(i), np.array(t)) == expected


def test_ports_have_names(example: Scc) -> None:
    assert (example.minus, example.lateral, example.local) == (1, 2, 3)
    smallest = Scc(n=3)
    assert (smallest.minus, smallest.lateral, smallest.local) == (0, 1, 2)


def test_constants_for_info(example: Scc) -> None:
    assert example.constants() == {"n": 5, "supernodes": 120, "ring": 4}


def test_refuses_numbers(example: Scc) -> None:
    with pytest.raises(ValueError, match=r"^Node needs a number in 0\.\.479, not 480$"):
        example.node("480")
    assert example.node(" 3 : 34125 ") == example.node("3:34125")
