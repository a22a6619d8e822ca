import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.topology import Borel
from tests.golden.borel_group import EXAMPLE, Group, groups, times, valid_groups


@pytest.fixture(scope="module")
def example() -> Borel:
    return EXAMPLE.topology()


def test_constants_for_info(example: Borel) -> None:
    assert example.constants() == {
        "p": 7,
        "a": 2,
        "k": 3,
        "generators": {"A": (0, 1), "B": (1, 1), "A^-1": (0, 6), "B^-1": (2, 3)},
        "class_shift": {"A": 0, "B": 1, "A^-1": 0, "B^-1": 2},
        "gcr": {"A": [3, 6, -9], "B": [4, 7, 10], "A^-1": [-3, -6, 9], "B^-1": [-10, -4, -7]},
    }


@pytest.mark.parametrize(
    ("p", "a", "k"),
    [(7, 2, 3), (47, 2, 23), (307, 4, 51), (709, 20, 59)],  # the papers' networks
)
def test_order_of_a_is_the_papers(p: int, a: int, k: int) -> None:
    topology = Borel(p=p, a=a, A=(1, 1), B=(2, 1))
    assert (topology.k, topology.nodes) == (k, p * k)


@given(valid_groups())
def test_links_are_matrix_products(group: Group) -> None:
    assert group.topology().neighbour.tolist() == group.neighbours


@given(valid_groups())
def test_classes_are_congruent(group: Group) -> None:
    # Eq. (2), and Definition 1: i is joined to j iff i + q is joined to j + q.
    topology = group.topology()
    n, k, (t1, _), (t2, _) = topology.nodes, group.k, group.A, group.B
    shift = (topology.neighbour - np.arange(n)[:, None]) % k
    assert (shift == [t1, t2, -t1 % k, -t2 % k]).all()
    assert (shift == topology.shift).all()
    turned = (np.arange(n) + k) % n
    assert (topology.neighbour[turned] == (topology.neighbour + k) % n).all()
    assert (topology.orbit == topology.orbit[turned]).all()
    assert sorted(set(topology.orbit.tolist())) == list(range(k))


@given(valid_groups(), st.data())
def test_product_and_inverse_are_those_of_matrices(group: Group, data: st.DataObject) -> None:
    topology = group.topology()
    elements = st.tuples(st.integers(0, group.k - 1), st.integers(0, group.p - 1))
    g, h = data.draw(elements), data.draw(elements)
    product = times(group.matrix(*g), group.matrix(*h), group.p)
    assert group.matrix(*topology.multiply(g, h)) == product
    assert group.matrix(*topology.inverse(g)) == group.inverse(group.matrix(*g))


@given(valid_groups())
def test_names_stand_for_labels(group: Group) -> None:
    topology = group.topology()
    for t in {0, 1, group.k - 1}:
        for y in {0, 1, group.p - 1}:
            node = group.label[group.matrix(t, y)]
            assert topology.name(node) == f"{t},{y}"
            assert topology.node(f"{t},{y}") == node
            assert topology.node(f" {t} , {y}") == node
            assert topology.node(str(node)) == node


@given(groups())
def test_accepts_just_what_is_connected_and_of_degree_4(group: Group) -> None:
    if group.is_valid:
        assert group.topology().nodes == group.nodes
    else:
        with pytest.raises(ValueError, match=r"^Borel needs "):
            group.topology()
