"""What a network file says arrives, and what golden refuses is told by its key."""

from pathlib import Path

import pytest

from fingerpost.golden.link import CellLink
from fingerpost.golden.parameters import ParameterError
from fingerpost.netfile.source import NetfileError, load, read
from tests.fingerpost.netfiles import GOOD, refusal, with_change

pytestmark = pytest.mark.usefixtures("here")


def test_minimal_file_gets_the_defaults() -> None:
    Path("x.yaml").write_text(GOOD, encoding="utf-8")
    network = load("x.yaml")
    assert network.name == "tiny"
    assert (network.flit_width, network.buffer_depth, network.virtual_channels) == (32, 8, 2)
    assert network.description == {
        "name": "tiny",
        "topology": {"family": "borel", "p": 7, "a": 2, "A": (0, 1), "B": (1, 1)},
        "routing": {"algorithm": "two-phase", "phase1": "table", "words": "balanced"},
        "router": {
            "flit_width": 32,
            "buffer_depth": 8,
            "virtual_channels": "auto",
            "classes": 1,
            "bypass_limit": "auto",
            "turn_bypass_limit": "auto",
            "routing_register": False,
        },
        "link": {"kind": "flit"},
    }


def test_os_links_get_the_defaults() -> None:
    Path("x.yaml").write_text(GOOD + "link: {kind: os-link, slot: 12}\n", encoding="utf-8")
    link = load("x.yaml").link
    assert isinstance(link, CellLink)
    assert (link.clocks_per_bit, link.fifo, link.acknowledge) == (5, 2, "overlap")
    assert (link.slot, link.timeout, link.breaks) == (12, 0, False)


def test_os_links_go_both_ways() -> None:
    assert refusal(
        "name: loop\ntopology: {family: super-rotator, nodes: 13}\nrouting: {algorithm: class}\n"
        "link: {kind: os-link}\n"
    ) == ("x.yaml:4: link.kind: OS-Link goes both ways, and the links of super-rotator do not")


def test_every_key_arrives() -> None:
    text = (
        "name: tiny\n"
        "topology: {family: borel, p: 7, a: 2, A: [1, 1], B: [2, 4]}\n"
        "routing: {algorithm: two-phase, phase1: computed, words: first}\n"
        "router: {flit_width: 40, buffer_depth: 64, virtual_channels: 16, channel_order: [2, 0, 1]}"
        "\nlink: {kind: flit}\n"
    )
    Path("x.yaml").write_text(text, encoding="utf-8")
    network = load("x.yaml")
    assert (network.flit_width, network.buffer_depth, network.virtual_channels) == (40, 64, 16)
    assert network.order is not None
    assert network.order[:3].tolist() == [2, 0, 1]
    assert network.description["routing"] == {
        "algorithm": "two-phase", "phase1": "computed", "words": "first",
    }  # fmt: skip


def test_a_default_that_does_not_fit_is_told_where_the_router_would_stand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def too_wide(description: object) -> None:
        message = "Router needs a flit_width of at least 40, not 32"
        raise ParameterError("flit_width", message, section="router")

    monkeypatch.setattr("fingerpost.netfile.source.build", too_wide)
    message = "router.flit_width: Router needs a flit_width of at least 40, not 32"
    assert refusal(GOOD) == f"x.yaml:3: {message}"
    assert refusal(f"{GOOD}router: {{buffer_depth: 4}}\n") == f"x.yaml:4: {message}"


def test_name_in_a_path_of_another_directory_is_kept() -> None:
    Path("sub").mkdir()
    Path("sub/x.yaml").write_text(with_change("p: 7", "p: 15"), encoding="utf-8")
    with pytest.raises(NetfileError, match=r"^sub/x\.yaml:2: topology\.p: "):
        load("sub/x.yaml")


def test_routing_alone_needs_no_channels() -> None:
    text = f"{GOOD}router: {{virtual_channels: 1}}\n"
    Path("x.yaml").write_text(text, encoding="utf-8")
    assert read("x.yaml").routed().topology.nodes == 21


def test_routing_alone_is_checked_as_well() -> None:
    Path("x.yaml").write_text(with_change("p: 7", "p: 9"), encoding="utf-8")
    with pytest.raises(NetfileError, match=r"^x\.yaml:2: topology\.p: .* prime p, not 9$"):
        read("x.yaml").routed()


def test_routing_is_by_table_unless_the_file_says_otherwise() -> None:
    Path("x.yaml").write_text("name: x\ntopology: {family: star, n: 3}\n", encoding="utf-8")
    assert load("x.yaml").routing.algorithm == "table"


def test_links_that_are_no_network_are_told_by_the_key_of_their_file() -> None:
    Path("links.txt").write_text("a b\nc d\n", encoding="utf-8")
    assert refusal("name: x\ntopology:\n  family: edge-list\n  file: links.txt\n") == (
        "x.yaml:4: topology.file: Edge-list needs a way from every node to every other, "
        "not none from a to c"
    )


def test_what_is_wrong_without_a_key_is_told_with_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(description: object) -> None:
        raise ValueError("m needs more than n = 3 hops from 0 to 2")

    monkeypatch.setattr("fingerpost.netfile.source.build", lost)
    assert refusal(GOOD) == "x.yaml: m needs more than n = 3 hops from 0 to 2"


def test_edge_list_is_read_from_the_file_beside_the_network_file() -> None:
    Path("sub").mkdir()
    Path("sub/links.txt").write_text("a b\nb c\nc a\n", encoding="utf-8")
    Path("sub/x.yaml").write_text(
        "name: x\ntopology: {family: edge-list, file: links.txt}\n", encoding="utf-8"
    )
    network = load("sub/x.yaml")
    assert [network.topology.name(node) for node in range(3)] == ["a", "b", "c"]
    assert network.description["topology"]["links"] == [(0, 1), (1, 2), (2, 0)]
    Path("sub/links.txt").write_text("a b\nb b\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"^sub/links\.txt:2: a link needs two nodes, not one "):
        load("sub/x.yaml")
