import numpy as np
import pytest

from fingerpost.golden.algebra.permutation import number
from fingerpost.golden.algebra.scc_recursion import Choices, FloatArray, Supernodes, local_links
from fingerpost.golden.algebra.star_cycles import ring_distance
from tests.golden.star_group import b_list, behind, d, labels


def test_supernodes_are_in_the_order_of_their_numbers() -> None:
    supernodes = Supernodes.of(4)
    assert number(supernodes.p).tolist() == list(range(24))
    for label in labels(4):
        here = int(number(np.array(label)))
        ends = [int(number(np.array(behind(label, i)))) for i in range(1, 5)]
        assert supernodes.behind[here].tolist() == ends
        assert (np.flatnonzero(supernodes.b[here]) + 1).tolist() == sorted(b_list(label))


def test_supernodes_are_remembered() -> None:
    assert Supernodes.of(4) is Supernodes.of(4)


def last(c: Choices) -> FloatArray:
    """Choose the largest symbol of B(p), from any position."""
    n = c.links.shape[-1]
    target = n - c.b[:, 0, ::-1].argmax(axis=-1)
    return c.at(np.repeat(target[:, None], n, axis=1))


@pytest.mark.parametrize(("n", "i_d"), [(4, 2), (5, 4)])
def test_rule_is_followed_to_the_destination(n: int, i_d: int) -> None:
    found = local_links(ring_distance(n), last, i_d)
    for label in labels(n):
        for start in range(2, n + 1):
            i, p, local = start, label, 0
            while b_list(p):
                t = max(b_list(p))
                i, p, local = t, behind(p, t), local + d(i, t, n)
            local += d(i, i_d, n)
            assert found[int(number(np.array(label))), start - 1] == local


def test_a_star_graph_has_no_local_links() -> None:
    assert not local_links(np.zeros((4, 4), np.int64), last).any()
