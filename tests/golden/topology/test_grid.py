from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.topology.distance import summary
from fingerpost.golden.topology.grid import Grid

Parameters = tuple[list[int], list[bool]]


@st.composite
def parameters(draw: st.DrawFn, dimensions: int = 4) -> Parameters:
    sizes = draw(st.lists(st.integers(2, 6), min_size=1, max_size=dimensions))
    return sizes, [draw(st.booleans()) for _ in sizes]


def joined(one: tuple[int, ...], other: tuple[int, ...], sizes: list[int], wrap: Any) -> bool:
    """Return whether two places differ by 1 in one coordinate, by the definition."""
    steps = [
        (size, ring, abs(a - b))
        for size, ring, a, b in zip(sizes, wrap, one, other, strict=True)
        if a != b
    ]
    if len(steps) != 1:
        return False
    size, ring, step = steps[0]
    return step == 1 or (ring and step == size - 1)


@given(parameters(dimensions=3))
def test_links_are_those_of_the_definition(chosen: Parameters) -> None:
    sizes, wrap = chosen
    grid = Grid(sizes=sizes, wrap=wrap)
    places = [place[::-1] for place in product(*map(range, sizes[::-1]))]
    assert grid.coordinate.tolist() == list(map(list, places))
    for node, place in enumerate(places):
        others = [other for other in grid.neighbour[node].tolist() if other >= 0]
        expected = [i for i, other in enumerate(places) if joined(place, other, sizes, wrap)]
        assert sorted(others) == expected  # so there is one link where a size of 2 wraps


@given(parameters())
def test_ports_lead_where_their_names_say(chosen: Parameters) -> None:
    sizes, wrap = chosen
    grid = Grid(sizes=sizes, wrap=wrap)
    steps = {f"d{i}{way}": (i, s) for i in range(4) for way, s in (("+", 1), ("-", -1), ("", 1))}
    for port, name in enumerate(grid.port_names):
        i, step = steps[name]
        back = {"+": "-", "-": "+"}.get(name[-1], "")
        x = grid.coordinate[:, i]
        there = (x + step) % sizes[i]
        linked = grid.neighbour[:, port] >= 0
        border = there != x + step
        if name[-1].isdecimal():
            assert sizes[i] == 2
            assert linked.all()
        else:
            assert (linked == (~border | wrap[i])).all()
        other = grid.neighbour[linked, port]
        assert (grid.coordinate[other, i] == there[linked]).all()
        assert {grid.port_names[q] for q in grid.arrival_port[linked, port]} <= {f"d{i}{back}"}
    assert not grid.directed


@given(parameters())
def test_diameter_is_that_of_lines_and_rings(chosen: Parameters) -> None:
    sizes, wrap = chosen
    longest = [size // 2 if ring else size - 1 for size, ring in zip(sizes, wrap, strict=True)]
    assert summary(Grid(sizes=sizes, wrap=wrap))[0] == sum(longest)


@pytest.mark.regress
@given(parameters(dimensions=3))
def test_orbits_are_those_of_symmetries_that_keep_ports(chosen: Parameters) -> None:
    grid = Grid(sizes=chosen[0], wrap=chosen[1])

    def symmetric(u: int, v: int) -> bool:
        image, todo = {u: v}, [u]
        while todo:
            node = todo.pop()
            for a, b in zip(grid.neighbour[node], grid.neighbour[image[node]], strict=True):
                if (a < 0) != (b < 0) or image.get(int(a), b) != b:
                    return False
                if a >= 0 and int(a) not in image:
                    image[int(a)] = int(b)
                    todo.append(int(a))
        return True

    first = {int(orbit): node for node, orbit in reversed(list(enumerate(grid.orbit)))}
    for node, orbit in enumerate(grid.orbit.tolist()):
        assert symmetric(first[orbit], node)
    for u, v in product(first.values(), repeat=2):
        assert symmetric(u, v) == (u == v)


def test_nodes_at_the_border_have_fewer_ports() -> None:
    # Corners, sides, and the inside of a mesh; in a torus all nodes are alike.
    node_types = Grid(sizes=[4, 3]).node_type
    assert [len(node_types[node].outputs) for node in (0, 1, 3, 4, 5, 11)] == [2, 3, 2, 3, 4, 2]
    assert all(
        node_type.inputs == node_type.outputs and node_type.terminal for node_type in node_types
    )
    assert len(set(node_types)) == 9
    assert len(Grid(sizes=[4, 3], wrap=True).node_types) == 1


@given(parameters(), st.data())
def test_nodes_are_named_by_their_coordinates(chosen: Parameters, data: st.DataObject) -> None:
    grid = Grid(sizes=chosen[0], wrap=chosen[1])
    node = data.draw(st.integers(0, grid.nodes - 1))
    label = ",".join(map(str, grid.coordinate[node].tolist()))
    assert grid.name(node) == label
    assert grid.node(label) == grid.node(label.replace(",", " , ")) == node


@pytest.mark.parametrize(
    ("sizes", "wrap", "known"),
    [
        ([8], False, "line"),
        ([8], True, "ring"),
        ([8, 2], False, "mesh"),
        ([3, 2, 4], True, "torus"),
        ([2, 2, 2], True, "hypercube"),
        ([4, 4], [True, False], None),
    ],
)
def test_constants(sizes: list[int], wrap: Any, known: str | None) -> None:
    constants = Grid(sizes=sizes, wrap=wrap).constants()
    assert constants.get("known_as") == known
    assert constants["sizes"] == sizes
    given = [wrap] * len(sizes) if isinstance(wrap, bool) else wrap
    assert constants["wrap"] == [w and s > 2 for w, s in zip(given, sizes, strict=True)]


def test_largest_degree() -> None:
    grid = Grid(sizes=[2] * 15)
    assert (grid.degree, grid.nodes) == (15, prod([2] * 15))
    assert np.unique(grid.orbit).tolist() == [0]
