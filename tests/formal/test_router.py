from types import ModuleType

import pytest

import fingerpost.hdl.router.input_port
import fingerpost.hdl.router.output_port
import fingerpost.hdl.router.route_stage
import fingerpost.hdl.router.vc_state
from fingerpost.formal.router import router
from fingerpost.golden.deadlock.lanes import Lanes
from tests.formal.planted import breaks, plant

VC, OUTPUT = (
    (fingerpost.hdl.router.vc_state, "VcState"),
    (fingerpost.hdl.router.output_port, "OutputPort"),
)


@pytest.mark.parametrize(
    ("claim", "where", "old", "new"),
    [
        ("room", VC, " & self.has_credit.replicate(self.sources)", ""),
        ("unmixed", VC, "(state.replicate(self.sources) | self.served)", "self.served"),
        ("head_first", VC, "busy.eq(~self.sent_tail)", "busy.eq(0)"),
        ("by_its_port", OUTPUT, "grant_q.eq(self.grant)", "grant_q.eq(self.grant.rotate_left(1))"),
    ],
)
def test_finds_faults(
    claim: str,
    where: tuple[ModuleType, str],
    old: str,
    new: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plant(monkeypatch, *where, old, new)
    breaks(router(lanes=Lanes(1, 1), depth=1), claim)


def test_finds_a_buffer_that_keeps_its_front(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = "(self.granted & self.candidate[v]) | discarded", "discarded"
    plant(monkeypatch, fingerpost.hdl.router.input_port, "InputPort", old, new)
    breaks(router(lanes=Lanes(1, 1), depth=1), "once")


def test_finds_credits_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = "link.credit[v].eq(buffer.pop)", "link.credit[v].eq(self.granted | buffer.full)"
    plant(monkeypatch, fingerpost.hdl.router.input_port, "InputPort", old, new)
    breaks(router(lanes=Lanes(1, 1), depth=1), "credit00")


def test_finds_a_packet_by_another_port(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = "self.flit.head & ~unroutable", "self.flit.head"
    plant(monkeypatch, fingerpost.hdl.router.route_stage, "RouteStage", old, new)
    breaks(router(lanes=Lanes(1, 1), depth=1), "by_its_port")


@pytest.mark.parametrize("lanes", [Lanes(1, 2), Lanes(2, 2)], ids=["lanes", "classes"])
def test_finds_flits_of_two_channels_at_once(lanes: Lanes, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = "self.fronts[i].candidate[v] & here", "self.fronts[i].valid[v] & here"
    plant(monkeypatch, fingerpost.hdl.router.output_port, "OutputPort", old, new)
    contract = router(lanes=lanes, depth=1)
    found = [claim for claim in contract.claims if claim.startswith("one_channel")]
    assert found == ["one_channel0", "one_channel1"]  # the terminal has one channel only
    breaks(contract, "one_channel1")


def test_finds_a_packet_that_changes_its_class(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = "yield _Source(i, v, always)", "yield _Source(i, v ^ 1, always)"
    plant(monkeypatch, fingerpost.hdl.router.output_port, "OutputPort", old, new)
    breaks(router(lanes=Lanes(1, 1, 2), depth=1), "in_its_class")
