from itertools import product
from math import ceil, prod

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.analysis.loads import loads
from fingerpost.golden.deadlock.channels import Channels
from fingerpost.golden.routing.dimension_order import DimensionOrder
from fingerpost.golden.topology.grid import Grid
from tests.golden.dependencies import channel_dependencies
from tests.golden.graphs import all_routes, check_shortest

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


def test_one_dateline_for_all_rings_of_a_dimension_takes_a_channel_more() -> None:
    routing = DimensionOrder(Grid(sizes=[8, 8], wrap=True))
    increments = np.zeros_like(routing.vc_increments())
    for i, (up, down) in enumerate(routing.topology.ports):
        start = routing.topology.coordinate[:, i] == 0
        increments[start, down, up] = increments[start, up, down] = True
    assert Channels(routing, increments).needed == 3


@pytest.mark.parametrize("sizes", [[9], [8, 8], [5, 4, 3], [2, 2, 2, 2], [7, 2]])
def test_loads_of_a_mesh(sizes: list[int]) -> None:
    # Over the link from x to x+1 go all packets from the x+1 places below to the s-1-x above it,
    # whatever the n/s combinations of the other coordinates are, of which each link has one.
    grid = Grid(sizes=sizes)
    found = loads(DimensionOrder(grid)).load * (grid.nodes - 1)
    for i, (up, down) in enumerate(grid.ports):
        size, x = sizes[i], grid.coordinate[:, i]
        above = (x + 1) * (size - 1 - x) * (grid.nodes // size)
        below = (size - x) * x * (grid.nodes // size)
        if size == 2:
            assert found[:, up] == pytest.approx(above + below)
        else:
            assert found[:, up] == pytest.approx(above)
            assert found[:, down] == pytest.approx(below)


@pytest.mark.parametrize("sizes", [[8, 8], [4, 4, 4], [7, 7]])
def test_all_links_of_a_torus_carry_alike(sizes: list[int]) -> None:
    found = loads(DimensionOrder(Grid(sizes=sizes, wrap=True)))
    assert found.link_saturation == pytest.approx(found.bound)
    assert found.load.min() == pytest.approx(found.load.max())


def test_header_and_straps() -> None:
    routing = DimensionOrder(Grid(sizes=[6, 3, 4], wrap=[True, False, False]))
    node = routing.topology.node("5,2,1")
    assert routing.encode(np.array([0]), np.array([node])).tolist() == [5 | 2 << 3 | 1 << 5]
    assert {name: int(routing.straps.value(name)[node]) for name in routing.straps} == {
        "x0": 5, "far0": 1, "x1": 2, "x2": 1,
    }  # fmt: skip
    # Opposite nodes: up from even ones, so three on, and down from odd ones, so two on.
    assert routing.far[:6, 0].tolist() == [3, 3, 5, 5, 1, 1]
