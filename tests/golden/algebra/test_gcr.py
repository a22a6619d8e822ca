import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.algebra.gcr import GCR
from fingerpost.golden.algebra.group import BorelGroup, Group
from tests.golden.cayley import CyclicProduct, SymmetricGroup

GROUPS: list[Group] = [
    BorelGroup(7, 2),
    BorelGroup(13, 4),
    SymmetricGroup(4),
    CyclicProduct(2, 3, 4),
    SymmetricGroup(1),
]


def words(group: Group, T: int) -> list[int]:
    """The powers of T, one product after the other."""
    found = [group.identity]
    while (last := int(group.times(found[-1], T))) != group.identity:
        found.append(last)
    return found


@st.composite
def representations(draw: st.DrawFn) -> GCR:
    """Any group, any transform element, any representatives in any order."""
    group = draw(st.sampled_from(GROUPS))
    T = draw(st.integers(0, group.size - 1))
    left, representatives = set(range(group.size)), []
    while left:
        representatives.append(draw(st.sampled_from(sorted(left))))
        left -= {int(group.times(power, representatives[-1])) for power in words(group, T)}
    return GCR(group, T, representatives)


def transform_element(gcr: GCR) -> int:
    """T, the way from a_0 to the next element of class 0."""
    following = gcr.element[gcr.q % gcr.group.size]
    return int(gcr.group.times(following, gcr.group.inverse(int(gcr.element[0]))))


@given(representations())
def test_labels_are_powers_of_t_times_representatives(gcr: GCR) -> None:
    assert sorted(gcr.element.tolist()) == list(range(gcr.group.size))
    assert (gcr.element[gcr.label] == np.arange(gcr.group.size)).all()
    assert gcr.m * gcr.q == gcr.group.size
    powers = words(gcr.group, transform_element(gcr))
    assert len(powers) == gcr.m
    for c in range(gcr.q):
        expected = [int(gcr.group.times(power, gcr.element[c])) for power in powers]
        assert gcr.element[c :: gcr.q].tolist() == expected


@given(representations())
def test_tables_give_what_they_promise(gcr: GCR) -> None:
    group, a = gcr.group, gcr.element[: gcr.q]
    powers = words(group, transform_element(gcr))
    for c in range(gcr.q):
        left, right = (int(table[c]) for table in gcr.inverse)
        assert group.times(a[c], group.times(powers[left], a[right])) == group.identity
        for other in range(gcr.q):
            left, right = (int(table[c, other]) for table in gcr.product)
            assert group.times(a[c], a[other]) == group.times(powers[left], a[right])
        for h in range(gcr.m):
            left, right = (int(table[c, h]) for table in gcr.turned)
            assert group.times(a[c], powers[h]) == group.times(powers[left], a[right])


@given(representations(), st.data())
def test_constants_lead_to_the_neighbours(gcr: GCR, data: st.DataObject) -> None:
    n = gcr.group.size
    generators = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=4))
    constants = gcr.constants(generators)
    assert constants.shape == (gcr.q, len(generators))
    for label in range(n):
        for port, generator in enumerate(generators):
            end = (label + constants[label % gcr.q, port]) % n
            assert gcr.element[end] == gcr.group.times(gcr.element[label], generator)


@given(representations())
def test_transfer_takes_the_same_generators_elsewhere(gcr: GCR) -> None:
    # Corollary 1: c and c a^-1 b are joined as a and b are.
    group, label = gcr.group, np.arange(gcr.group.size)
    i, j = label[:, None], label
    step = group.times(group.inverse(gcr.element[i]), gcr.element[j])
    for start in {0, group.size // 2, group.size - 1}:
        end = gcr.label[group.times(gcr.element[start], step)]
        assert (gcr.transfer(i, j, start) == end).all()


def test_default_representatives_are_the_least() -> None:
    gcr = GCR(CyclicProduct(12), T=8)  # of order 3: cosets of the multiples of 4
    assert gcr.element[:4].tolist() == [0, 1, 2, 3]
    assert gcr.element.tolist() == [0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7]
