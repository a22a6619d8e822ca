"""Routing units beside golden on networks of all sizes; `tests/testbench` has every decision."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import networkx as nx
import pytest
import yaml

from fingerpost.golden.network.network import routed
from fingerpost.hdl.routing import header_generator
from tests.hdl.routing.common import mismatches

BOREL_21 = "borel, p: 7, a: 2, A: [0, 1], B: [1, 1]"
BOREL_1081 = "borel, p: 47, a: 2, A: [1, 1], B: [7, 1]"
STEPS = "A: [1, 1], B: [1, 2]", "A: [1, 1], B: [2, 1]", "A: [2, 3], B: [1, 3]"
"""Of 21 nodes; no t is 0."""

SHORTEST = "", ", table: first", ", path: source", ", address: absolute"
RINGS = (
    *(f"chordal-ring, lookahead: {d}" for d in (1, 2, 3, 4)),
    *(f"chordal-ring, lookahead: {d}, rule: paper" for d in (1, 3)),
)
OF_BOREL = "adaptive", *(f"vertex-transitive{more}" for more in SHORTEST), *RINGS
OF_KYKLOS = "m", "h2", "p2", "modified-p2", "y2"
STARS = "greedy", "greedy, memory: none", "random", "near-minimal", "minimal"

CHAIN = nx.compose_all(
    [
        nx.path_graph([0, 1, 3, 5, 7]),
        nx.path_graph([0, 2, 4, 6]),
        nx.star_graph([6, 7, 8, 9, 10]),
        nx.path_graph([7, 8, 9, 10]),
        nx.star_graph([0, 11, 12, 13, 14]),
    ]
)
LINKS = [list(link) for link in sorted(CHAIN.edges)]
"""Node 7 sends what came from above to 10 by 8, and what did not by 6."""

SIZES = "[7]", "[8], wrap: true", "[5, 6]", "[5, 6], wrap: true", "[2, 2, 2, 2]"


def kyklos(*sizes: tuple[int, int, int], more: str = "") -> list[str]:
    return [f"kyklos, m: {m}, r: {r}, n: {n}{more}" for m, r, n in sizes]


QUICK: list[tuple[list[str], tuple[str, ...]]] = [
    ([BOREL_21], ("two-phase", "table", "up-down", *OF_BOREL)),
    ([f"borel, p: 7, a: 2, {each}" for each in STEPS], ("two-phase, phase1: computed",)),
    ([f"grid, sizes: {size}" for size in SIZES], ("dimension-order",)),
    (["grid, sizes: [3, 2, 4], wrap: [true, false, false]"], ("dimension-order",)),
    (["grid, sizes: [2, 2, 2]"], ("adaptive-table",)),
    ([f"edge-list, nodes: 15, links: {LINKS}", "grid, sizes: [2]"], ("up-down",)),
    (kyklos((2, 2, 2)), ("up-down",)),
    ([f"kautz, degree: {d}, diameter: {D}" for d, D in ((2, 1), (2, 4), (3, 3))], ("shift",)),
    (kyklos((2, 1, 4), (2, 3, 6)), OF_KYKLOS),
    (kyklos((3, 2, 4)), OF_KYKLOS[:-1]),
    (kyklos((2, 2, 6), more=", variant: original"), OF_KYKLOS),
    (kyklos((2, 2, 6), more=", variant: I"), ("m", "p2", "modified-p2")),
    ([f"rotator, n: {n}" for n in range(2, 7)], ("rotator",)),
    (["star, n: 5", "scc, n: 5"], STARS),
    (
        [f"super-rotator, nodes: {n}" for n in (2, 3, 5, 7, 10, 13, 24, 26, 49, 119)],
        ("class", "class, link: first"),
    ),
]
LONG: list[tuple[list[str], tuple[str, ...]]] = [
    ([BOREL_1081], ("two-phase, phase1: computed", *OF_BOREL)),
    (["kautz, degree: 9, diameter: 2"], ("shift",)),
    (kyklos((2, 2, 2), (2, 2, 4), (2, 2, 6), (2, 3, 3), (2, 4, 8)), OF_KYKLOS),
    (kyklos((3, 3, 3), (4, 2, 2), (5, 1, 2)), OF_KYKLOS[:-1]),
    (["star, n: 3", "scc, n: 3", "scc, n: 6"], STARS),
    ([f"{family}, n: {n}" for family in ("star", "scc") for n in (7, 8, 9)], STARS[:4]),
]


def cases(table: list[tuple[list[str], tuple[str, ...]]], *marks: Any) -> Iterator[Any]:
    """Yield each topology of a row with each algorithm of it."""
    for topologies, algorithms in table:
        for topology, algorithm in product(topologies, algorithms):
            yield pytest.param(topology, algorithm, marks=marks)


def parsed(topology: str, algorithm: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a network file has for both."""
    read = yaml.safe_load(f"[{{family: {topology}}}, {{algorithm: {algorithm}}}]")
    return read[0], read[1]


@pytest.mark.parametrize(
    ("topology", "algorithm"), [*cases(QUICK), *cases(LONG, pytest.mark.regress)]
)
def test_decides_like_golden(topology: str, algorithm: str) -> None:
    family, routing = parsed(topology, algorithm)
    count = 3000 if family.get("n", 0) > 6 and family["family"] in ("star", "scc") else 200
    assert mismatches(family, routing, count=count) == []


@pytest.mark.parametrize("algorithm", ["p2", "modified-p2"])
def test_refuses_a_rom_that_is_too_large(algorithm: str) -> None:
    (topology,) = kyklos((2, 1, 17))
    family, routing = parsed(topology, algorithm)
    network = routed({"name": "long", "topology": family, "routing": routing})
    message = f"^Routing by {algorithm} needs n <= 16 in hardware, not 17$"
    with pytest.raises(ValueError, match=message):
        header_generator(network.routing)
