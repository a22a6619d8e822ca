"""What can be measured of a network: a routing unit, a router, a node, all of it."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from fingerpost.cost import cost
from fingerpost.netfile.source import load
from tests.fingerpost.common import Run
from tests.fingerpost.cost_tools import RING


def test_the_routing_unit_is_that_of_the_costliest_port(
    run: Run, borel21: Path, tmp_path: Path, tools: SimpleNamespace
) -> None:
    tools.sizes = {0: 5, 1: 7, 2: 9, 3: 9, 4: 1}  # 4 is the terminal
    arguments = ("cost", borel21, "--part", "unit", "--seeds", 1, "--directory", tmp_path)
    facts = run(*arguments, "--json").json
    assert (facts["kind"], facts["part"], facts["port"]) == ("unit", "routing unit", 2)
    folder = Path(facts["directory"])
    top, harness = (folder / "top.v").read_text(), (folder / "harness.v").read_text()
    assert ".arrival(3'h2)" in top
    assert re.search(r"\.straps\(\d+'h", top)  # of the node, as in its router
    assert ".clk(" not in top
    assert {*re.findall(r"\.(\w+)\((?:driven|seen)", harness)} == {
        "header", "port", "next_header", "error",
    }  # fmt: skip
    first = run(*arguments).out.splitlines()[0]
    assert first.startswith("borel-21, the routing unit behind port 2 of node 10 on ECP5-25k")


def test_a_router_is_without_what_is_at_its_node(
    run: Run, tmp_path: Path, tools: SimpleNamespace
) -> None:
    file = tmp_path / "ring.yaml"
    file.write_text(f"{RING}terminal: {{kind: axi-stream}}\n")

    def whole(part: str) -> str:
        asked = ("cost", file, "--part", part, "--seeds", 1, "--directory", tmp_path, "--json")
        facts = run(*asked).json
        assert facts["kind"] == part
        assert ("AXI4-Stream" in facts["part"]) == (part == "node")
        return Path(facts["directory"], "harness.v").read_text()

    for part, there, absent in (("node", "s_axis", "inject"), ("router", "inject", "s_axis")):
        text = whole(part)
        assert f".{there}__" in text
        assert f".{absent}__" not in text


@pytest.mark.parametrize("link", ["flit", "os-link"])
def test_a_network_is_of_all_nodes(
    run: Run, tmp_path: Path, tools: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, link: str
) -> None:
    monkeypatch.setattr("fingerpost.cost.designs.node_verilog", lambda _: {"ring_at_a_node": ""})
    path = tmp_path / "ring.yaml"
    path.write_text(f"{RING.replace('8,', '24,')}link: {{kind: {link}}}\n")
    asked = ("cost", path, "--part", "network", "--seeds", 1, "--directory", tmp_path)
    facts = run(*asked, "--json").json
    assert (facts["kind"], facts["node"], facts["part"]) == ("network", None, "network")
    assert "keep_hierarchy 1 ring_network;" in tools.calls[0][-1]
    folder = Path(facts["directory"])
    assert "ring_at_a_node.v" in tools.calls[0][-1]
    assert folder.joinpath("ring_network.v").read_text().count(" node_") == 4
    clocks = 4 if link == "os-link" else 1  # every node has its own
    harness = folder.joinpath("harness.v").read_text()
    assert f".clk({{{clocks}{{clk}}}})" in harness
    driven = re.findall(r"\.(\w+)\(driven", harness)
    assert driven == ["inject_valid", "inject_flit", "eject_credit"]
    assert run(*asked).out.startswith("ring, the network on ECP5-25k")


@pytest.mark.regress
def test_a_whole_is_its_parts(tmp_path: Path) -> None:
    """For real: a network is its nodes, and a router more than its routing unit."""
    path = tmp_path / "ring.yaml"
    path.write_text(RING)
    net = load(path)
    parts = "unit", "router", "node", "network"
    found = {
        part: cost.facts(net, node=1, seeds=1, directory=tmp_path, part=part) for part in parts
    }
    assert found["unit"]["sites"] < found["router"]["sites"] == found["node"]["sites"]
    nodes = net.topology.nodes
    assert found["network"]["sites"] == pytest.approx(nodes * found["node"]["sites"], rel=0.05)
    assert found["network"]["flip_flops"] == nodes * found["node"]["flip_flops"]
    assert found["unit"]["flip_flops"] == 0
    for row in found.values():
        assert row["sites"] <= row["packed"] <= 1.1 * row["sites"] + 20
