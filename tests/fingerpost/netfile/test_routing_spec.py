from fingerpost.netfile.routing_spec import spelled
from fingerpost.netfile.source import read
from tests.fingerpost.common import NETWORKS


def test_spells_what_is_not_as_by_default() -> None:
    assert spelled({"algorithm": "table"}) == "table"
    assert spelled({"algorithm": "two-phase", "phase1": "table"}) == "two-phase"
    assert spelled({"algorithm": "two-phase", "phase1": "computed"}) == "two-phase:phase1=computed"


def test_another_routing_has_another_order() -> None:
    own = read(NETWORKS / "borel-21.yaml")
    assert "channel_order" in own.description["router"]
    other = own.changed(routing="chordal-ring:lookahead=3,rule=safe")
    assert "channel_order" not in other.description["router"]
    routing = other.description["routing"]
    assert (routing["algorithm"], routing["lookahead"]) == ("chordal-ring", 3)
    assert other.description["topology"] == own.description["topology"]
    computed = own.changed(routing="two-phase:phase1=computed")
    assert "channel_order" not in computed.description["router"]
    assert computed.description["routing"]["phase1"] == "computed"


def test_its_own_routing_keeps_its_order() -> None:
    own = read(NETWORKS / "borel-21.yaml")
    assert own.changed(routing="two-phase").description == own.description
