"""Deflection routers as generated: all is proven of them, and a fault in each part is seen."""

from typing import Any

import pytest

from fingerpost.formal.deflection_network import KEPT, NEARER, findings, tables
from fingerpost.formal.gates import Finding
from fingerpost.formal.hardware import texts_of
from fingerpost.golden.network.deflection import DeflectionNetwork, build_deflection
from fingerpost.hdl.emit.network import network_verilog
from tests.formal.planted import planted

ROUTER = "deflection.router.DeflectionRouter"
TREE = {"family": "kyklos", "m": 2, "r": 2, "n": 2}


def network(topology: dict[str, Any] | None = None, **router: Any) -> DeflectionNetwork:
    ring = {"family": "grid", "sizes": [4], "wrap": True}
    given = {"kind": "deflection", "flit_width": 2, **router}
    return build_deflection({"name": "x", "topology": topology or ring, "router": given})


def found(
    some: DeflectionNetwork, texts: dict[str, str] | None = None
) -> dict[tuple[str, str], Finding]:
    texts = texts or texts_of(some)
    return {(x.component, x.claim): x for x in findings(some, texts, lambda told: None)}


@pytest.mark.parametrize(
    "some",
    [
        pytest.param({}, id="ring"),
        pytest.param({"topology": TREE, "table": "ram"}, id="without terminal, ram"),
        pytest.param(
            {
                "topology": {"family": "grid", "sizes": [3, 3]},
                "hop_cycles": 3,
                "wait_limit": "none",
            },
            id="missing links",
            marks=pytest.mark.regress,
        ),
        pytest.param(
            {"topology": {"family": "kautz", "degree": 2, "diameter": 3}, "ejections": 1},
            id="directed",
            marks=pytest.mark.regress,
        ),
    ],
)
def test_all_is_proven(some: dict[str, Any]) -> None:
    made = network(**some)
    verdicts = found(made)
    assert len(verdicts) == 5 * len(made.topology.node_types) + 2
    assert {x.verdict for x in verdicts.values()} == {"proven"}
    assert all(x.cases for x in verdicts.values())


@pytest.mark.parametrize(
    ("claim", "named", "old", "new"),
    [
        (KEPT, "as_many_leave", "output.valid.eq(flit.valid)", "output.valid.eq(flit.epoch)"),
        (NEARER, "first_gets_nearer", "~arrived[slot].old)", "arrived[slot].old)"),
    ],
)
def test_a_fault_in_the_router_is_seen(
    claim: str, named: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted(monkeypatch, ROUTER, old, new)
    broken = {x.claim: x.broken for x in found(network()).values() if x.verdict == "broken"}
    assert any(named in x for x in broken[claim])


def test_a_fault_in_the_table_is_seen() -> None:
    old = "clear[OTHER] ? {WIDTH{1'b0}} : second"
    late = {name: text.replace(old, "second") for name, text in texts_of(network()).items()}
    broken = [x for x in found(network(), late).values() if x.verdict == "broken"]
    assert [x.broken for x in broken] == [("table: answers1",)]


def test_a_wrong_entry_is_seen() -> None:
    made = network()
    text = network_verilog(made)
    assert tables(made, text).verdict == "proven"
    at = text.index("node_2(") - 4  # the lowest digit: destination 0
    assert text[at + 1] == ")"
    wrong = f"{text[:at]}{int(text[at], 16) ^ 1:x}{text[at + 1 :]}"
    assert tables(made, wrong).broken == ("node 2 to 0",)
    missing = text.replace("node_3(", "node_33(")
    assert tables(made, missing).broken[0] == "node 3 to 0"


def test_what_is_not_tried_has_a_reason() -> None:
    one_bit = found(network(flit_width=1, link_up=True))
    reasons = {x.claim: x.reason for x in one_bit.values() if x.verdict == "not tried"}
    assert reasons == {
        NEARER: "a flit has one bit of data",
        "the table answers with its contents": "it is written at run time",
    }
