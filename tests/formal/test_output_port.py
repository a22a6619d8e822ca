from types import ModuleType
from typing import Any

import pytest

import fingerpost.hdl.router.arbiter
import fingerpost.hdl.router.credit_counter
import fingerpost.hdl.router.output_port
import fingerpost.hdl.router.switch_arbiter
import fingerpost.hdl.router.vc_state
from fingerpost.formal.output_port import output_port
from fingerpost.formal.prove import prove
from fingerpost.golden.deadlock.lanes import Lanes
from tests.formal.planted import breaks, plant

CREDITS = fingerpost.hdl.router.credit_counter, "CreditCounter"
VC = fingerpost.hdl.router.vc_state, "VcState"
SWITCH = fingerpost.hdl.router.switch_arbiter, "SwitchArbiter"
OUTPUT = fingerpost.hdl.router.output_port, "OutputPort"
BUSY = "state.replicate(self.sources)"

SMALL: dict[str, Any] = {
    "channels": (2, 2, 1),
    "lanes": Lanes(2, 2),
    "depth": 2,
    "bypass_limits": (2, 0, 1),
}


@pytest.mark.parametrize(
    ("claim", "where", "old", "new"),
    [
        ("room0", CREDITS, "Mux(self.sent, left, self.has_credit)", "self.has_credit"),
        ("credits0", CREDITS, ") | self.credit)", ") | (self.credit & ~self.sent))"),
        ("grant", SWITCH, "(candidate & able).any()", "candidate.any()"),
        ("work_conserving", SWITCH, "grant.eq(arbiter.grant),", "grant.eq(arbiter.grant & 1),"),
        ("one_packet0", VC, f"({BUSY} | self.served)", "self.served"),
        ("unmixed1", VC, "busy.eq(~self.sent_tail)", "busy.eq(0)"),
        ("sent0", OUTPUT, "valid.eq(sent_q)", "valid.eq(grant_q.any().replicate(2))"),
        ("passed", VC, f"({BUSY} | self.served)", BUSY),
        # Only packets of input 1 are counted: yielding inputs bypass each other for ever.
        ("bypassed", OUTPUT, "tail_passed.eq(grant_q &", "tail_passed.eq(grant_q & 0b010 &"),
        ("begins0", VC, f"~({BUSY} | self.served)", "self.served"),
        ("stays", VC, f"~front.head | ~({BUSY} | self.served)", f"~({BUSY} & self.served)"),
        *(
            pytest.param(*case, marks=pytest.mark.regress)
            for case in (
                ("room1", VC, " & self.has_credit.replicate(self.sources)", ""),
                ("sent1", OUTPUT, "valid.eq(sent_q)", "valid.eq(sent_q | sent_q[0] << 1)"),
                ("begins1", VC, "busy.eq(~self.sent_tail)", "busy.eq(1)"),
            )
        ),
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
    breaks(output_port(**SMALL), claim)


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        ("credits1", "self.link.credit[c]", "self.link.credit[0]"),
        ("begins1", "credits.has_credit),", "credits.has_credit & ~self.link.valid.any()),"),
    ],
)
def test_finds_message_classes_that_wait_for_each_other(
    claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, *OUTPUT, old, new)
    breaks(output_port(channels=(2, 2), lanes=Lanes(1, 1, 2), depth=1, eject=True), claim)


LANES: dict[str, Any] = {"channels": (2, 2, 1), "lanes": Lanes(1, 2), "depth": 2}


@pytest.mark.parametrize(
    ("claim", "where", "old", "new"),
    [
        ("served", SWITCH, "arbiter.grant & self.tail if", "arbiter.grant & 0 if"),
        ("begins0", OUTPUT, "self.next_lane if self.choosing else self.lane", "self.lane"),
    ],
)
def test_finds_faults_of_lanes(
    claim: str,
    where: tuple[ModuleType, str],
    old: str,
    new: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plant(monkeypatch, *where, old, new)
    breaks(output_port(**LANES), claim)


def test_heads_of_message_classes_with_lanes_are_not_passed_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    size: dict[str, Any] = {"channels": (4, 2), "lanes": Lanes(1, 2, 2), "depth": 1}
    contract = output_port(**size)
    contract.claims = {"passed": contract.claims["passed"]}
    assert prove(contract).proven is True
    plant(monkeypatch, *OUTPUT, "if max(self.channels) > 1:", "if False:")
    breaks(output_port(**size), "passed")


ONE: dict[str, Any] = {"channels": (1, 1, 1), "lanes": Lanes(1, 1), "depth": 2}
DEEP: dict[str, Any] = {"channels": (2, 2), "lanes": Lanes(2, 2), "depth": 4, "terminal": False}
"""One channel alone has credits for every cycle."""


@pytest.mark.parametrize(("claim", "size"), [("passed", ONE), ("served", DEEP)])
def test_finds_an_arbiter_that_forgets(
    claim: str, size: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = "(order | self.update[j]) & ~self.update[i]", "order"
    plant(monkeypatch, fingerpost.hdl.router.arbiter, "Arbiter", old, new)
    breaks(output_port(**size), claim)
