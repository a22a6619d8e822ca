import pytest

import hdl.admission
import hdl.input_port
import hdl.output_port
from formal.router import router
from golden.deadlock.lanes import Lanes
from tests.formal.planted import breaks, plant


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        ("room", "front.wants[v] & here & some", "front.wants[v] & here"),
        ("unmixed", "~(busy | had[k])", "~had[k]"),
        ("head_first", "busy.eq(~ends)", "busy.eq(0)"),
        ("by_its_port", "via.eq(self.grant)", "via.eq(self.grant.rotate_left(1))"),
    ],
)
def test_finds_faults(claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, hdl.output_port, "OutputPort", old, new)
    breaks(router(lanes=Lanes(1, 1), depth=1), claim)


def test_finds_a_queue_that_keeps_its_front(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = "(self.granted & self.nominee[v]) | drained", "drained"
    plant(monkeypatch, hdl.input_port, "InputPort", old, new)
    breaks(router(lanes=Lanes(1, 1), depth=1), "once")


def test_finds_credits_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = "link.credit[v].eq(queue.goes)", "link.credit[v].eq(self.granted | queue.full)"
    plant(monkeypatch, hdl.input_port, "InputPort", old, new)
    breaks(router(lanes=Lanes(1, 1), depth=1), "credit00")


def test_finds_a_packet_by_another_port(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = "self.flit.head & ~lost", "self.flit.head"
    plant(monkeypatch, hdl.admission, "Admission", old, new)
    breaks(router(lanes=Lanes(1, 1), depth=1), "by_its_port")


@pytest.mark.parametrize("lanes", [Lanes(1, 2), Lanes(2, 2)], ids=["lanes", "classes"])
def test_finds_flits_of_two_channels_at_once(lanes: Lanes, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = "self.fronts[i].nominee[v] & here", "self.fronts[i].waits[v] & here"
    plant(monkeypatch, hdl.output_port, "OutputPort", old, new)
    contract = router(lanes=lanes, depth=1)
    found = [claim for claim in contract.claims if claim.startswith("one_channel")]
    assert found == ["one_channel0", "one_channel1"]  # the terminal has one channel only
    breaks(contract, "one_channel1")
