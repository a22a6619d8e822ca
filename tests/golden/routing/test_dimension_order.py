"""Routing by coordinates and by letters."""

from functools import cache
from itertools import product
from math import ceil, prod

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.deadlock.channels import Channels
from fingerpost.golden.routing import ClassRouting, Routing
from fingerpost.golden.routing.dimension_order import DimensionOrder
from fingerpost.golden.routing.kautz_shift import Shift, overlap
from fingerpost.golden.routing.rotator import LongestSuffix
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology import Kautz, Rotator, SuperRotator
from fingerpost.golden.topology.grid import Grid
from tests.golden.graphs import all_routes, channel_dependencies, check_shortest
from tests.golden.star_group import vertex_number

Place = tuple[int, ...]


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    some = st.lists(st.integers(2, 8), min_size=1, max_size=3)
    sizes = draw(some.filter(lambda sizes: prod(sizes) <= 64))
    return Grid(sizes=sizes, wrap=[draw(st.booleans()) for _ in sizes])


def places(grid: Grid, start: Place, end: Place) -> list[Place]:
    """Return the route by its definition, a place at a time."""
    route = [start]
    for i, (size, ring) in enumerate(zip(grid.sizes, grid.wraps, strict=True)):
        up = (end[i] - start[i]) % size
        rises = end[i] > start[i]
        if ring:
            rises = up < size - up or (up == size - up and start[i] % 2 == 0)
        while route[-1][i] != end[i]:
            x = list(route[-1])
            x[i] = (x[i] + (1 if rises else -1)) % size
            route.append(tuple(x))
    return route


@given(grids())
def test_routes_are_those_of_the_definition_and_shortest(grid: Grid) -> None:
    routing = DimensionOrder(grid)
    check_shortest(routing)
    spot = [tuple(x) for x in grid.coordinate.tolist()]
    number = {place: node for node, place in enumerate(spot)}
    for pair, route in zip(product(spot, spot), all_routes(routing).nodes, strict=True):
        expected = [number[place] for place in places(grid, *pair)]
        assert route[route >= 0].tolist() == expected


@given(grids())
def test_channels_of_the_datelines_leave_no_cycle(grid: Grid) -> None:
    routing = DimensionOrder(grid)
    increments = routing.vc_increments()
    rings = sum(ring and size > 4 for ring, size in zip(grid.wraps, grid.sizes, strict=True))
    needed = Channels(routing, increments).needed
    assert needed <= 1 + ceil(rings / 2)
    assert increments.any() == (rings > 0)
    graph = channel_dependencies(routing, increments, needed)  # link by link
    assert nx.is_directed_acyclic_graph(graph)


@pytest.mark.parametrize(
    ("sizes", "wrap", "channels"),
    [
        ([32], [False], 1),
        ([8, 8], [False, False], 1),
        ([2] * 6, [True] * 6, 1),
        ([4, 4, 4], [True, True, True], 1),  # a packet goes two hops in a ring at most
        ([5], [True], 2),
        ([8, 8], [True, True], 2),
        ([5, 8], [True, True], 2),
        ([6, 3, 6], [True, False, True], 2),
        ([5, 5, 5], [True, True, True], 3),
        pytest.param([5, 6, 5, 5], [True, True, True, True], 3, marks=pytest.mark.regress),
    ],
)
def test_channels_that_are_needed(sizes: list[int], wrap: list[bool], channels: int) -> None:
    routing = DimensionOrder(Grid(sizes=sizes, wrap=wrap))
    increments = Channels(routing, routing.vc_increments())
    assert increments.needed == channels
    assert channels == 1 or increments.shortest_cycle(channels - 1)


def test_straps() -> None:
    routing = DimensionOrder(Grid(sizes=[6, 3, 4], wrap=[True, False, False]))
    node = routing.topology.node("5,2,1")
    assert {name: int(routing.straps.value(name)[node]) for name in routing.straps} == {
        "x0": 5, "far0": 1, "x1": 2, "x2": 1,
    }  # fmt: skip
    # Opposite nodes: up from even ones, so three on, and down from odd ones, so two on.
    assert routing.far[:6, 0].tolist() == [3, 3, 5, 5, 1, 1]


@given(st.integers(6, 8), st.data())
def test_routes_of_larger_rotator_graphs_are_as_long_as_the_diameter_at_most(
    n: int, data: st.DataObject
) -> None:
    routing = LongestSuffix(graph(n))
    pairs = [data.draw(st.permutations(range(1, n + 1))) for _ in range(2)]
    source, goal = (np.array([vertex_number(tuple(word))]) for word in pairs)
    assert walk(routing, source, goal).hops.max() <= n - 1


@cache
def graph(n: int) -> Rotator:
    return Rotator(n=n)


@given(st.integers(1, 6), st.data())
def test_overlap_is_that_of_strings(letters: int, data: st.DataObject) -> None:
    texts = st.text("abc", min_size=letters, max_size=letters)
    word, goal = data.draw(texts), data.draw(texts)
    expected = next(k for k in range(letters, -1, -1) if word.endswith(goal[:k]))
    found = overlap(np.array([[ord(x) for x in word]]), np.array([[ord(x) for x in goal]]))
    assert found.tolist() == [expected]


@pytest.mark.parametrize(
    "routing",
    [
        *(LongestSuffix(Rotator(n=n)) for n in range(2, 6)),
        *(ClassRouting(SuperRotator(nodes=nodes)) for nodes in (6, 24, 120)),
        *(
            Shift(Kautz(degree=d, diameter=D))
            for d, D in [(2, 1), (2, 2), (2, 4), (2, 6), (3, 3), (4, 3), (6, 2)]
        ),
    ],
    ids=lambda routing: f"{routing.algorithm}-{routing.topology.nodes}",
)
def test_every_route_is_shortest(routing: Routing) -> None:
    check_shortest(routing)
