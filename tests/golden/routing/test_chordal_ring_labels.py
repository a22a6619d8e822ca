from math import gcd

import numpy as np
import pytest
from hypothesis import given

from fingerpost.golden.routing.chordal_ring_labels import Ring
from fingerpost.papers.two_phase_1995 import TABLE_III
from tests.golden.borel_group import EXAMPLE, Group, valid_groups

A, B, A_INVERSE, B_INVERSE = range(4)


def has_ring(group: Group) -> bool:
    return 1 in (gcd(group.A[0], group.k), gcd(group.B[0], group.k))


rings = valid_groups(most=1000).filter(has_ring)


def test_ring_of_table_3_set_1() -> None:
    # t2 = 7 t1: w = B A^(23-7-1) B (A^-1)^6
    ring = Ring(TABLE_III.topology(0))
    assert ring.word.tolist() == [B] + [A] * 15 + [B] + [A_INVERSE] * 6
    assert ring.q == 23


@pytest.mark.parametrize(
    ("parameters", "word"),
    [
        # gcd(4, 6) = 2, so A and B change places: 4 = 2*5 mod 6, s = 2.
        (Group(13, 4, (4, 1), (5, 1)), [A, B, B, B, A, B_INVERSE]),
        # t2 = 0 instead of t1 = 0.
        (Group(7, 2, (1, 1), (0, 1)), [B, B, B, B, B, B, A]),
    ],
)
def test_generators_change_places(parameters: Group, word: list[int]) -> None:
    assert Ring(parameters.topology()).word.tolist() == word


def test_chords_come_in_the_order_a_then_b() -> None:
    links = Ring(EXAMPLE.topology()).links
    assert links[0].tolist() == [A_INVERSE, B, A, B_INVERSE]
    assert links[3].tolist() == [B, B_INVERSE, A, A_INVERSE]
    assert links[6].tolist() == [A, B_INVERSE, B, A_INVERSE]


@given(rings)
def test_ring_passes_every_node_once(group: Group) -> None:
    ring = Ring(group.topology())
    n, q = group.nodes, ring.q
    node = ring.node.tolist()
    assert sorted(node) == list(range(n))
    assert node[0] == 0  # so the labels are powers of T times the products of the word's links
    assert group.label[group.matrix(*ring.T)] == group.word_end(tuple(ring.word.tolist()))
    assert [ring.label[v] for v in node] == list(range(n))
    for label in range(n):
        port = ring.word[label % q]
        assert group.neighbours[node[label]][port] == node[(label + 1) % n]


@given(rings)
def test_links_add_constants_of_the_class(group: Group) -> None:
    ring = Ring(group.topology())
    n, q = group.nodes, ring.q
    assert (ring.constants[:, 2:] == [1, n - 1]).all()
    assert (np.sort(ring.links, axis=1) == range(4)).all()
    chord_order = [A, A_INVERSE, B, B_INVERSE]
    for label in range(n):
        v, i = int(ring.node[label]), label % q
        ends = [ring.label[group.neighbours[v][port]] for port in ring.links[i]]
        assert ends == ((label + ring.constants[i]) % n).tolist()
        gamma, lambda_ = ring.links[i, :2].tolist()
        assert chord_order.index(gamma) < chord_order.index(lambda_)
        assert ring.orbit[v] == i


@given(rings)
def test_classes_are_those_of_the_graph_unless_a_step_is_0(group: Group) -> None:
    topology = group.topology()
    ring = Ring(topology)
    if 0 in (group.A[0], group.B[0]):
        assert ring.q == group.p
    else:
        assert ring.q == group.k
        pairs = set(zip(ring.orbit.tolist(), topology.orbit.tolist(), strict=True))
        assert len(pairs) == group.k


@pytest.mark.parametrize(("p", "a", "k"), [(11, 2, 10), (13, 2, 12), (19, 4, 9)])
def test_there_is_a_ring_if_a_step_is_prime_to_k(p: int, a: int, k: int) -> None:
    tried = {True: 0, False: 0}
    for t1 in range(k):
        for t2 in range(1, k):
            group = Group(p, a, (t1, 1), (t2, 0))
            if not group.is_valid:
                continue
            topology = group.topology()
            tried[has_ring(group)] += 1
            if has_ring(group):
                assert sorted(Ring(topology).node.tolist()) == list(range(p * k))
            else:
                with pytest.raises(ValueError, match=f"^Chordal ring needs .* k = {k}$"):
                    Ring(topology)
    assert tried[True]
    # A step of 5 is its own inverse for k = 10, and 9 is a prime power.
    assert bool(tried[False]) == (k == 12)
