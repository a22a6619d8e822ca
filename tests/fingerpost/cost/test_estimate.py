"""The estimate beside what nextpnr placed on ECP5, and the ranks of networks that follow from it.

Flits have 32 bits, buffers 8 flits.
"""

from pathlib import Path
from typing import Any

import pytest

from fingerpost.cost.designs import typical_node
from fingerpost.cost.estimate import of_network, of_node
from fingerpost.netfile.source import read
from tests.fingerpost.common import NETWORKS, Run, written

GRID = "topology: {{family: grid, sizes: {sizes}, wrap: {wrap}}}"
MADE = {
    "mesh-4x4": (GRID.format(sizes=[4, 4], wrap="false"), "routing: {algorithm: dimension-order}"),
    "torus-4x4": (GRID.format(sizes=[4, 4], wrap="true"), "routing: {algorithm: dimension-order}"),
    "hypercube-4": (
        GRID.format(sizes=[2] * 4, wrap="false"),
        "routing: {algorithm: dimension-order}",
    ),
    "mesh-4x4-deflection": (
        GRID.format(sizes=[4, 4], wrap="false"),
        "router: {kind: deflection}",
    ),
    "hypercube-6-deflection": (
        GRID.format(sizes=[2] * 6, wrap="false"),
        "router: {kind: deflection}",
    ),
}
"""Networks that have no file."""

ALONE = {
    ("petersen", None): (1156, 112),
    ("borel-21", None): (1745, 106),
    ("borel-21-acyclic", None): (1319, 134),
    ("borel-1081", None): (3501, 81),
    ("borel-1081-acyclic", None): (1979, 101),
    ("borel-1081-shortest", None): (3011, 75),
    ("mesh-8x8", None): (1059, 128),
    ("torus-32x32", None): (1600, 95),
    ("star-4", None): (1754, 100),
    ("rotator-4", None): (1329, 118),
    ("kyklos-2-2-4", None): (675, 152),
    ("super-rotator-13", None): (817, 123),
    ("super-rotator-23", None): (1137, 126),
    ("borel-21-deflection", None): (748, 167),
    ("borel-1081-deflection", None): (698, 152),
    ("hypercube-6-deflection", None): (1500, 104),
    ("mesh-4x4-deflection", 5): (691, 161),
    ("mesh-4x4-deflection", 1): (494, 130),
    ("mesh-4x4-deflection", 0): (208, 175),
}
"""Sites and MHz of a node alone, of an interior one if no other is named."""

WHOLE = {
    "mesh-4x4": (11_848, 115),
    "torus-4x4": (16_481, 114),
    "mesh-4x4-deflection": (7_568, 110),
    "hypercube-4": (15_389, 104),
    "borel-21": (35_700, 72),
    "borel-21-acyclic": (27_351, 64),
    "borel-21-deflection": (15_683, 100),
}
"""Sites and MHz of networks, with one seed; of borel-21 the middle of 63 and 81 MHz."""


def network(name: str, folder: Path) -> Any:
    if name in MADE:
        written(folder, "\n".join([f"name: {name}", *MADE[name]]), f"{name}.yaml")
    return read((folder if name in MADE else NETWORKS) / f"{name}.yaml").any_network()


@pytest.mark.parametrize(("name", "node"), ALONE)
def test_a_node_is_as_it_was_placed(name: str, node: int | None, tmp_path: Path) -> None:
    of = network(name, tmp_path)
    place = typical_node(of.topology) if node is None else node
    sites, clock = ALONE[name, node]
    found = of_node(of, of.topology.node_type[place])
    assert found.sites == pytest.approx(sites, rel=0.15)
    assert found.clock == pytest.approx(clock, rel=0.2)


@pytest.mark.parametrize("name", WHOLE)
def test_a_network_is_as_it_was_placed(name: str, tmp_path: Path) -> None:
    """Clocks of networks depend on the placement more than those of nodes."""
    sites, clock = WHOLE[name]
    found = of_network(network(name, tmp_path))
    assert found.sites == pytest.approx(sites, rel=0.15)
    assert found.clock == pytest.approx(clock, rel=0.25)


def test_networks_are_ranked_by_what_they_carry_for_their_area(run: Run, tmp_path: Path) -> None:
    names = "borel-21", "torus-8x8", "kyklos-2-2-4", "mesh-4x4-deflection", "mesh-8x8"
    network("mesh-4x4-deflection", tmp_path)
    files = [(tmp_path if name in MADE else NETWORKS) / f"{name}.yaml" for name in names]
    rows = run("info", "--compare", *files, "--json").json["rows"]
    merits = [row["merit"] for row in rows]
    assert (len(rows), merits) == (len(names), sorted(merits, reverse=True))
    of = {row["network"]: row for row in rows}
    for name, row in of.items():  # 16 of the 46 nodes of the kyklos have a terminal
        each = row["limit"] * row["clock"] * (16 / 46 if name == "kyklos-2-2-4" else 1)
        assert row["merit"] == pytest.approx(1000 * each / row["sites"])
    mesh, torus, deflection = (of[name] for name in ("mesh-8x8", "torus-8x8", names[3]))
    assert [row["kind"] for row in (mesh, deflection)] == ["wormhole", "deflection"]
    assert [row["virtual_channels"] for row in (mesh, torus, deflection)] == [1, 2, 0]
    # Half of the 64 nodes send 32/63 of their flits over the 8 links of the middle; on a torus all
    # four links of a node carry alike. Rows and columns of 4 nodes have a mean distance of 5/4.
    assert mesh["limit"] == pytest.approx(8 / (32 * 32 / 63))
    assert torus["limit"] == pytest.approx(4 / (4 * 64 / 63))
    assert deflection["mean_hops"] == pytest.approx(2 * 5 / 4 * 16 / 15)
    assert deflection["limit"] == 1
    for row, cycles in ((mesh, 2), (deflection, 4)):  # two a hop and in the first router; 4, and 1
        zero_load = cycles * row["mean_hops"] + (2 if cycles == 2 else 1)
        assert row["zero_load_ns"] == pytest.approx(1000 * zero_load / row["clock"])
    (serial,) = run("info", "--compare", NETWORKS / "borel-21-os-link.yaml", "--json").json["rows"]
    # A flit of 32 bits is at least 4 bytes of 8 bits on the wire.
    assert (serial["limit"] < 1 / 32, serial["zero_load_ns"]) == (True, None)
    shown = run("info", *files, "--compare").out.splitlines()
    assert [line.split()[0] for line in shown[1 : len(rows) + 1]] == list(of)
    said = " ".join(shown[len(rows) + 2 :])
    assert "are estimates for ECP5, not measured" in said
    assert "an upper bound by links and terminals, not a simulation" in said
