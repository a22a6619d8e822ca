"""Groups, what is made of them, permutations of stars, the chance of a router, finite fields."""

from math import factorial

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fingerpost.golden.algebra import chance
from fingerpost.golden.algebra.field import Field
from fingerpost.golden.algebra.gcr import GCR, circulant_distances, computed_phase1
from fingerpost.golden.algebra.group import BorelGroup, Group, number, permutations
from fingerpost.golden.algebra.star_cycles import (
    Choices,
    FloatArray,
    Supernodes,
    bsymbols,
    canonical_order,
    leaders,
    local_links,
    minloc,
    move_in,
    ring_distance,
    star_distance,
)
from fingerpost.golden.arrays import BoolArray
from tests.golden.borel_group import Group as Matrices
from tests.golden.borel_group import circulant, times
from tests.golden.graphs import CyclicProduct
from tests.golden.star_group import (
    Permutation,
    b_list,
    behind,
    d,
    f_list,
    hops_to,
    labels,
    r_cycles,
    star_neighbours,
    vertex_number,
)
from tests.golden.star_group import move_in as moves_in_one

SMALL = [
    BorelGroup(7, 2),
    BorelGroup(5, 1),
    CyclicProduct(1),
    CyclicProduct(4, 3, 2),
]


@pytest.mark.parametrize("group", SMALL)
def test_is_a_group(group: Group) -> None:
    g = np.arange(group.size)
    product = group.times(g[:, None], g)
    for row in (*product, *product.T):
        assert sorted(row.tolist()) == g.tolist()
    assert (group.times(product[:, :, None], g) == group.times(g[:, None, None], product)).all()
    assert (product[group.identity] == g).all()
    assert (product[g, group.inverse(g)] == group.identity).all()


@given(st.sampled_from([(3, 2), (5, 4), (7, 3), (11, 4), (13, 6)]), st.data())
def test_borel_group_is_that_of_matrices(parameters: tuple[int, int], data: st.DataObject) -> None:
    p, a = parameters
    matrices, group = Matrices(p, a, (0, 0), (0, 0)), BorelGroup(p, a)
    assert (group.k, group.size) == (matrices.k, matrices.nodes)
    element = {label: matrix for matrix, label in matrices.label.items()}
    g, h = (data.draw(st.integers(0, group.size - 1)) for _ in range(2))
    assert group.times(g, h) == matrices.label[times(element[g], element[h], p)]


@pytest.mark.parametrize("group", SMALL)
def test_powers_are_products(group: Group) -> None:
    for g in range(group.size):
        expected = [group.identity]
        while (product := int(group.times(expected[-1], g))) != group.identity:
            expected.append(product)
        assert group.powers(g).tolist() == expected
        assert group.order(g) == len(expected)
        exponents = range(len(expected) + 2)
        powers = [int(group.power(g, e)) for e in exponents]
        assert powers == [expected[e % len(expected)] for e in exponents]


@given(st.integers(1, 12), st.data())
def test_number_and_permutation_are_inverse(n: int, data: st.DataObject) -> None:
    numbers = np.array(data.draw(st.lists(st.integers(0, factorial(n) - 1), min_size=1)))
    labels = permutations(numbers, n)
    assert [sorted(label) for label in labels.tolist()] == [list(range(1, n + 1))] * len(numbers)
    assert [vertex_number(tuple(label)) for label in labels.tolist()] == numbers.tolist()
    assert number(labels).tolist() == numbers.tolist()


GROUPS: list[Group] = [
    BorelGroup(7, 2),
    BorelGroup(13, 4),
    CyclicProduct(2, 3, 4),
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


@given(st.integers(2, 60), st.data())
def test_circulant_distances_are_those_of_networkx(k: int, data: st.DataObject) -> None:
    t1, t2 = (data.draw(st.integers(0, k - 1)) for _ in range(2))
    graph = nx.circulant_graph(k, [t1, t2])
    assume(nx.is_connected(graph))
    away = nx.single_source_shortest_path_length(graph, 0)
    distance = circulant_distances(k, np.array([t1, t2, -t1, -t2]))
    assert distance.tolist() == [away[r] for r in range(k)]


@given(st.integers(2, 60), st.data())
def test_computed_phase_1_has_the_fewest_links(k: int, data: st.DataObject) -> None:
    t1, t2 = (data.draw(st.integers(1, k - 1)) for _ in range(2))
    away = circulant(k, t1, t2)
    assume(-1 not in away)
    pairs = computed_phase1(k, t1, t2, max(away)).pairs
    assert ((pairs @ [t1, t2] - np.arange(k)) % k == 0).all()
    assert np.abs(pairs).sum(axis=1).tolist() == away


@given(st.integers(2, 60), st.data())
def test_steps_that_are_taken_are_enough(k: int, data: st.DataObject) -> None:
    t1, t2 = (data.draw(st.integers(1, k - 1)) for _ in range(2))
    away = circulant(k, t1, t2)
    assume(-1 not in away)
    pairs, steps = computed_phase1(k, t1, t2, max(away))
    hi, lo = max(t1, t2), min(t1, t2)
    for r in range(k):
        found = []
        for sign, turn, extra in steps:
            u = r + turn * k if sign > 0 else (turn + 1) * k - r
            m_hi = u // hi - extra
            if (u - m_hi * hi) % lo == 0:
                found.append((sign * m_hi, sign * (u - m_hi * hi) // lo))
        first = min(found, key=lambda pair: abs(pair[0]) + abs(pair[1]))
        assert tuple(pairs[r]) == (first if t1 >= t2 else first[::-1])
    assert len(set(steps)) == len(steps) <= k


def test_register_goes_through_all_states_but_0() -> None:
    # 16 steps at once: as 16 and 2^16 - 1 have no common factor, the period is the same.
    state, seen = chance.SEED, set()
    while state not in seen:
        seen.add(state)
        state = chance.advance(state)
    assert len(seen) == (1 << 16) - 1
    assert 0 not in seen


def test_one_step_is_that_of_the_polynomial() -> None:
    # x^16 + x^15 + x^13 + x^4 + 1: the new bit is the sum of those 16, 15, 13 and 4 steps ago.
    history = [chance.SEED >> i & 1 for i in reversed(range(16))]
    for _ in range(32):
        history.append(history[-16] ^ history[-15] ^ history[-13] ^ history[-4])
    twice = chance.advance(chance.advance(chance.SEED))
    assert [twice >> i & 1 for i in reversed(range(16))] == history[-16:]


def test_nodes_have_chances_of_their_own() -> None:
    selections = chance.selection(chance.SEED, np.arange(100))
    assert len(set(selections.tolist())) == 100
    assert selections.max() < 1 << 16


def symbols(mask: BoolArray) -> list[int]:
    return (np.flatnonzero(mask) + 1).tolist()


@st.composite
def some_labels(draw: st.DrawFn) -> list[Permutation]:
    n = draw(st.integers(3, 10))
    return draw(st.lists(st.permutations(range(1, n + 1)).map(tuple), min_size=1, max_size=20))


@pytest.mark.parametrize("n", range(3, 8))
def test_star_distance_is_that_of_bfs_and_b_is_what_lowers_it(n: int) -> None:
    away = hops_to(tuple(range(1, n + 1)), star_neighbours)
    p = np.array(labels(n))
    assert star_distance(p).tolist() == [away[label] for label in labels(n)]
    for label, b in zip(labels(n), bsymbols(p), strict=True):
        lowering = [i for i in range(2, n + 1) if away[behind(label, i)] < away[label]]
        assert symbols(b) == lowering


@given(some_labels())
def test_sets_are_those_of_the_r_cycles(some: list[Permutation]) -> None:
    p = np.array(some)
    n = p.shape[1]
    for k, label in enumerate(some):
        assert symbols(bsymbols(p)[k]) == sorted(b_list(label))
        of = {s: cycle[0] for cycle in r_cycles(label) for s in cycle}
        assert leaders(p)[k].tolist() == [of[s] for s in range(1, n + 1)]
        assert move_in(p, ring_distance(n))[k] == moves_in_one(label)
        in_order = sorted(range(1, n + 1), key=lambda s: canonical_order(p)[k, s - 1])
        assert in_order == [s for cycle in r_cycles(label) for s in cycle]


@given(some_labels(), st.data())
def test_minloc_is_equation_16(some: list[Permutation], data: st.DataObject) -> None:
    p = np.array(some)
    n = p.shape[1]
    i, i_d = (np.array([data.draw(st.integers(2, n)) for _ in some]) for _ in range(2))
    found = minloc(i, p, i_d, ring_distance(n)).tolist()
    for k, label in enumerate(some):
        expected = d(int(i[k]), int(i_d[k]), n)
        if b_list(label):
            enter = min(d(int(i[k]), b, n) for b in b_list(label))
            leave = min(d(f, int(i_d[k]), n) for f in f_list(label))
            expected = enter + moves_in_one(label) + leave
        assert found[k] == expected


def test_supernodes_are_in_the_order_of_their_numbers() -> None:
    supernodes = Supernodes.of(4)
    assert number(supernodes.p).tolist() == list(range(24))
    for label in labels(4):
        here = int(number(np.array(label)))
        ends = [int(number(np.array(behind(label, i)))) for i in range(1, 5)]
        assert supernodes.behind[here].tolist() == ends
        assert (np.flatnonzero(supernodes.b[here]) + 1).tolist() == sorted(b_list(label))


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


@pytest.mark.parametrize("q", [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 25, 27, 32])
def test_tables_are_those_of_a_field(q: int) -> None:
    field, every = Field(q), np.arange(q)
    for table, neutral in ((field.sum, 0), (field.product, 1)):
        assert (table == table.T).all()
        assert (table[neutral] == every).all()
        assert (table[table][:, :, every] == table[:, table]).all()  # associative
    assert (field.sum[every, field.negative] == 0).all()
    assert all(sorted(row) == list(range(q)) for row in field.product[1:].tolist())  # inverses
    products = field.product[:, field.sum]
    assert (products == field.sum[field.product[:, :, None], field.product[:, None]]).all()
    power = 1
    for exponent, found in enumerate(field.power.tolist()):
        assert (found, exponent == 0 or found != 1) == (power, True)
        power = int(field.product[power, field.power[1 % (q - 1)]])
    assert (len(field.power), power) == (q - 1, 1)


@pytest.mark.parametrize("q", [0, 1, 6, 12, 100])
def test_other_sizes_have_no_field(q: int) -> None:
    with pytest.raises(ValueError, match=rf"^Field needs a prime power of elements, not {q}$"):
        Field(q)
