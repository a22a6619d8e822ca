from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.routing import Adaptive, TwoPhase, VertexTransitive
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology import FAMILIES, Borel, Metacyclic, MetacyclicDigraph
from fingerpost.golden.topology.metacyclic import MetacyclicGraph
from tests.golden.borel_group import breadth_first

Element = tuple[int, int]

BY_NAME: dict[str, Any] = {
    "two-phase": TwoPhase,
    "vertex-transitive": VertexTransitive,
    "adaptive": Adaptive,
}

CHINESE: dict[str, Any] = {"m": 77, "k": 15, "r": 25, "A": (6, 71), "B": (5, 15)}
"""The multiplier has order 5 modulo 11 and 3 modulo 7: the modulus is no prime."""

UNFAITHFUL: dict[str, Any] = {"m": 7, "k": 6, "r": 2, "A": (1, 0), "B": (2, 1)}
"""The multiplier has order 3, and there are 6 classes."""


def times(g: Element, h: Element, group: tuple[int, int, int]) -> Element:
    """One turn by r for each step of the class: no powers, no inverse."""
    m, k, r = group
    y = h[1]
    for _ in range(g[0]):
        y = y * r % m
    return (g[0] + h[0]) % k, (g[1] + y) % m


def links(group: tuple[int, int, int], A: Element, B: Element) -> list[Element]:
    """A, B and their inverses, found by trying every element."""
    m, k, _ = group
    every = [(t, y) for t in range(k) for y in range(m)]
    return [A, B] + [next(h for h in every if times(g, h, group) == (0, 0)) for g in (A, B)]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[tuple[int, int, int], Element, Element]:
    m, k = draw(st.integers(2, 24)), draw(st.integers(2, 8))
    r = draw(st.sampled_from([r for r in range(1, m) if pow(r, k, m) == 1]))
    element = st.tuples(st.integers(0, k - 1), st.integers(0, m - 1))
    return (m, k, r), draw(element), draw(element)


def neighbours(
    group: tuple[int, int, int], A: Element, B: Element, degree: int = 4
) -> list[list[int]]:
    m, k, _ = group
    taken = links(group, A, B)[:degree]
    ends = (times((t, y), g, group) for y in range(m) for t in range(k) for g in taken)
    label = [y * k + t for t, y in ends]
    return [label[i : i + degree] for i in range(0, len(label), degree)]


@pytest.mark.parametrize(("family", "degree"), [(Metacyclic, 4), (MetacyclicDigraph, 2)])
@given(graph=graphs())
@settings(max_examples=60, deadline=None)
def test_links_are_products_or_are_refused(
    graph: tuple[tuple[int, int, int], Element, Element], family: type[MetacyclicGraph], degree: int
) -> None:
    group, A, B = graph
    m, k, r = group
    expected = neighbours(group, A, B, degree)
    distance = breadth_first(m * k, lambda v: expected[v], 0)
    if len({(0, 0), *links(group, A, B)[:degree]}) == degree + 1 and -1 not in distance:
        topology = family(m=m, k=k, r=r, A=A, B=B)
        assert topology.neighbour.tolist() == expected
    else:
        needs = rf"^{family.__name__} needs (four|two|A and B that generate)"
        with pytest.raises(ParameterError, match=needs):
            family(m=m, k=k, r=r, A=A, B=B)


@pytest.mark.regress
@given(graphs(), st.sampled_from(sorted(BY_NAME)))
@settings(max_examples=40, deadline=None)
def test_routes_arrive_within_the_bounds_of_the_theorems(
    graph: tuple[tuple[int, int, int], Element, Element], algorithm: str
) -> None:
    group, A, B = graph
    m, k, r = group
    try:
        topology = Metacyclic(m=m, k=k, r=r, A=A, B=B)
    except ParameterError:
        assume(False)
    routing = BY_NAME[algorithm](topology)
    source, destination = np.divmod(np.arange(topology.nodes**2), topology.nodes)
    found = walk(routing, source, destination)
    away = breadth_first(topology.nodes, lambda v: topology.neighbour[v].tolist(), 0)
    if algorithm == "two-phase":
        assert isinstance(routing, TwoPhase)
        assert found.hops.max() <= routing.d1 + routing.d2
    else:
        assert found.hops[source == 0].tolist() == away


def test_a_borel_graph_is_one() -> None:
    assert FAMILIES["metacyclic"] is Metacyclic
    A, B = (5, 1), (9, 3)
    borel = Borel(p=47, a=2, A=A, B=B)
    same = Metacyclic(m=47, k=23, r=2, A=A, B=B)
    assert (borel.neighbour == same.neighbour).all()
    assert (borel.gcr == same.gcr).all()


@pytest.mark.parametrize("wrong", [
    ({"r": 2}, "r", r"needs an r in 1..76 with r\^15 = 1 modulo 77, not 2"),
    ({"r": 77}, "r", "needs an r in 1..76"),
    ({"m": 1}, "m", "needs m in 2.."),
    ({"k": 10**9}, "k", "needs k in 2.."),
    ({"m": 10**6, "k": 100}, "m", "needs at most 4000000 nodes"),
    ({"A": (15, 0)}, "A", r"needs A = \(t, y\) with t in 0..14 and y in 0..76, not \(15, 0\)"),
    ({"A": (0, 0)}, "", "needs four different links"),
    ({"A": (5, 0), "B": (10, 7)}, "", "needs A and B that generate the group"),
], ids=lambda wrong: str(wrong[0]))  # fmt: skip
def test_refuses(wrong: tuple[dict[str, object], str, str]) -> None:
    change, key, message = wrong
    with pytest.raises(ParameterError, match=f"^Metacyclic {message}") as caught:
        Metacyclic(**{**CHINESE, **change})
    assert caught.value.key == key


@pytest.mark.parametrize(("keys", "order"), [(CHINESE, 15), (UNFAITHFUL, 3)])
def test_classes_are_congruent(keys: dict[str, Any], order: int) -> None:
    """What a link adds to a label depends on the class alone: the GCR constants."""
    m, k, r = keys["m"], keys["k"], keys["r"]
    assert next(i for i in range(1, 99) if pow(r, i, m) == 1) == order
    constants: list[set[tuple[int, ...]]] = [set() for _ in range(k)]
    for label, ends in enumerate(neighbours((m, k, r), keys["A"], keys["B"])):
        constants[label % k].add(tuple((end - label) % (m * k) for end in ends))
    assert [len(each) for each in constants] == [1] * k
    assert Metacyclic(**keys).gcr.tolist() == [list(*each) for each in constants]
