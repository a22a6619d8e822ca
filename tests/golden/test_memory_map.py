"""Memory maps: the node of an address, and the parts of regions, page by page."""

from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.link import link
from fingerpost.golden.network.deflection import build_deflection
from fingerpost.golden.network.network import build, routed
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.terminal import terminal
from fingerpost.golden.terminal.axi4 import Axi4Terminal
from fingerpost.golden.terminal.flow_layout import FlowLayout
from fingerpost.golden.terminal.memory_map import MemoryMap, Region, regions
from fingerpost.golden.traffic import Traffic
from tests.networks import deflection, load

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


GRID: dict[str, Any] = {
    "name": "four",
    "topology": {"family": "grid", "sizes": [2, 2]},
    "routing": {"algorithm": "table"},
    "terminal": {"kind": "mailbox", "packet_limit": 6},
}


def test_numbers_of_endpoints_fit_into_a_register() -> None:
    many = routed(load("borel-15657").description).routing
    four, eight = (terminal({"terminal": {"kind": "mailbox", "endpoints": n}}, 32) for n in (4, 8))
    with pytest.raises(ValueError, match="for a head flit"):  # their numbers fit
        four.flit_width(32, many, link(None))
    message = "^Mailbox needs at most 65535 terminals or endpoints, not 125256$"
    with pytest.raises(ValueError, match=message):
        eight.flit_width(32, many, link(None))


def test_a_beat_of_the_network_is_not_of_the_limits() -> None:
    """The limits of a file count words; those of flow control count the first beat, too."""
    own = {"flow_control": "end-to-end", "eager": 2, "packet_limit": 6, "receive": 8}
    shared = build(GRID | {"terminal": GRID["terminal"] | own | {"endpoints": 2}})
    flow = shared.terminal.flow(shared)  # type: ignore[attr-defined]
    assert (flow.eager, flow.packet_limit, flow.receive) == (3, 7, 9)
    wide = own | {"kind": "axi-stream", "endpoints": 2, "eager": 16, "packet_limit": 16}
    most = build(GRID | {"terminal": wide | {"receive": 16}})
    flow = most.terminal.flow(most)  # type: ignore[attr-defined]
    assert flow.window == 34 < 1 << FlowLayout.controlled(most, flow).length
    shared.terminal.check(Traffic(shared, load=0.1, cycles=100, lengths=(7, 7)))
    message = "^Mailbox needs a packet_limit of at least 7 words for such packets, not 6$"
    with pytest.raises(ValueError, match=message):
        shared.terminal.check(Traffic(shared, load=0.1, cycles=100, lengths=(8, 8)))


def test_needs_of_deflection_routers() -> None:
    plain = deflection("uneven").description
    for router, own, message in (
        ({}, {}, "^Mailbox at deflection routers needs flow_control: end-to-end, not none"),
        ({"flit_width": 64}, {"flow_control": "end-to-end"}, "^Mailbox needs a flit_width of 32"),
    ):
        changed = {"router": plain["router"] | router, "terminal": GRID["terminal"] | own}
        with pytest.raises(ValueError, match=message):
            build_deflection({**plain, **changed})
