"""Chordal rings: labels, and the rules of the paper a packet at a time."""

import re
from collections import deque
from collections.abc import Iterator
from itertools import pairwise
from math import gcd

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fingerpost.golden.routing.chordal_ring import ChordalRing, Ring, sectors
from fingerpost.golden.routing.walk import walk
from fingerpost.papers.items import printed
from fingerpost.papers.two_phase_1995 import graph
from tests.golden.borel_group import Group, valid_groups
from tests.golden.graphs import distances

A, B, A_INVERSE, B_INVERSE, LOCAL = range(5)
LOSING = Group(13, 4, (4, 1), (5, 1))


def has_ring(group: Group) -> bool:
    return 1 in (gcd(group.A[0], group.k), gcd(group.B[0], group.k))


rings = valid_groups(most=1000).filter(has_ring)


def test_ring_of_table_3_set_1() -> None:
    # t2 = 7 t1: w = B A^(23-7-1) B (A^-1)^6
    ring = Ring(graph("table-3", 0))
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


# The rules once more, a packet at a time.

Links = list[list[tuple[int, int]]]


def links_of(group: Group) -> Links:
    """Return for each CR label (port, CR label) of gamma, lambda, +1, -1."""
    ring, n = Ring(group.topology()), group.nodes
    links = []
    for label in range(n):
        ends = [int(ring.label[v]) for v in group.neighbours[ring.node[label]]]
        up, down = ends.index((label + 1) % n), ends.index((label - 1) % n)
        chords = [port for port in (A, A_INVERSE, B, B_INVERSE) if port not in (up, down)]
        links.append([(port, ends[port]) for port in (*chords, up, down)])
    return links


def depth_first(links: Links, start: int, d: int, arrival: int) -> Iterator[tuple[int, int]]:
    """Yield the first port and the end of every walk without a step back."""

    def walks(path: list[int], first: int) -> Iterator[tuple[int, int]]:
        for port, end in links[path[-1]]:
            if (len(path) == 1 and port == arrival) or (len(path) > 1 and end == path[-2]):
                continue
            begun = port if len(path) == 1 else first
            yield begun, end
            if len(path) < d:
                yield from walks([*path, end], begun)

    return walks([start], -1)


def breadth_first(links: Links, start: int, d: int) -> Iterator[tuple[int, int]]:
    """Yield every node within d hops, and the first port to it, the closer ones first."""
    away, first = {start: 0}, {start: -1}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for port, end in links[node]:
            if end not in away and away[node] < d:
                away[end] = away[node] + 1
                first[end] = port if node == start else first[node]
                queue.append(end)
                yield first[end], end


def expected(links: Links, at: int, to: int, d: int, arrival: int | None) -> int:
    """Return the port, by CR labels, for the rule of the paper or, without arrival, the safe."""
    if at == to:
        return LOCAL
    n = len(links)
    ends = breadth_first(links, at, d) if arrival is None else depth_first(links, at, d, arrival)
    return min(ends, key=lambda end: min((to - end[1]) % n, (end[1] - to) % n))[0]


def lost(links: Links, source: int, d: int) -> int:
    """Return how many packets from `source` the rule of the paper sends in circles."""
    count = 0
    for to in range(len(links)):
        at, arrival, seen = source, LOCAL, set[tuple[int, int]]()
        while at != to and (at, arrival) not in seen:
            seen.add((at, arrival))
            port = expected(links, at, to, d, arrival)
            at, arrival = dict(links[at])[port], (port + 2) % 4
        count += at != to
    return count


def ways(n: int, ends: list[int]) -> list[int]:
    """Return the index of the nearest end for every way to go."""
    around = [[min((e - way) % n, (way - e) % n) for e in ends] for way in range(n)]
    return [distances.index(min(distances)) for distances in around]


# Against these.


@given(st.integers(3, 60), st.data())
def test_sectors_have_the_nearest_end(n: int, data: st.DataObject) -> None:
    ends = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=20))
    start, nearest = sectors(np.array(ends), n)
    assert start[0] == 0
    assert (np.diff(start) > 0).all()
    found = nearest[np.searchsorted(start, np.arange(n), side="right") - 1]
    assert found.tolist() == ways(n, ends)


@settings(max_examples=40)
@given(rings, st.integers(1, 4), st.data())
def test_safe_rule(group: Group, d: int, data: st.DataObject) -> None:
    routing = ChordalRing(group.topology(), lookahead=d)
    links, ring = links_of(group), routing.ring
    source = data.draw(st.integers(0, group.nodes - 1))
    arrival = data.draw(st.integers(0, 4))
    header = routing.encode(np.array(source), np.arange(group.nodes))
    port, onward, error = routing.decide(np.array(source), np.array(arrival), header)
    assert port.tolist() == [
        expected(links, int(ring.label[source]), int(to), d, None) for to in ring.label
    ]
    assert (onward == header).all()
    assert not error.any()

    # A router holds no more sectors than there are changes of the link on the way round.
    at = int(ring.label[source])
    around = np.roll(port[ring.node], -at)[1:]
    starts = set(routing.sector_starts[at % ring.q].tolist())
    assert len(starts) == 1 + sum(one != next_ for one, next_ in pairwise(around.tolist()))


@pytest.mark.regress
@settings(max_examples=40)
@given(rings.filter(lambda group: group.nodes < 400), st.integers(1, 4), st.data())
def test_rule_of_the_paper(group: Group, d: int, data: st.DataObject) -> None:
    try:
        routing = ChordalRing(group.topology(), lookahead=d, rule="paper")
    except ValueError:
        assert d > 2  # the rule can lose packets from 3 on
        assume(False)
    links, ring = links_of(group), routing.ring
    source = data.draw(st.integers(0, group.nodes - 1))
    header = routing.encode(np.array(source), np.arange(group.nodes))
    for arrival in range(5):
        port = routing.decide(np.array(source), np.array(arrival), header).port
        assert port.tolist() == [
            expected(links, int(ring.label[source]), int(to), d, arrival) for to in ring.label
        ]


@pytest.mark.regress
@given(rings.filter(lambda group: group.nodes < 300), st.integers(1, 4))
def test_safe_rule_delivers_every_packet(group: Group, d: int) -> None:
    routing = ChordalRing(group.topology(), lookahead=d)
    n = group.nodes
    source, goal = np.divmod(np.arange(n * n), n)
    hops, away = walk(routing, source, goal).hops, distances(routing.topology)
    distance = np.array([away[s][g] for s in range(n) for g in range(n)])
    assert (hops >= distance).all()
    within = distance <= d
    assert (hops[within] == distance[within]).all()
    # The ring distance to the nearest node within reach, at most n/2, falls every d hops.
    assert hops.max() <= (n // 2 + 1) * d


def test_rule_of_the_paper_loses_packets() -> None:
    links = links_of(LOSING)
    of_classes = [lost(links, i, 3) for i in range(6)]
    assert of_classes[0] == 21  # the 21 of docs/reference/errata.md, from node 0
    message = (
        f"Chordal-ring routing needs rule safe here, not paper: with lookahead 3 that rule sends "
        f"{13 * sum(of_classes)} of 6006 packets in circles"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ChordalRing(LOSING.topology(), lookahead=3, rule="paper")


# Tables III and IV; the rule of the paper is in tests/fingerpost/papers.


@pytest.mark.parametrize("table", ["table-3", "table-4"])
@pytest.mark.parametrize("column", range(4))
@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_safe_rule_changes_two_averages_only(table: str, column: int, d: int) -> None:
    changed = {("table-3", 2, 4): "7.59", ("table-4", 2, 4): "24.21"}
    average, most = (
        printed(f"two-phase-1995/{table}").row(f"CR d={d} {what}")[column]
        for what in ("avg", "max")
    )
    topology = graph(table, column)
    hops = walk(ChordalRing(topology, lookahead=d), np.array(0), np.arange(1, topology.nodes)).hops
    assert f"{hops.mean():.2f}" == changed.get((table, column, d), average)
    assert str(hops.max()) == most
