"""Routers under load: generated Verilog does what it should in every state, and else it is seen."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from fingerpost.formal.arrivals import arrivals
from fingerpost.formal.decisions import Decisions
from fingerpost.formal.departures import departures
from fingerpost.formal.gates import flat
from fingerpost.formal.loaded import under_load
from fingerpost.formal.prove import ProofError, prove
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.emit.network import verilog_files
from fingerpost.netfile.source import load
from tests.formal.test_planted import planted
from tests.networks import built

RING = {"family": "edge-list", "nodes": 5, "links": [(i, (i + 1) % 5) for i in range(5)]}
STAR = {"family": "star", "n": 3}
NETWORKS = Path(__file__).parents[2] / "networks"


def ring(**router: Any) -> Network:
    return built(RING, flit_width=4, **router)


def types(some: Network) -> list[tuple[NodeType, str]]:
    text = "\n".join(verilog_files(some).values())
    return [(node_type, text) for node_type in some.topology.node_types]


@pytest.mark.regress
@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: ring(buffer_depth=1), id="small"),
        pytest.param(lambda: ring(buffer_depth=3), id="depth"),
        pytest.param(lambda: ring(buffer_depth=2, virtual_channels=3), id="lanes"),
        pytest.param(
            lambda: ring(buffer_depth=3, routing_register=True, bypass_limit=1), id="register"
        ),
        pytest.param(lambda: ring(buffer_depth=2, classes=2), id="classes"),
        pytest.param(lambda: ring(buffer_depth=3, hop_cycles=3, bypass_limit=1), id="three cycles"),
        pytest.param(
            lambda: built(RING | {"terminals": 2}, flit_width=5, virtual_channels=3),
            id="terminals and lanes",
        ),
        pytest.param(
            lambda: built(RING | {"terminals": 2}, flit_width=5, classes=2, buffer_depth=1),
            id="terminals and classes",
        ),
        pytest.param(lambda: load(NETWORKS / "petersen.yaml"), id="petersen"),
    ],
)
def test_routers_do_what_they_should(make: Callable[[], Network]) -> None:
    some = make()
    found = [*under_load(Decisions(some, *types(some)[0]), "node type 0", print)]
    assert [(x.verdict, x.broken, x.reason) for x in found] == [("proven", (), "")] * 4
    assert [x.engine for x in found] == ["structure", "structure", "pdr", "pdr"]
    assert all(x.cases for x in found)


FAULTS = yaml.load(
    Path(__file__).with_name("loaded.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader
)
MAKERS = {"departures": departures, "arrivals": arrivals}


@pytest.mark.parametrize(
    ("new", "proven"),
    [("~o.grant.any()", True), pytest.param("~o.grant.all()", False, marks=pytest.mark.regress)],
)
def test_stalls_are_counted_exactly(
    new: str, proven: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted(monkeypatch, "router.router.Router", "~o.grant.any()", new)
    counters = {"kind": "axi-lite"}
    some = build({**ring().description, "counters": counters})
    contract = departures(some, *types(some)[0])["stalls"]
    assert prove(contract).proven is proven


@pytest.mark.parametrize(
    ("make", "name", "claim", "component", "old", "new"),
    [
        pytest.param(*fault, id=fault[2], marks=[pytest.mark.regress] * (fault[2] != "its_route"))
        for fault in FAULTS
    ],
)
def test_finds_faults(
    make: str,
    name: str,
    claim: str,
    component: str,
    old: str,
    new: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planted(monkeypatch, component, old, new)
    # Two channels, and headers that change.
    some = built(STAR, "greedy", buffer_depth=3, flit_width=8)
    contract = MAKERS[make](some, *types(some)[0])[name]
    only = {name for name in contract.claims if name.rstrip("0123456789_") == claim}
    contract.claims = {name: contract.claims[name] for name in only}
    assert only
    assert prove(contract).proven is False


@pytest.mark.regress
def test_finds_routes_that_depend_on_state(monkeypatch: pytest.MonkeyPatch) -> None:
    sound, some = ring(buffer_depth=1), ring(buffer_depth=1)
    assert set(map(tuple, Decisions(sound, *types(sound)[0]).depends().values())) == {()}
    old = "self.flit.head & ~unroutable"
    new = f"{old} & ~self.in_packet.all()"
    planted(monkeypatch, "router.route_stage.RouteStage", old, new)
    found = Decisions(some, *types(some)[0]).depends()
    assert found["input 0"] == [f"netlist.input0.in_packet[{v}]" for v in (0, 1)]


def test_other_names_of_a_wire_show_what_it_is_cut_to() -> None:
    text = """module top(input clk, input w, input x, output y, output z);
  wire a = ~x;
  wire b = a;
  assign y = b & w;
  assign z = b;
endmodule
"""
    cut = json.loads(flat("top", text).cut(["a"], ["a", "b"]))
    bits = {name: port["bits"] for name, port in cut["modules"]["top"]["ports"].items()}
    assert bits["b"] == bits["z"] == bits["a.i"] != bits["a"]
    (reader,) = (
        cell["connections"]
        for cell in cut["modules"]["top"]["cells"].values()
        if cell["connections"]["Y"] == bits["y"]
    )
    assert bits["a.i"] in (reader["A"], reader["B"])


def test_a_wire_that_is_not_there_is_told() -> None:
    some = ring(buffer_depth=1)
    node_type, text = types(some)[0]
    with pytest.raises(ProofError):
        Decisions(some, node_type, text.replace("push_route", "other"))
