"""Every form: nodes apart, every link drawn from node to node, no line over a third node."""

from itertools import pairwise

import numpy as np
import pytest

from fingerpost.drawing.form import Points
from fingerpost.drawing.forms import FORMS, OTHERS
from fingerpost.drawing.forms.lattices import classes
from fingerpost.drawing.plan import Plan, Strand, plan
from fingerpost.golden.algebra.group import permutations
from fingerpost.golden.topology import (
    FAMILIES,
    Borel,
    DirectedChordalRing,
    DoubleLoop,
    EdgeList,
    Grid,
    Kyklos,
    Metacyclic,
    Scc,
    Star,
    SuperRotator,
    Topology,
)
from tests.networks import EXAMPLES, PETERSEN

SMALL: dict[str, Topology] = {
    **{name: family(**EXAMPLES[name]) for name, family in FAMILIES.items()},
    "scc-3": Scc(n=3),
    "kyklos-2-3-3": Kyklos(m=2, r=3, n=3),
    "kyklos-3-1-2": Kyklos(m=3, r=1, n=2),
    "super-rotator-23": SuperRotator(nodes=23),
    "braided-ring": DoubleLoop(nodes=16, a=1, b=2),
    "ddlcn": DoubleLoop(nodes=8, a=1, b=7),
    "directed-chordal-ring-16": DirectedChordalRing(nodes=16, w=5),
    "line": Grid(sizes=[6]),
    "mesh": Grid(sizes=[4, 3]),
    "torus": Grid(sizes=[4, 4], wrap=True),
    "cube-3": Grid(sizes=[2, 2, 2]),
    "cube-4": Grid(sizes=[2] * 4),
    "torus-3d": Grid(sizes=[3, 3, 3], wrap=True),
    "petersen": EdgeList(links=PETERSEN["links"], nodes=10),
}


def laid(topology: Topology) -> Plan:
    return plan(topology, FORMS.get(topology.family, OTHERS).form(topology))


def dense(line: Points) -> Points:
    """Points along a line, not more than a point of the picture apart."""
    parts = [np.linspace(a, b, 2 + int(np.linalg.norm(b - a))) for a, b in pairwise(line)]
    return np.concatenate(parts)


@pytest.mark.parametrize("name", SMALL)
def test_nodes_are_apart_and_links_lead_from_one_to_another(name: str) -> None:
    topology = SMALL[name]
    found = laid(topology)
    away = np.linalg.norm(found.points[:, None] - found.points, axis=2)
    np.fill_diagonal(away, np.inf)
    assert away.min() > found.diameter * 1.1
    links = list(zip(*(x.tolist() for x in np.nonzero(topology.neighbour >= 0)), strict=True))
    assert sorted(found.strand) == links
    for node, port in links:
        first, *_, last = found.strand[node, port].way(node, port) * 2
        ends = [node, int(topology.neighbour[node, port])]
        np.testing.assert_allclose([first[0], last[-1]], found.points[ends])
    for strand in found.strands:
        node, port = strand.ends[0]
        ends = [node, int(topology.neighbour[node, port])]
        others = np.delete(found.points, ends, axis=0)
        for line in strand.lines:
            away = np.linalg.norm(dense(line)[:, None] - others, axis=2)
            assert away.min() > found.diameter / 2, ends


@pytest.mark.parametrize("name", ["braided-ring", "ddlcn", "rotator", "super-rotator-23"])
def test_lines_between_the_same_nodes_are_seen_apart(name: str) -> None:
    topology, seen = SMALL[name], dict[frozenset[int], list[Strand]]()
    for strand in laid(topology).strands:
        node, port = strand.ends[0]
        pair = frozenset({node, int(topology.neighbour[node, port])})
        for other in seen.setdefault(pair, []):
            one, two = dense(strand.lines[0]), dense(other.lines[0])
            away = np.linalg.norm(one[:, None] - two, axis=2).min(axis=1)
            assert away[len(one) // 2] > 3
        seen[pair].append(strand)


def test_kyklos_is_leaves_in_a_row_with_a_tree_above_and_one_below() -> None:
    topology = Kyklos(m=2, r=2, n=4)
    points = FORMS["kyklos"].form(topology).points
    leaves = points[:16]
    assert np.ptp(leaves[:, 1]) == 0
    assert (np.diff(leaves[:, 0]) > 0).all()
    for tree, side in ((0, 1), (1, -1)):
        height = []
        for level in range(1, 5):
            nodes = [topology.node(f"{tree}.{level}.{o}") for o in range(16 >> level)]
            (one,) = set(((points[nodes, 1] - leaves[0, 1]) * side).round(9))
            height.append(one)
        assert height[0] > 0
        assert (np.diff(height) > 0).all()


def test_chordal_ring_is_a_ring_by_label_with_its_classes() -> None:
    form = FORMS["borel"].form(SMALL["borel"])
    angle = np.unwrap(np.arctan2(form.points[:, 0], form.points[:, 1]))
    np.testing.assert_allclose(angle, 2 * np.pi * np.arange(21) / 21, atol=1e-12)
    assert form.colour is not None
    assert form.colour.tolist() == [0, 1, 2] * 7


def test_classes_form_the_circulant_graph_that_every_link_agrees_with() -> None:
    topology = Borel(p=47, a=2, A=(1, 1), B=(7, 13))
    view, form = classes(topology)
    assert (view.nodes, len(form.points)) == (23, 23)
    for node in range(topology.nodes):
        for port in range(4):
            end = int(topology.neighbour[node, port])
            assert view.neighbour[node % 23, port] == end % 23
            back = int(topology.arrival_port[node, port])
            assert view.arrival_port[node % 23, port] == back


def test_a_generator_within_a_class_is_a_loop() -> None:
    view, form = classes(Metacyclic(m=101, k=4, r=10, A=(0, 1), B=(1, 5)))
    found = plan(view, form)
    loops = [s for s in found.strands if view.neighbour[s.ends[0]] == s.ends[0][0]]
    assert len(loops) == 4
    for strand in loops:
        away = np.linalg.norm(strand.lines[0] - found.points[strand.ends[0][0]], axis=1)
        assert away.max() > found.diameter / 2  # it can be seen


def test_supernodes_are_rings_in_the_places_of_the_star_graph() -> None:
    topology, star = Scc(n=4), FORMS["star"].form(Star(n=4))
    form = FORMS["scc"].form(topology)
    rings = form.points.reshape(-1, 3, 2)
    np.testing.assert_allclose(rings.mean(axis=1), star.points, atol=1e-12)
    reach = np.linalg.norm(rings - star.points[:, None], axis=2)
    np.testing.assert_allclose(reach, reach[0, 0])
    assert reach[0, 0] < form.discs[0].radius
    assert [disc.text for disc in form.discs] == [
        "".join(map(str, label)) for label in permutations(np.arange(24), 4).tolist()
    ]


def test_links_of_a_torus_leave_on_one_side_and_come_back_on_the_other() -> None:
    topology = Grid(sizes=[4, 3], wrap=[True, False])
    found = laid(topology)
    around = [s for s in found.strands if len(s.lines) == 2]
    assert len(around) == 3
    left, right = found.points[:, 0].min(), found.points[:, 0].max()
    for strand in around:
        x = [float(line[-1, 0]) for line in strand.lines]
        assert min(x) < left - found.diameter / 2
        assert max(x) > right + found.diameter / 2


def test_places_of_the_file_are_kept() -> None:
    places = [(0.0, 0.0), (2.0, 1.0), (4.0, 0.0)]
    topology = EdgeList(links=[(0, 1), (1, 2), (2, 0)], nodes=3, places=places)
    found = laid(topology).points
    np.testing.assert_allclose((found - found[0]) / found[1, 1], [(0, 0), (2, 1), (4, 0)])
