"""Memory maps: the node of an address, and the parts of regions, page by page."""

from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.network.network import build
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.terminal.axi4 import Axi4Terminal
from fingerpost.golden.terminal.memory_map import MemoryMap, Region, regions

PAGE = 4096
WIDTH = 19
PAGES = 2**WIDTH // PAGE


class Drawn(NamedTuple):
    """Regions that fit, one by one, a network."""

    regions: list[dict[str, Any]]
    nodes: int
    subordinates: frozenset[int]

    def made(self) -> MemoryMap:
        return MemoryMap(
            regions(self.regions),
            nodes=self.nodes,
            subordinates=self.subordinates,
            address_width=WIDTH,
        )

    def pages(self, region: dict[str, Any]) -> list[int | None]:
        """Return the node, or None, of each page that a region takes, in the order of pages."""
        each = region["size"] // PAGE
        if "node" in region:
            return [region["node"]] * each
        numbers = 1
        while numbers < self.nodes:
            numbers += numbers
        return [
            node if node in self.subordinates else None
            for node in range(numbers)
            for _ in range(each)
        ]


@st.composite
def drawn(draw: st.DrawFn) -> Drawn:
    nodes = draw(st.integers(2, 17))
    all_nodes = st.integers(0, nodes - 1)
    found = Drawn([], nodes, draw(st.frozensets(all_nodes, min_size=1)))
    for _ in range(draw(st.integers(1, 6))):
        region: dict[str, Any] = {"size": PAGE << draw(st.integers(0, 2))}
        if draw(st.booleans()):
            region["nodes"] = "all"
        else:
            region["node"] = draw(st.sampled_from(sorted(found.subordinates)))
        pages = len(found.pages(region))
        found.regions.append(
            {"base": PAGE * pages * draw(st.integers(0, PAGES // pages - 1)), **region}
        )
    return found


@given(drawn(), st.integers(0, PAGE - 1))
def test_every_page_has_the_node_of_its_region(drawn: Drawn, offset: int) -> None:
    """Or none; and regions that share a page are refused."""
    expected: dict[int, int | None] = {}
    overlapping = None
    for index, region in enumerate(drawn.regions):
        first = region["base"] // PAGE
        own = {first + page: node for page, node in enumerate(drawn.pages(region))}
        if own.keys() & expected.keys():
            overlapping = index
            break
        expected |= own
    if overlapping is not None:
        with pytest.raises(ParameterError, match=r"^Region needs addresses of its own; ") as caught:
            drawn.made()
        assert (caught.value.index, caught.value.key) == (overlapping, "base")
        return
    made = drawn.made()
    for page in range(PAGES):
        assert made.node(PAGE * page + offset) == expected.get(page)
    assert made.node(2**WIDTH) is None
    covered = [
        (base + start, node) for base, size, node in made.ranges() for start in range(0, size, PAGE)
    ]
    assert covered == sorted(covered)
    assert covered == sorted((PAGE * p, n) for p, n in expected.items() if n is not None)
    sizes = {region["size"] for region in drawn.regions}
    assert sizes >= {part.size for part in made.ranges()}


def test_parts_and_plain_data() -> None:
    given: list[dict[str, Any]] = [
        {"base": 0x10000, "size": 0x2000, "node": 1},
        {"base": 0, "size": 4096, "nodes": "all"},
    ]
    made = MemoryMap(regions(given), nodes=5, subordinates=[0, 1, 4], address_width=32)
    assert made.describe() == given
    all_nodes = [(0, 4096, 0), (4096, 4096, 1), (4 * 4096, 4096, 4)]
    assert made.parts(made.regions[1]) == all_nodes
    assert made.ranges() == [*all_nodes, (0x10000, 0x2000, 1)]


def test_the_last_address_of_64_bits() -> None:
    region = Region(base=1 << 63, size=1 << 63, node=0)
    made = MemoryMap([region], nodes=2, subordinates=[0], address_width=64)
    assert [made.node(at) for at in ((1 << 63) - 1, 1 << 63, (1 << 64) - 1)] == [None, 0, 0]
    whole = Region(base=0, size=1 << 63, nodes="all")
    made = MemoryMap([whole], nodes=2, subordinates=[1], address_width=64)
    assert [made.node(at) for at in ((1 << 63) - 1, 1 << 63, (1 << 64) - 1)] == [None, 1, 1]


KYKLOS = {"family": "kyklos", "m": 2, "r": 2, "n": 4}


@pytest.mark.parametrize(
    ("changes", "nodes"),
    [
        ({"topology": {"family": "grid", "sizes": [2, 3]}}, range(6)),
        ({"topology": KYKLOS}, range(16)),  # terminals are the leaves, the first of 46 nodes
        ({"topology": {"family": "grid", "sizes": [2, 3]}, "faults": "node:5"}, range(5)),
        (
            {
                "topology": {"family": "grid", "sizes": [2, 3]},
                "terminal": {"kind": "axi4", "subordinates": [4, 1]},
            },
            (1, 4),
        ),
    ],
)
def test_nodes_without_a_subordinate_have_no_addresses(changes: Any, nodes: Any) -> None:
    all_nodes = {"base": 0x40000000, "size": 0x1000, "nodes": "all"}
    network = build(
        {
            "name": "x",
            "routing": {"algorithm": "table"},
            "terminal": {"kind": "axi4"},
            "memory_map": [all_nodes],
            **changes,
        }
    )
    assert isinstance(network.terminal, Axi4Terminal)
    made = network.terminal.memory_map(network.topology)
    found = {node: made.node(0x40000000 + 0x1000 * node) for node in range(64)}
    assert found == {node: node if node in nodes else None for node in range(64)}
    assert [part.node for part in made.ranges()] == [*nodes]
    assert network.classes == 2


def test_lists_of_nodes_are_those_with_a_side() -> None:
    network = build(
        {
            "name": "x",
            "topology": KYKLOS,
            "routing": {"algorithm": "table"},
            "terminal": {"kind": "axi4", "managers": (7, 2, 7), "lite": (2,)},
            "memory_map": [{"base": 0, "size": 4096, "nodes": "all"}],
        }
    )
    assert isinstance(network.terminal, Axi4Terminal)
    sides = [
        network.terminal.nodes_of(key, network.topology)
        for key in ("managers", "subordinates", "lite")
    ]
    assert sides == [(2, 7), tuple(range(16)), (2,)]
