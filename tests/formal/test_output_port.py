from typing import Any

import pytest

import hdl.arbiter
import hdl.output_port
from formal.output_port import output_port
from formal.prove import prove
from golden.deadlock.lanes import Lanes
from tests.formal.planted import breaks, plant

SMALL: dict[str, Any] = {"channels": (2, 2, 1), "lanes": Lanes(2, 2), "depth": 1, "courtesy": 1}


@pytest.mark.parametrize(
    ("courtesy", "eject"),
    [
        *((0, True), (1, False), (3, True)),
        *(pytest.param(*x, marks=pytest.mark.regress) for x in ((0, False), (1, True), (3, False))),
    ],
)
def test_serves_whoever_can_go(courtesy: int, eject: bool) -> None:
    case = SMALL | {"depth": 2, "courtesy": courtesy, "eject": eject}
    verdict = prove(output_port(**case))
    assert verdict.proven, str(verdict)


@pytest.mark.parametrize(
    "case",
    [
        {"channels": (1, 1), "lanes": Lanes(1, 1), "terminal": False, "courtesy": 0},
        {"lanes": Lanes(1, 2), "depth": 4},
    ],
)
def test_serves_whoever_can_go_with_other_channels(case: dict[str, Any]) -> None:
    verdict = prove(output_port(**SMALL | case))
    assert verdict.proven, str(verdict)


@pytest.mark.regress
@pytest.mark.parametrize("eject", [False, True])
def test_serves_whoever_can_go_of_four_inputs(eject: bool) -> None:
    contract = output_port(
        channels=(2, 2, 2, 1), lanes=Lanes(2, 2), depth=2, courtesy=3, eject=eject
    )
    verdict = prove(contract, seconds=1200)
    assert verdict.proven, str(verdict)


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        ("room0", "Mux(sent, more, some)", "some"),
        ("room1", "front.wants[v] & here & some", "front.wants[v] & here"),
        ("grant", "(f.nominee & a).any()", "f.nominee.any()"),
        ("somebody", "self.grant.eq(arbiter.grant)", "self.grant.eq(arbiter.grant & 1)"),
        ("one_packet0", "~(busy | had[k])", "~had[k]"),
        ("unmixed1", "busy.eq(~ends)", "busy.eq(0)"),
        ("sent0", "departs[c].eq(sent)", "departs[c].eq(self.grant.any())"),
        ("sent1", "self.link.valid.eq(departs)", "self.link.valid.eq(departs | departs[0] << 1)"),
        ("passed", "~(busy | had[k])", "~busy"),
        ("stays", "~front.head[v] | ~(busy | had[k])", "~(busy & had[k])"),
    ],
)
def test_finds_faults(claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, hdl.output_port, "OutputPort", old, new)
    breaks(output_port(**SMALL), claim)


def test_finds_an_arbiter_that_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = "(turn | self.served[j]) & ~self.served[i]", "turn"
    plant(monkeypatch, hdl.arbiter, "Arbiter", old, new)
    one: dict[str, Any] = {"channels": (1, 1, 1), "lanes": Lanes(1, 1), "depth": 2, "courtesy": 0}
    breaks(output_port(**one), "passed")
