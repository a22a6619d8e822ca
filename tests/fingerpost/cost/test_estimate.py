"""The estimate beside what nextpnr placed on ECP5, and the ranks of networks that follow from it.

Flits have 32 bits, buffers 8 flits.
"""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fingerpost.cost import nextpnr
from fingerpost.cost.designs import typical_node
from fingerpost.cost.estimate import of_network, of_node
from fingerpost.cost.floorplan import figure
from fingerpost.cost.netlist import DEVICES, Cell
from fingerpost.cost.network import Owners, floor, sites_by_node, wires
from fingerpost.cost.nextpnr import followed, stage
from fingerpost.golden.network.network import topology
from fingerpost.netfile.source import read
from tests.fingerpost.common import NETWORKS, Run, written
from tests.fingerpost.cost.tools import PLACED, RING, net

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
    assert found.sites == pytest.approx(sites, rel=0.11 if "deflection" in name else 0.08)
    assert found.clock == pytest.approx(clock, rel=0.16)


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


Cost = Callable[..., Any]

# Ports are numbered by links: those of node 1 lead to 0 and 2; port 2 is that of the terminal.
LINE = {"family": "edge-list", "nodes": 3, "links": [[0, 1], [1, 2]]}
OWNERS = Owners(topology({"name": "x", "topology": LINE}))


@pytest.mark.parametrize(
    ("cell", "node"),
    [
        ("inside.node_1.input0.x_LUT4_Z", 1),
        ("node_2_eject_flit_TRELLIS_FF_Q_3", 2),
        ("node_12.errors", 12),
        ("inside.shared_time.count_TRELLIS_FF_Q", None),
        ("driven_TRELLIS_FF_Q_7", None),
        # Registers of a link are of its sender, those of credits of the receiver of flits.
        ("inside.node_1.input0.link_flit_TRELLIS_FF_Q_5", 0),
        ("inside.node_1.input1.route_stage.flit_head_TRELLIS_FF_Q_DI_LUT4_Z", 2),
        ("node_1.input1.route_stage.routing.above_1_TRELLIS_FF_Q_DI_LUT4_Z", 2),
        ("node_1.input1.route_stage_data_TRELLIS_FF_Q_7", 2),
        ("node_1.input1.route_stage.in_packet_TRELLIS_FF_Q", 1),
        ("node_1.input1.header_TRELLIS_FF_Q", 2),
        ("node_1.input1.vc_buffer0.push_TRELLIS_FF_Q", 2),
        ("node_1.output1.credit_counter0.credit_TRELLIS_FF_Q", 2),
        ("node_1.output1.credit_counter0.credits_TRELLIS_FF_Q_1", 1),
        ("node_1.router.inputs__1__flit_data_TRELLIS_FF_Q", 2),
        ("node_1.inputs__1__valid_SB_DFFSR_Q", 2),
        ("node_1.output1.link_credit_TRELLIS_FF_Q", 2),
        ("node_1.outputs__0__credit_TRELLIS_FF_Q", 0),
        # The other way round, at the terminal, and logic behind a register: of the node named.
        ("node_1.input0.link_credit_TRELLIS_FF_Q", 1),
        ("node_1.output1.link_flit_TRELLIS_FF_Q", 1),
        ("node_1.input2.link_flit_TRELLIS_FF_Q", 1),
        ("node_1.inputs__1__flit_LUT4_A", 1),
        ("node_1.input0.link_flit_LUT4_A_Z_LUT4_Z", 1),
    ],
)
def test_a_cell_is_of_the_node_in_which_it_is(cell: str, node: int | None) -> None:
    assert OWNERS.node(cell) == node


def test_sites_are_those_of_each_node() -> None:
    cells = [Cell("node_2.a", "LUT4"), Cell("node_0.a", "TRELLIS_DPR16X4"), Cell("b", "CCU2C")]
    found = sites_by_node([*cells, Cell("node_2.b", "LUT4")], OWNERS, 3, DEVICES["ecp5-25"])
    assert found == {"nodes": [6, 0, 2], "between": 2}


def test_nodes_are_where_their_cells_are() -> None:
    # One cell of a node and one of the harness: of none.
    assert floor(PLACED, OWNERS) == [[3, 2, None], [10, 4, 1]]


def test_wires_are_the_slowest_between_two_nodes() -> None:
    nets = [
        net("inside.node_0.a", **{"inside.node_0.b": 9.0, "inside.node_1.a": 4.0, "caught": 8.0}),
        net("inside.node_0.b", **{"inside.node_1.a": 5.0, "inside.node_2.a": 3.0}),
        net("inside.node_1.a", **{"inside.node_0.b": 3.5}),
        net("driven", **{"inside.node_0.b": 7.0}),
    ]
    found = wires({"detailed_net_timings": nets}, OWNERS)
    assert [(each["from_node"], each["to_node"], each["ns"]) for each in found] == [
        (0, 1, 5.0), (1, 0, 3.5), (0, 2, 3.0),
    ]  # fmt: skip


LOG = """Info: Packing LUTs...
Info:     at initial placer iter 3, wirelen = 440
Info:     at iteration #1, type ALL: wirelen solved = 341, spread = 139092, legal = 1000; time = 2s
Info:     at iteration #9, type ALL: wirelen solved = 400, spread = 57651, legal = 1000; time = 1s
Info: HeAP Placer Time: 42.09s
Info:   at iteration #5: temp = 0.000000, timing cost = 575, wirelen = 56059
Info: Setting up routing resources...
Info:     iter=1 wires=225564 overused=12000 overuse=14873 archfail=NA
Info:     iter=2 wires=227897 overused=3000 overuse=7435 archfail=NA
Info: Running router1 to check that route is legal...
Info:    IterCnt |  w/ripup   wo/ripup |  w/r  wo/r |      arcs| batch(sec) total(sec)|
Info:       1000 |       12        987 |   12   987 |      2345|       0.31       0.31|
"""


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (0, "starting"),
        (1, "packing"),
        (2, "first placement, iteration 3"),
        (4, "placement, iteration 9, 50 % converged"),  # 0.4 of the way to 0.8
        (6, "refinement of the placement, iteration 5"),
        (7, "routing"),
        (8, "routing, iteration 1, 0 % of conflicts gone"),
        (9, "routing, iteration 2, 75 % of conflicts gone"),
        (10, "routing"),
        (12, "routing, 2345 arcs left"),
    ],
)
def test_the_log_tells_the_stage(lines: int, expected: str) -> None:
    assert stage("\n".join(LOG.splitlines()[:lines])) == expected


def test_stages_are_told_while_the_tool_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nextpnr, "LOOK", 0.001)
    log, told = tmp_path / "seed1.log", list[str]()
    log.write_text(LOG)  # of an earlier run
    with followed(log, told.append):
        for lines in (1, 2, 9):
            log.write_text("\n".join(LOG.splitlines()[:lines]))
            expected = stage(log.read_text())
            deadline = time.monotonic() + 10
            while expected not in told and time.monotonic() < deadline:
                time.sleep(0.001)
            assert expected in told
    assert told[-1] == "routing, iteration 2, 75 % of conflicts gone"
    assert "routing, 2345 arcs left" not in told


@pytest.fixture
def bare_ring(ring: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ring of four nodes whose Verilog takes no time."""
    monkeypatch.setattr(
        "fingerpost.hdl.emit.network.print_designs", lambda *_, **__: {"ring_at_a_node": ""}
    )
    ring.write_text(RING)
    return ring


@pytest.mark.parametrize(
    ("luts", "asked", "device"),
    [
        (0, (), "ECP5-25k"),
        (7_000, (), "ECP5-45k"),  # four nodes have 28,032
        (12_000, (), "ECP5-85k"),
        (12_000, ("--device", "ecp5-85"), "ECP5-85k"),
        (20_000, (), "ECP5-85k, .* has 83640 sites, and 4 nodes of 20008 .* 80032: needs fewer .*"),
        (7_000, ("--device", "ecp5-25"), "ECP5-25k, .* 28032: needs --device ecp5-45, fewer .*"),
    ],
)  # fmt: skip
def test_a_network_has_the_smallest_device_with_room(
    run: Run,
    bare_ring: Path,
    tools: SimpleNamespace,
    tmp_path: Path,
    luts: int,
    asked: tuple[str, ...],
    device: str,
) -> None:
    tools.luts = luts
    ended = run("cost", bare_ring, "--directory", tmp_path, "--part", "network", *asked)
    if ended.status:
        assert re.fullmatch(f"fingerpost: {device}\n", ended.err)
        assert len(tools.calls) == 1  # the synthesis of a node
    else:
        assert ended.out.startswith(f"ring, the network on {device}")
        places = [call for call in tools.calls if "--seed" in call]
        seeds = [call[call.index("--seed") + 1] for call in places]
        assert seeds == ["1", "1"]  # one placement of each


@pytest.mark.parametrize(("sites", "router"), [(20_001, "router2"), (20_000, "router1")])
def test_large_networks_have_the_router_that_ends(
    bare_ring: Path,
    tools: SimpleNamespace,
    cost: Cost,
    monkeypatch: pytest.MonkeyPatch,
    sites: int,
    router: str,
) -> None:
    monkeypatch.setattr("fingerpost.cost.cost._packed", lambda *_: sites)
    cost("--part", "network", nets=(bare_ring,))
    node, network = (" ".join(call) for call in tools.calls if "--seed" in call)
    assert f"--router {router} " in network
    assert "--router" not in node


def test_a_network_is_compared_with_a_node_of_it(
    cost: Cost, bare_ring: Path, tools: SimpleNamespace, tmp_path: Path
) -> None:
    asked = "--part", "network", "--json"
    tools.mhz = [100.0, 100.0]
    facts = cost(*asked, nets=(bare_ring,), seeds=2)
    assert (facts["parts"], facts["alone"]["node"], facts["alone"]["loss"]) == ({}, 2, 0)
    assert facts["paths"][0]["from_node"] is None
    assert facts["paths"][0]["places"][0] == [40, 7]  # the length of its name
    assert facts["tiles"] == [[3, 2, None], [10, 4, 1]]
    # What nextpnr wrote beside its report is made again if it is lost.
    written = Path(facts["directory"], "seed1.placed.json")
    written.unlink()
    before = len(tools.calls)
    assert cost(*asked, nets=(bare_ring,), seeds=2) == facts
    assert len(tools.calls) == before + 1
    assert json.loads(written.read_text()) == PLACED
    shown = cost("--part", "network", nets=(bare_ring,), seeds=2)
    assert shown[0].startswith("ring, the network on ECP5-25k, ")


def test_the_floor_plan_is_drawn(
    run: Run, bare_ring: Path, tools: SimpleNamespace, tmp_path: Path
) -> None:
    output = tmp_path / "floor.svg"
    asked = "--directory", tmp_path, "--part", "network", "-o", output
    assert run("cost", bare_ring, *asked).err == f"fingerpost: wrote {output}\n"
    assert "<title>ring on ECP5-25k, speed 6, CABGA381</title>" in output.read_text()
    # Tiles outside of all nodes, where pins are, are left out.
    tiles = [[1, 5, 0], [2, 5, 2], [3, 5, None], [4, 5, 1], [9, 9, None]]
    row = {"nodes": 3, "network": "x", "device": "y", "sites": 1, "fmax_mhz": {"median": 9.0},
           "paths": [], "tiles": tiles}  # fmt: skip
    (image,) = figure(row).axes[0].images
    assert np.asarray(image.get_array()).tolist() == [[1, 3, 0, 2]]
