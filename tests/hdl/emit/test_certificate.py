from fingerpost.golden.network.network import build
from fingerpost.hdl.emit.certificate import certificate
from tests.networks import PETERSEN


def test_lanes_of_a_class_have_its_rank() -> None:
    description = {"name": "x", "topology": PETERSEN, "routing": {"algorithm": "table"}}
    narrow = build(description)
    wide = build(description | {"router": {"virtual_channels": 5}})
    assert (narrow.virtual_channels, wide.lanes.classes) == (2, 2)
    first, more = certificate(narrow), certificate(wide)
    assert first["class"] == more["class"] == list(range(10))
    ranks = [[[a, a, a, b, b] for a, b in ports] for ports in first["rank"]]
    assert more["rank"] == ranks


def test_is_of_one_network() -> None:
    star = {"name": "x", "topology": {"family": "star", "n": 3}, "routing": {"algorithm": "greedy"}}
    ring = {"family": "edge-list", "links": [(0, 1), (1, 2), (2, 0)], "nodes": 3}
    other = {"name": "x", "topology": ring, "routing": {"algorithm": "table"}}
    hashes = [certificate(build(x))["wiring_sha256"] for x in (star, star, other)]
    assert hashes[0] == hashes[1] != hashes[2]


def test_has_no_rank_where_there_is_no_link() -> None:
    line = {"family": "edge-list", "links": [(0, 1), (1, 2)], "nodes": 3}
    found = certificate(build({"name": "x", "topology": line, "routing": {"algorithm": "table"}}))
    present = [[port is not None for port in found["rank"][kind]] for kind in found["class"]]
    assert sorted(map(sum, present)) == [1, 1, 2]
